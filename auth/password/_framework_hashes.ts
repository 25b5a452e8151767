import { decodeBase64, encodeBase64 } from "./_phc_string.ts";
import { encodeHexAsBase64 } from "./_stored_hex_scrypt.ts";

/** The longest hash that is rewritten, in characters. */
const MAX_LENGTH = 512;

/** The salt of Django and Werkzeug, whose characters are its bytes. */
const SALT = "([!-#%-~]{1,64})";

const DIGITS = "([1-9][0-9]{0,9})";

/** The formats, and the functions that rewrite them as PHC strings. */
const FORMATS: readonly (readonly [
  RegExp,
  (...parts: string[]) => string | undefined,
])[] = /* @__PURE__ */ (() => [
  // Django writes PBKDF2 as algorithm$iterations$salt$base64.
  [
    new RegExp(`^pbkdf2_sha256\\$${DIGITS}\\$${SALT}\\$([\\w+/]+)={0,2}$`),
    (iterations, salt, hash) =>
      `$pbkdf2-sha256$i=${iterations}$${base64Of(salt)}$${hash}`,
  ],
  // Django writes scrypt as scrypt$N$salt$r$p$base64.
  [
    new RegExp(
      `^scrypt\\$${DIGITS}\\$${SALT}\\$${DIGITS}\\$${DIGITS}\\$([\\w+/]+)={0,2}$`,
    ),
    (cost, salt, blockSize, lanes, hash) =>
      `$scrypt$ln=${logOf(cost)},r=${blockSize},p=${lanes}$${
        base64Of(salt)
      }$${hash}`,
  ],
  // Django writes "argon2" before a PHC string.
  [/^argon2(\$argon2(?:id|i|d)\$.+)$/, (phc) => phc],
  // Werkzeug writes PBKDF2 as pbkdf2:sha256:iterations$salt$hex.
  [
    new RegExp(
      `^pbkdf2:(sha256|sha512):${DIGITS}\\$${SALT}\\$((?:[0-9a-f]{2})+)$`,
    ),
    (hash, iterations, salt, hex) =>
      `$pbkdf2-${hash}$i=${iterations}$${base64Of(salt)}$${
        encodeHexAsBase64(hex)
      }`,
  ],
  // Werkzeug writes scrypt as scrypt:N:r:p$salt$hex.
  [
    new RegExp(
      `^scrypt:${DIGITS}:${DIGITS}:${DIGITS}\\$${SALT}\\$((?:[0-9a-f]{2})+)$`,
    ),
    (cost, blockSize, lanes, salt, hex) =>
      `$scrypt$ln=${logOf(cost)},r=${blockSize},p=${lanes}$${base64Of(salt)}$${
        encodeHexAsBase64(hex)
      }`,
  ],
  // ASP.NET Core Identity writes version 3 as base64 of all its parts.
  [/^(AQAAAA[A-Za-z0-9+/]{20,200})={0,2}$/, rewriteIdentity],
])();

/**
 * Rewrites a hash of Django, Werkzeug or ASP.NET Core Identity as a PHC string.
 * Returns any other string unchanged. The readers check the parameters.
 */
export function toPhcString(stored: string): string {
  if (stored.length > MAX_LENGTH) return stored;
  for (const [format, rewrite] of FORMATS) {
    const match = format.exec(stored);
    if (match !== null) return rewrite(...match.slice(1)) ?? stored;
  }
  return stored;
}

/**
 * Returns the binary logarithm, which is a fraction unless the cost is a power
 * of two.
 */
function logOf(cost: string | undefined): number {
  return Math.log2(Number(cost));
}

function base64Of(salt = ""): string {
  return encodeBase64(new TextEncoder().encode(salt));
}

/** The pseudorandom functions of ASP.NET Core Identity. SHA-1 is not read. */
const IDENTITY_HASHES = ["", "sha256", "sha512"];

/**
 * Rewrites the bytes of ASP.NET Core Identity: the version, three numbers of 32
 * bits, the salt and the hash.
 */
function rewriteIdentity(encoded = ""): string | undefined {
  const bytes = decodeBase64(encoded);
  if (bytes === null) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const hash = IDENTITY_HASHES[view.getUint32(1)];
  const saltEnd = 13 + view.getUint32(9);
  return hash
    ? `$pbkdf2-${hash}$i=${view.getUint32(5)}$${
      encodeBase64(bytes.subarray(13, saltEnd))
    }$${encodeBase64(bytes.subarray(saltEnd))}`
    : undefined;
}
