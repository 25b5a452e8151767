/** The characters of paths. */

/** What dot segments are made of. */
export const DOT = 46;
/** What separates segments. */
export const SLASH = 47;

/** The kind of characters that are themselves. */
export const PLAIN = 0;
/** The kind of the slash. */
export const SEPARATOR = 1;
/** The kind of what comes behind a path. */
export const END = 2;
/** The kind of the percent sign. */
export const ESCAPE = 3;
/** The kind of what may have another form in a parsed URL. */
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

/** A path that has nothing which needs a closer look. */
export const PLAIN_PATH =
  /[\w\-~!$&'()*+,;=:@/]*(?:(?<!\/)\.[\w\-~!$&'()*+,;=:@/]*)*(?=[?#]|$)/y;
