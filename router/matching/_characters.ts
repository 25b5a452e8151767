export const DOT = 46;
export const SLASH = 47;

// What a character of a path is.
export const PLAIN = 0;
export const SEPARATOR = 1;
export const END = 2;
export const ODD = 3;

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
    return /[\w\-.~!$&'()*+,;=:@]/.test(char) ? PLAIN : ODD;
  },
);

/** The params of all routes without params. */
export const NO_PARAMS: Record<string, string> = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ Object.create(null),
);
