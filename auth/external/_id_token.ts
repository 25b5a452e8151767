import { decodeBase64Url, encodeBase64Url } from "../../session/secrets.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import { ExternalAuthError } from "./errors.ts";
import type { CachedDocument } from "./_cached_document.ts";
import {
  type JWTExpectation,
  type JWTVerification,
  verifyJWT,
} from "./_jwt.ts";
import type { ProviderKeys } from "./_keys.ts";

/** The signature algorithms that are ever believed: none that is symmetric. */
export const ASYMMETRIC_ALGORITHMS: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** The claims of a token that is believed. */
export interface IdTokenClaims extends JSONObject {
  /** The issuer. */
  readonly iss: string;
  /** Who the user is, to this issuer. */
  readonly sub: string;
}

/** What an ID token must say to be believed. */
export interface IdTokenExpectation {
  /** The client id. */
  readonly clientId: string;
  /** Audiences besides the client that are trusted. */
  readonly trustedAudiences: readonly string[];
  /** Whether the token's issuer is the one that was asked. */
  readonly isIssuer: (issuer: string, claims: JSONObject) => boolean;
  /** Whether a key that is bound to an issuer may sign for the token's one. */
  readonly isKeyIssuer?: (keyIssuer: string, tokenIssuer: string) => boolean;
  /** What is wrong with the claims otherwise, in this provider's eyes. */
  readonly problemOf?: (claims: JSONObject) => string | undefined;
  /** The algorithms that are allowed. */
  readonly algorithms: readonly string[];
  /** The nonce of the login; absent where there was none. */
  readonly nonce?: string;
  /** The access token that came along; absent where there was none. */
  readonly accessToken?: string;
  /** How long ago the user may have authenticated, in seconds. */
  readonly maxAge?: number;
  /** In seconds. */
  readonly clockTolerance: number;
  /** The time now, in epoch milliseconds. */
  readonly now: number;
}

/**
 * Verifies an ID token in full (OpenID Connect Core 1.0, section 3.1.3.7).
 *
 * @throws {ExternalAuthError} If the token must not be believed.
 */
export async function verifyIdToken(
  token: string,
  keys: CachedDocument<ProviderKeys>,
  expectation: IdTokenExpectation,
): Promise<IdTokenClaims> {
  const verification = await verifyWithKeys(token, keys, expectation, {
    algorithms: expectation.algorithms,
    audience: expectation.clientId,
    types: ["", "jwt"],
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    clockTolerance: expectation.clockTolerance,
    now: expectation.now,
  });
  if (!verification.ok) throw refusal(verification.reason);
  const { claims, algorithm } = verification;
  const problem = problemOf(claims, expectation) ??
    await problemOfHash(claims, algorithm, expectation);
  if (problem !== undefined) throw refusal(problem);
  checkAge(claims, expectation);
  return claims as IdTokenClaims;
}

/** Verifies, and once more with new keys where those at hand may be too old. */
export async function verifyWithKeys(
  token: string,
  keys: CachedDocument<ProviderKeys>,
  { isKeyIssuer }: Pick<IdTokenExpectation, "isKeyIssuer">,
  expectation: JWTExpectation,
): Promise<JWTVerification> {
  const known = await keys.get();
  const verification = await verifyWith(known);
  if (verification.ok || !verification.keysMayBeOld) return verification;
  const renewed = await keys.renew(known);
  return renewed === undefined ? verification : await verifyWith(renewed);

  function verifyWith(current: ProviderKeys): Promise<JWTVerification> {
    if (isKeyIssuer === undefined) {
      return verifyJWT(token, current.all, expectation);
    }
    const { iss } = claimsOf(token);
    const issuer = typeof iss === "string" ? iss : "";
    const set = current.forIssuer((keyIssuer) =>
      isKeyIssuer(keyIssuer, issuer)
    );
    return verifyJWT(token, set, expectation);
  }
}

/** The claims of a token, before anything of it is believed. */
export function claimsOf(token: string): JSONObject {
  try {
    const [, payload] = token.split(".");
    const bytes = decodeBase64Url(payload) ?? new Uint8Array();
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null
      ? claims as JSONObject
      : {};
  } catch {
    return {};
  }
}

/**
 * Whether a claim can identify a user, a session or a token (Core 1.0, section
 * 2): no more than 255 ASCII characters, and none that stores or logs stumble
 * over.
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,255}$/.test(value);
}

function problemOf(
  claims: JSONObject,
  expectation: IdTokenExpectation,
): string | undefined {
  const { iss, sub, aud, azp, nonce } = claims;
  const { clientId, clockTolerance, now } = expectation;
  if (typeof iss !== "string" || !expectation.isIssuer(iss, claims)) {
    return 'claim "iss": it is another issuer';
  }
  if (!isIdentifier(sub)) {
    return 'claim "sub": it is not an identifier';
  }
  const trusted = [clientId, ...expectation.trustedAudiences];
  if (Array.isArray(aud) && !aud.every((one) => trusted.includes(one))) {
    return 'claim "aud": it has an audience that is not trusted';
  }
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) {
    return 'claim "azp": it is missing beside several audiences';
  }
  if (azp !== undefined && azp !== clientId) {
    return 'claim "azp": it is another client';
  }
  const { iat } = claims;
  if (typeof iat !== "number" || iat > now / 1000 + clockTolerance) {
    return 'claim "iat": it is not a time in the past';
  }
  if (expectation.nonce !== undefined && nonce !== expectation.nonce) {
    return 'claim "nonce": it is that of another login';
  }
  return expectation.problemOf?.(claims);
}

/** The hash that binds the access token to the ID token (section 3.1.3.6). */
async function problemOfHash(
  claims: JSONObject,
  algorithm: string,
  { accessToken }: IdTokenExpectation,
): Promise<string | undefined> {
  const { at_hash } = claims;
  if (at_hash === undefined || accessToken === undefined) return undefined;
  const size = /(?:384|512)$/.exec(algorithm)?.[0] ??
    (algorithm.startsWith("Ed") ? "512" : "256");
  const bytes = new TextEncoder().encode(accessToken);
  const hash = new Uint8Array(
    await crypto.subtle.digest(`SHA-${size}`, bytes),
  );
  const expected = encodeBase64Url(hash.subarray(0, hash.length / 2));
  return at_hash === expected
    ? undefined
    : 'claim "at_hash": it is that of another access token';
}

function checkAge(claims: JSONObject, expectation: IdTokenExpectation): void {
  const { clockTolerance, maxAge, now } = expectation;
  const { auth_time = null } = claims;
  if (auth_time === null) {
    if (maxAge === undefined) return;
    throw refusal('claim "auth_time": it is missing, and maxAge needs it');
  }
  const latest = now / 1000 + clockTolerance;
  // An application may rely on it even if it did not ask for it.
  if (typeof auth_time !== "number" || auth_time < 0 || auth_time > latest) {
    throw refusal('claim "auth_time": it is not a time in the past');
  }
  const age = now / 1000 - auth_time;
  if (maxAge !== undefined && age > maxAge + clockTolerance) {
    throw new ExternalAuthError(
      "authentication_too_old",
      `Cannot accept the login: the user authenticated more than ${maxAge} s ago`,
    );
  }
}

function refusal(state: string): ExternalAuthError {
  return new ExternalAuthError(
    "id_token_invalid",
    `Cannot believe the ID token: ${state}`,
  );
}
