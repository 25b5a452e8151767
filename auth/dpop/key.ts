import { thumbprintOf } from "../issuer/mod.ts";

/**
 * The key of a client that uses DPoP: a private key for ES256 in the form of a JWK.
 *
 * Trust: it is a secret, like the tokens that are bound to it. Store it encrypted.
 */
export interface DPoPKey {
  /** The key type. */
  readonly kty: "EC";
  /** The curve. */
  readonly crv: "P-256";
  /** The public point's first coordinate. */
  readonly x: string;
  /** The public point's second coordinate. */
  readonly y: string;
  /** The private key. */
  readonly d: string;
}

/**
 * Creates a key for DPoP. The authorization server binds tokens to it, and then
 * a stolen token is useless without the key.
 *
 * @example A key survives storage as JSON
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createDPoPKey,
 *   parseDPoPKey,
 * } from "@gatehouse/web/auth/access-tokens";
 *
 * const key = await createDPoPKey();
 * const stored = JSON.stringify(key);
 *
 * assertEquals(parseDPoPKey(JSON.parse(stored)), key);
 * ```
 *
 * @returns The key.
 */
export async function createDPoPKey(): Promise<DPoPKey> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle
    .generateKey(algorithm, true, ["sign", "verify"]);
  const key = parseDPoPKey(await crypto.subtle.exportKey("jwk", privateKey));
  if (key === null) {
    throw new TypeError("Cannot create DPoP key: it is invalid");
  }
  return key;
}

/** 32 bytes in base64url. */
const COORDINATE = /^[\w-]{43}$/;

/**
 * Parses a stored key.
 *
 * @example Another key
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseDPoPKey } from "@gatehouse/web/auth/access-tokens";
 *
 * assertEquals(parseDPoPKey({ kty: "oct", k: "c2VjcmV0" }), null);
 * ```
 *
 * @param value The value, such as the result of `JSON.parse`.
 * @returns The key, or `null` if the value is not such a key.
 */
export function parseDPoPKey(value: unknown): DPoPKey | null {
  const { crv, d, kty, x, y } = Object(value) as Record<string, unknown>;
  return kty === "EC" && crv === "P-256" && isCoordinate(x) &&
      isCoordinate(y) && isCoordinate(d)
    ? { kty, crv, x, y, d }
    : null;
}

function isCoordinate(value: unknown): value is string {
  return typeof value === "string" && COORDINATE.test(value);
}

/**
 * Returns the thumbprint of a key: the parameter `dpop_jkt` of an authorization
 * request, and the claim `cnf.jkt` of bound tokens.
 *
 * @example The thumbprint of a key
 * ```ts
 * import { assertMatch } from "@std/assert";
 * import {
 *   createDPoPKey,
 *   thumbprintOfDPoPKey,
 * } from "@gatehouse/web/auth/access-tokens";
 *
 * const thumbprint = await thumbprintOfDPoPKey(await createDPoPKey());
 * assertMatch(thumbprint, /^[\w-]{43}$/);
 * ```
 *
 * @param key The key.
 * @returns The SHA-256 thumbprint in base64url.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-10 | RFC 9449, authorization code binding}
 */
export async function thumbprintOfDPoPKey(key: DPoPKey): Promise<string> {
  return await thumbprintOf(publicKeyOf(key));
}

/** Returns the public part of a key. */
export function publicKeyOf({ crv, kty, x, y }: DPoPKey): JsonWebKey {
  return { kty, crv, x, y };
}
