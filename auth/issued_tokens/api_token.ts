import { sha256Base64Url, timingSafeEqual } from "../../session/secrets.ts";

/** Options for {@linkcode createToken} and {@linkcode isTokenShaped}. */
export interface TokenOptions {
  /**
   * The beginning of the token, such as `acme_api`, by which scanners for leaked
   * secrets recognize it. It has 2 to 20 lower-case letters, digits and `_`,
   * begins with a letter and does not end with `_`.
   */
  readonly prefix: string;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 43 digits in base 62 hold 256 bits. */
const SECRET_LENGTH = 43;

/** 6 digits in base 62 hold a checksum of 32 bits. */
const CHECKSUM_LENGTH = 6;

/**
 * Creates a bearer token or an API key: a prefix, 256 random bits and a
 * checksum.
 *
 * Show it once, to its owner, and store only its {@linkcode hashToken}. The form
 * is `prefix_` and 49 letters and digits, the last 6 of which are the CRC-32 of
 * all before them. Scanners can find leaked tokens without asking the server.
 *
 * @example Giving an API key to a user
 * ```ts
 * import { assertMatch } from "@std/assert";
 * import { createToken, hashToken } from "@gatehouse/web/auth";
 *
 * const token = createToken({ prefix: "acme_api" });
 * const row = { hash: await hashToken(token), userId: 1 };
 *
 * assertMatch(token, /^acme_api_[0-9A-Za-z]{49}$/);
 * assertMatch(row.hash, /^[\w-]{43}$/);
 * ```
 *
 * @param options The prefix.
 * @returns The token, valid in an `Authorization: Bearer` header.
 * @throws {TypeError} If the prefix is not a string.
 * @throws {RangeError} If the prefix is invalid.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2.1 | RFC 6750, the syntax of bearer tokens}
 */
export function createToken({ prefix }: TokenOptions): string {
  assertPrefix(prefix);
  const payload = `${prefix}_${randomDigits(SECRET_LENGTH)}`;
  return payload + checksumOf(payload);
}

/**
 * Returns `true` if a string has the form and the checksum of a token with this
 * prefix. It saves a database query for mistyped tokens and other strings.
 *
 * Trust: it proves nothing. Anyone can compute a checksum.
 *
 * @example A complete token and an incomplete one
 * ```ts
 * import { assert, assertFalse } from "@std/assert";
 * import { createToken, isTokenShaped } from "@gatehouse/web/auth";
 *
 * const token = createToken({ prefix: "acme" });
 * assert(isTokenShaped(token, { prefix: "acme" }));
 * assertFalse(isTokenShaped(token.slice(0, -1), { prefix: "acme" }));
 * ```
 *
 * @param token The string from the client.
 * @param options The prefix.
 * @returns `true` if the string may be a token.
 * @throws {RangeError} If the prefix is invalid.
 */
export function isTokenShaped(
  token: string,
  { prefix }: TokenOptions,
): boolean {
  assertPrefix(prefix);
  const start = `${prefix}_`;
  const length = start.length + SECRET_LENGTH + CHECKSUM_LENGTH;
  if (token.length !== length || !token.startsWith(start)) return false;
  if (!/^[0-9A-Za-z]+$/.test(token.slice(start.length))) return false;
  const payload = token.slice(0, -CHECKSUM_LENGTH);
  return token.slice(-CHECKSUM_LENGTH) === checksumOf(payload);
}

/**
 * Hashes a token for storage, as the SHA-256 in 43 characters of base64url.
 *
 * A fast hash is safe for tokens from {@linkcode createToken}, whose 256 random
 * bits cannot be guessed. It is unsafe for passwords, which people choose. Look
 * up tokens by their hash: a leaked table then contains no usable tokens, and
 * response time does not reveal them.
 *
 * @example Looking up a token
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createToken, hashToken } from "@gatehouse/web/auth";
 *
 * const token = createToken({ prefix: "acme" });
 * const users = new Map([[await hashToken(token), { id: 1 }]]);
 *
 * assertEquals(users.get(await hashToken(token)), { id: 1 });
 * assertEquals(users.get(await hashToken("acme_wrong")), undefined);
 * ```
 *
 * @param token The token.
 * @returns The hash.
 */
export async function hashToken(token: string): Promise<string> {
  return await sha256Base64Url(token);
}

/**
 * Compares a token with a stored hash, in constant time. Use it if the hash was
 * found by another value, such as the id of the key.
 *
 * @example Checking the only token of a service
 * ```ts
 * import { assert, assertFalse } from "@std/assert";
 * import { createToken, hashToken, verifyToken } from "@gatehouse/web/auth";
 *
 * const token = createToken({ prefix: "deploy" });
 * const hash = await hashToken(token);
 *
 * assert(await verifyToken(hash, token));
 * assertFalse(await verifyToken(hash, "deploy_wrong"));
 * assertFalse(await verifyToken(null, token));
 * ```
 *
 * @param hash The stored hash, or `null` if it is missing.
 * @param token The string from the client.
 * @returns `true` if the token belongs to the hash.
 */
export async function verifyToken(
  hash: string | null | undefined,
  token: string,
): Promise<boolean> {
  return timingSafeEqual(await hashToken(token), hash ?? "");
}

function assertPrefix(prefix: string): void {
  if (typeof prefix !== "string") {
    throw new TypeError("Cannot use the token prefix: it is not a string");
  }
  if (/^[a-z][a-z0-9_]{0,18}[a-z0-9]$/.test(prefix)) return;
  throw new RangeError(
    `Cannot use the token prefix "${prefix}": it is not 2 to 20 of a-z, 0-9 and _, a letter first and no _ last`,
  );
}

function randomDigits(length: number): string {
  let digits = "";
  while (digits.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is 4 times 62, and larger bytes would make the first digits more
      // likely.
      if (byte < 248 && digits.length < length) digits += DIGITS[byte % 62];
    }
  }
  return digits;
}

/** Returns the CRC-32 (ISO 3309, as in gzip) in 6 digits of base 62. */
function checksumOf(payload: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(payload)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
