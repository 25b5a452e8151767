import { encodeBase64Url, timingSafeEqual } from "../session/secrets.ts";

/** Options for a new token. */
export interface TokenOptions {
  /**
   * What the token begins with, so that a scanner for leaked secrets knows
   * whose it is and what it opens: 2 to 20 lower-case letters, digits and `_`,
   * a letter first, such as `acme_api`.
   */
  readonly prefix: string;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 43 digits of 62 are 256 bits. */
const SECRET_LENGTH = 43;

/** 6 digits of 62 hold a checksum of 32 bits. */
const CHECKSUM_LENGTH = 6;

/**
 * Creates a bearer token or an API key: 256 random bits behind a prefix, with a
 * checksum at the end.
 *
 * Show it once, to its owner, and store only what {@linkcode hashToken} makes
 * of it. Prefix and checksum let a scanner find leaked tokens without asking
 * the server: `prefix_` and 49 letters and digits, the last 6 of which are the
 * CRC-32 of all before them.
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
 * @param options What the token begins with.
 * @returns The token, fit for an `Authorization: Bearer` header.
 * @throws {TypeError} When the prefix is not a string.
 * @throws {RangeError} When the prefix is not as described.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2.1 | RFC 6750, the syntax of bearer tokens}
 */
export function createToken({ prefix }: TokenOptions): string {
  assertPrefix(prefix);
  const payload = `${prefix}_${randomDigits(SECRET_LENGTH)}`;
  return payload + checksumOf(payload);
}

/**
 * Tells whether a string could be a token with this prefix: whether its shape
 * and its checksum are right. It saves the look-up of what is mistyped or was
 * never a token.
 *
 * Trust: it proves nothing. Anybody can compute a checksum.
 *
 * @example Telling a token from noise
 * ```ts
 * import { assert, assertFalse } from "@std/assert";
 * import { createToken, isTokenShaped } from "@gatehouse/web/auth";
 *
 * const token = createToken({ prefix: "acme" });
 * assert(isTokenShaped(token, { prefix: "acme" }));
 * assertFalse(isTokenShaped(token.slice(0, -1), { prefix: "acme" }));
 * ```
 *
 * @param token What the client sent.
 * @param options What a token begins with.
 * @returns Whether it is worth looking up.
 * @throws {RangeError} When the prefix is not one that `createToken` takes.
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
 * Hashes a token for storage: its SHA-256, as 43 characters of base64url.
 *
 * A fast hash is right for tokens of {@linkcode createToken}, whose 256 random
 * bits nobody can guess, and wrong for passwords, which people choose. Look the
 * token up by its hash: a thief of the table then has no tokens, and the time
 * of the look-up tells nothing about them.
 *
 * @example Looking a token up
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
 * @returns Its hash.
 */
export async function hashToken(token: string): Promise<string> {
  return encodeBase64Url(await digest(token));
}

/**
 * Compares a token with a stored hash, in a time that does not depend on how
 * much of it is right. For where the hash was found by something else than
 * itself, such as the id of the key.
 *
 * @example Checking the one token of a service
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
 * @param hash What `hashToken` made, or nothing where nothing is stored.
 * @param token What the client sent.
 * @returns Whether the token is the one that was hashed.
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
      // 248 is 4 times 62: beyond it the first digits would come up more often.
      if (byte < 248 && digits.length < length) digits += DIGITS[byte % 62];
    }
  }
  return digits;
}

/** The CRC-32 (ISO 3309, as in gzip) in 6 digits of base 62. */
function checksumOf(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
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

async function digest(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
