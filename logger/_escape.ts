/**
 * The maximum length of a field, in characters. Three fields of this length and
 * the rest of a combined line stay below 4,096, where log readers split lines.
 */
const maxLength = 1024;

/** Matches printable ASCII without quotes and backslashes. */
const harmless = /^[ !#-[\]-~]*$/;

/** The characters that the Apache HTTP Server escapes with a letter. */
const lettered = '"\\\b\n\r\t\v';
const letters = '"\\bnrtv';

const encoder = /* @__PURE__ */ new TextEncoder();

/** Cuts a long string and appends `...`. */
export function truncate(string: string, limit = maxLength): string {
  return string.length > limit
    ? string.slice(0, limit).toWellFormed() + "..."
    : string;
}

/**
 * Truncates a string from the network and escapes it as the Apache HTTP Server
 * does: the result is printable ASCII without bare quotes and backslashes.
 *
 * Deno and Bun decode headers as Latin-1, so a character up to U+00FF is the
 * byte that was sent. Other characters are written as their UTF-8 bytes.
 */
export function escapeField(string: string, limit = maxLength): string {
  const shortened = truncate(string, limit);
  if (harmless.test(shortened)) return shortened;
  let escaped = "";
  for (const character of shortened) {
    const next = escapeCharacter(character);
    if (escaped.length + next.length > limit) return escaped + "...";
    escaped += next;
  }
  return escaped;
}

function escapeCharacter(character: string): string {
  if (harmless.test(character)) return character;
  const letter = letters[lettered.indexOf(character)];
  if (letter !== undefined) return `\\${letter}`;
  const code = character.charCodeAt(0);
  const bytes = code > 0xff ? encoder.encode(character) : [code];
  return Array.from(bytes, escapeByte).join("");
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** Returns the characters of a JSON string, in printable ASCII, unquoted. */
export function escapeJSON(string: string): string {
  return harmless.test(string)
    ? string
    : toASCII(JSON.stringify(string)).slice(1, -1);
}

/**
 * Converts JSON to printable ASCII. `JSON.stringify` keeps DEL, the 8-bit
 * controls of terminals, and the characters that reverse the writing direction.
 */
export function toASCII(json: string): string {
  return json.replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
