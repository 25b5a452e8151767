import { encodeBase64Url } from "../../session/secrets.ts";
import type { Tokens } from "../grants/tokens.ts";

/**
 * The characters of user codes: consonants, so that no words appear, and none that
 * looks like another one.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-6.1 | RFC 8628, section 6.1}
 */
const CHARACTERS = "BCDFGHJKLMNPQRSTVWXZ";

/** The length of a user code, which has 34 bits. */
const LENGTH = 8;

/** Matches a user code without its dash. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** The longest text that is read, in characters. */
const MAX_TEXT = 40;

/** Creates a random user code. */
export function randomUserCode(): string {
  let code = "";
  while (code.length < LENGTH) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // This multiple of 20 makes each character as likely.
    if (byte < 240) code += CHARACTERS[byte % CHARACTERS.length];
  }
  return code;
}

/** Returns a user code as users see it, such as `WDJB-MJHT`. */
export function displayedUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/**
 * Returns the user code that a user has typed, in any case and with spaces and
 * dashes, or `null` for any other text.
 */
export function readUserCode(text: string): string | null {
  if (text.length > MAX_TEXT) return null;
  const code = text.toUpperCase().replace(/[\s\p{Dash}]+/gu, "");
  return CODE.test(code) ? code : null;
}

/** The number of bytes of a name. */
const NAME_BYTES = 16;

/**
 * Derives the names by which the store finds a user code, one with each secret.
 * Without the secrets, they do not reveal the code.
 */
export async function namesOfUserCode(
  tokens: Tokens,
  code: string,
): Promise<string[]> {
  const macs = await tokens.macs("user-code", new TextEncoder().encode(code));
  return macs.map((mac) => encodeBase64Url(mac.subarray(0, NAME_BYTES)));
}
