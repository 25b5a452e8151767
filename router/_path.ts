export const DOT = 46;
export const SLASH = 47;

// What a character of a path is.
export const PLAIN = 0;
export const SEPARATOR = 1;
export const END = 2;
export const ESCAPE = 3;
export const ODD = 4;

/**
 * What the characters of ASCII are in text that may not be canonical. The odd
 * ones are for the URL parser.
 */
export const KINDS: Uint8Array = /* @__PURE__ */ Uint8Array.from(
  { length: 128 },
  (_, code) => {
    const char = String.fromCharCode(code);
    if (char === "/") return SEPARATOR;
    if (char === "?" || char === "#") return END;
    if (char === "%") return ESCAPE;
    return /[\w\-.~!$&'()*+,;=:@]/.test(char) ? PLAIN : ODD;
  },
);

/**
 * Longer URLs are for the URL parser: a group that repeats takes a regular
 * expression memory with each turn, and some millions are too many.
 */
export const MAX_LOOK = 65_536;

/** A path that has nothing which needs a closer look. */
export const PLAIN_PATH =
  /[\w\-~!$&'()*+,;=:@/]*(?:(?<!\/)\.[\w\-~!$&'()*+,;=:@/]*)*(?=[?#]|$)/y;

/** The params of all routes without params. */
export const NO_PARAMS: Record<string, string> = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ Object.create(null),
);

/** Whether a path has nothing which needs a closer look. */
export function isPlainPath(url: string, start: number): boolean {
  if (url.length > MAX_LOOK) return false;
  PLAIN_PATH.lastIndex = start;
  return PLAIN_PATH.test(url);
}
