import { encodeBase64 } from "./_phc_string.ts";
import { readScrypt } from "./_stored_scrypt.ts";
import type { PasswordReader } from "./options.ts";

/**
 * A salt and 64 bytes in hexadecimal. The first versions of Lucia had a salt of
 * 16 letters and digits, and a smaller block size.
 */
const SHAPE = /^(s2:)?([0-9a-f]{32}|[0-9A-Za-z]{16}):((?:[0-9a-f]{2}){64})$/;

/**
 * Reads scrypt of better-auth, Lucia and Oslo, as `salt:hash` or `s2:salt:hash`.
 * The characters of the salt are its bytes, and the password is in the form NFKC.
 */
export const readHexScrypt: PasswordReader = (stored) => {
  const [, version, salt = "", hash = ""] = SHAPE.exec(stored) ?? [];
  const blockSize = version === undefined && salt.length === 16 ? 8 : 16;
  const verify = readScrypt(
    `$scrypt$ln=14,r=${blockSize},p=1$${
      encodeBase64(new TextEncoder().encode(salt))
    }$${encodeHexAsBase64(hash)}`,
  );
  return verify && ((password) => verify(password.normalize("NFKC")));
};

/** Rewrites an even number of hexadecimal digits as base64. */
export function encodeHexAsBase64(hex: string): string {
  const bytes = hex.match(/../g)?.map((digits) => parseInt(digits, 16));
  return encodeBase64(new Uint8Array(bytes ?? []));
}
