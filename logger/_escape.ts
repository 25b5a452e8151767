/**
 * The longest field that is written whole, in characters. Three of them and the
 * rest of a combined line are below 4,096, where log readers cut lines in two.
 */
const longest = 1024;

/** Printable ASCII alone, and of that neither quotes nor backslashes. */
const harmless = /^[ !#-[\]-~]*$/;

/** The escapes that have a letter, as Apache writes them. */
const letters: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

const encoder = /* @__PURE__ */ new TextEncoder();

/** Cuts a text that is too long to be read, and shows that it did. */
export function truncate(text: string, limit = longest): string {
  return text.length > limit
    ? text.slice(0, limit).toWellFormed() + "..."
    : text;
}

/**
 * Makes a text from the network safe for a log: printable ASCII without bare
 * quotes and backslashes, as the Apache HTTP Server escapes it, truncated.
 *
 * Deno and Bun decode headers as Latin-1, so a character up to U+00FF stands
 * for the byte that was sent; for others their UTF-8 bytes are written.
 */
export function escapeField(text: string, limit = longest): string {
  const shown = truncate(text, limit);
  if (harmless.test(shown)) return shown;
  let escaped = "";
  for (const character of shown) {
    const next = harmless.test(character)
      ? character
      : escapeCharacter(character);
    if (escaped.length + next.length > limit) return escaped + "...";
    escaped += next;
  }
  return escaped;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  if (code > 0xff) {
    return Array.from(encoder.encode(character), escapeByte).join("");
  }
  return letters[character] ?? escapeByte(code);
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** The JSON string of a text, in printable ASCII. */
export function quote(text: string): string {
  return harmless.test(text) ? `"${text}"` : toASCII(JSON.stringify(text));
}

/**
 * JSON in printable ASCII. `JSON.stringify` leaves DEL, the 8-bit controls that
 * move a terminal, and characters that change its writing direction as they are.
 */
export function toASCII(json: string): string {
  return json.replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
