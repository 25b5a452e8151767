import { encodeBase64Url } from "../../session/secrets.ts";
import { ExternalAuthError, type JSONObject } from "../issuer/mod.ts";
import type { OpenIDDefinition, ProviderEngine } from "./engine.ts";
import {
  hasTrustedAudiences,
  idTokenAlgorithms,
  isIdentifier,
  tokenError,
  type TokenKind,
  verifyProviderToken,
} from "./provider_token.ts";

/** The claims of a verified ID token. */
export interface IdTokenClaims extends JSONObject {
  /** The issuer. */
  readonly iss: string;
  /** The user's id at this issuer. */
  readonly sub: string;
}

/** The values of a login that its ID token must match. */
export interface IdTokenExpectation {
  /** The nonce of the login, if there was one. */
  readonly nonce?: string | undefined;
  /** The access token of the same response, if there was one. */
  readonly accessToken?: string | undefined;
  /** The maximum age of the user's authentication, in seconds. */
  readonly maxAge?: number | undefined;
}

const ID_TOKEN: TokenKind = {
  code: "id_token_invalid",
  name: "ID token",
  types: ["", "jwt"],
  requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
};

/**
 * Verifies an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
 *
 * @throws {ExternalAuthError} If the token is invalid.
 */
export async function verifyIdToken(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  token: string | undefined,
  expectation: IdTokenExpectation,
): Promise<IdTokenClaims> {
  if (token === undefined) throw idTokenError("it is missing");
  const { claims, algorithm } = await verifyProviderToken(
    engine,
    openid,
    token,
    {
      ...ID_TOKEN,
      algorithms: idTokenAlgorithms(openid.algorithms, await engine.metadata()),
    },
  );
  const problem = findProblem(engine, openid, claims, expectation) ??
    await checkAccessTokenHash(claims, algorithm, expectation);
  if (problem !== undefined) throw idTokenError(problem);
  checkAuthTime(engine, claims, expectation);
  return claims as IdTokenClaims;
}

/** Creates the error for an invalid ID token. */
export function idTokenError(reason: string): ExternalAuthError {
  return tokenError(ID_TOKEN, reason);
}

function findProblem(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  claims: JSONObject,
  expectation: IdTokenExpectation,
): string | undefined {
  const { aud, azp, iat, nonce, sub } = claims;
  const { clientId } = engine.client;
  if (!isIdentifier(sub)) {
    return 'claim "sub": it is not an identifier';
  }
  if (!hasTrustedAudiences(engine, openid, claims)) {
    return 'claim "aud": it has an audience that is not trusted';
  }
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) {
    return 'claim "azp": it is missing although there are several audiences';
  }
  if (azp !== undefined && azp !== clientId) {
    return 'claim "azp": it is another client';
  }
  if (typeof iat !== "number" || iat > latestTime(engine)) {
    return 'claim "iat": it is not a time in the past';
  }
  if (expectation.nonce !== undefined && nonce !== expectation.nonce) {
    return 'claim "nonce": it is that of another login';
  }
  return openid.findProblem?.(claims);
}

/** Checks the hash that binds the access token (section 3.1.3.6). */
async function checkAccessTokenHash(
  { at_hash }: JSONObject,
  algorithm: string,
  { accessToken }: IdTokenExpectation,
): Promise<string | undefined> {
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

function checkAuthTime(
  engine: ProviderEngine<unknown>,
  { auth_time = null }: JSONObject,
  { maxAge }: IdTokenExpectation,
): void {
  if (auth_time === null) {
    if (maxAge === undefined) return;
    throw idTokenError('claim "auth_time": it is missing, and maxAge needs it');
  }
  // The time is checked even without maxAge, because the application may use
  // it.
  if (
    typeof auth_time !== "number" || auth_time < 0 ||
    auth_time > latestTime(engine)
  ) {
    throw idTokenError('claim "auth_time": it is not a time in the past');
  }
  const age = engine.now() / 1000 - auth_time;
  if (maxAge !== undefined && age > maxAge + engine.clockTolerance) {
    throw new ExternalAuthError(
      "authentication_too_old",
      `Cannot accept the login: the user authenticated more than ${maxAge} s ago`,
    );
  }
}

/** Returns the latest time that counts as past, in seconds. */
function latestTime({ clockTolerance, now }: ProviderEngine<unknown>): number {
  return now() / 1000 + clockTolerance;
}
