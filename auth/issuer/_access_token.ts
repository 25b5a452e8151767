import type { JSONObject } from "./_bounded_fetch.ts";
import { ExternalAuthError } from "./_errors.ts";
import {
  ASYMMETRIC_ALGORITHMS,
  type JWTVerification,
  normalizeType,
} from "./_jwt.ts";
import { keysOfIssuer, verifyWithKeys } from "./_key_refresh.ts";
import { type IssuerOptions, resolveIssuerOptions } from "./_options.ts";
import { isSecureURL } from "./_secure_url.ts";

/** The claims of a verified access token. */
export interface AccessTokenClaims {
  /** The issuer. */
  readonly iss: string;
  /** The user's id at the issuer. Identify users by issuer and `sub`. */
  readonly sub: string;
  /** Other claims. Check the type of those that you use. */
  readonly [claim: string]: unknown;
}

/** The access tokens of an issuer. */
export interface AccessTokenOptions extends IssuerOptions {
  readonly issuer: string;
  /** The accepted audiences, of which the token must name one. */
  readonly audience: string | readonly string[];
  readonly type?: string | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly jwksUri?: string | undefined;
  readonly onError?: ((error: ExternalAuthError) => void) | undefined;
}

/**
 * The reason why a token is not accepted: it is invalid or not active, expired,
 * for another audience, bound to a key, or its issuer is unavailable.
 */
export type AccessTokenProblem =
  | "invalid"
  | "expired"
  | "audience"
  | "unavailable";

/** The result of the verification of an access token. */
export type AccessTokenVerification =
  | {
    readonly ok: true;
    /** The claims, or the members of the introspection response. */
    readonly claims: AccessTokenClaims;
  }
  | {
    readonly ok: false;
    /** The reason why the token is not accepted. */
    readonly problem: AccessTokenProblem;
  };

/** The claims that all tokens must have, and those of RFC 9068, section 2.2. */
const requiredClaims = ["iss", "sub", "aud", "exp"];
const requiredByProfile = /* @__PURE__ */ requiredClaims.concat(
  "iat",
  "client_id",
  "jti",
);

/**
 * Creates a function that verifies a token of an issuer. The caller first checks
 * that the token names this issuer: other tokens must not cause a request.
 *
 * @param name The owner of the function in error messages.
 * @throws {TypeError} If an option is invalid.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 | RFC 9068, section 4}
 */
export function createAccessTokenVerifier(
  options: AccessTokenOptions,
  name: string,
): (token: string) => Promise<AccessTokenVerification> {
  checkOptions(options, name);
  const { issuer, onError = console.error } = options;
  const resolved = resolveIssuerOptions(options, name);
  const { clockTolerance, now } = resolved;
  const keys = keysOfIssuer(issuer, options.jwksUri, resolved);
  const expectation = { ...createExpectation(options), clockTolerance };
  const report = onceForEach(onError);
  return async (token) => {
    let verification: JWTVerification;
    try {
      const expected = { ...expectation, now: now() };
      verification = await verifyWithKeys(token, await keys(), expected);
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      report(error);
      return { ok: false, problem: "unavailable" };
    }
    if (!verification.ok) {
      return { ok: false, problem: problemOf(verification) };
    }
    const { claims } = verification;
    const latest = now() / 1000 + clockTolerance;
    return checkClaims(claims, issuer, latest);
  };
}

/**
 * Checks the claims that a signed token and an introspected one share. The caller
 * checks the key that the token is bound to (`cnf`).
 */
export function checkClaims(
  claims: JSONObject,
  issuer: string,
  latest: number,
): AccessTokenVerification {
  if (
    !hasSubject(claims) || claims.iss !== issuer || !isIssued(claims, latest)
  ) {
    return { ok: false, problem: "invalid" };
  }
  return { ok: true, claims };
}

/** Calls a function once for each error: many requests fail with the same one. */
export function onceForEach(
  onError: (error: ExternalAuthError) => void,
): (error: ExternalAuthError) => void {
  let reported: unknown;
  return (error) => {
    if (error !== reported) onError(error);
    reported = error;
  };
}

function createExpectation({
  algorithms = ASYMMETRIC_ALGORITHMS,
  audience,
  type = "at+jwt",
}: AccessTokenOptions) {
  const normalized = normalizeType(type);
  return {
    algorithms,
    audience,
    types: [normalized],
    requiredClaims: normalized === "at+jwt"
      ? requiredByProfile
      : requiredClaims,
  };
}

function problemOf(
  { claim }: Extract<JWTVerification, { readonly ok: false }>,
): AccessTokenProblem {
  if (claim === "exp") return "expired";
  return claim === "aud" ? "audience" : "invalid";
}

function hasSubject(claims: JSONObject): claims is AccessTokenClaims {
  return typeof claims.sub === "string" && claims.sub !== "";
}

/** Rejects tokens from the future: they would outlive a revocation. */
function isIssued({ iat }: AccessTokenClaims, latest: number): boolean {
  return iat === undefined || typeof iat === "number" && iat <= latest;
}

function checkOptions(options: AccessTokenOptions, name: string): void {
  const { algorithms = [], allowInsecureLoopback = false } = options;
  const { audience, issuer, jwksUri, type = "" } = options;
  const fail = (reason: string) => {
    throw new TypeError(`Cannot create ${name}: ${reason}`);
  };
  for (const [option, value] of Object.entries({ issuer, jwksUri })) {
    if (value === undefined && option === "jwksUri") continue;
    const url = typeof value === "string" ? URL.parse(value) : null;
    if (url === null || !isSecureURL(url, allowInsecureLoopback)) {
      fail(`${option} is not an https URL`);
    }
  }
  const audiences = [audience].flat();
  if (audiences.some((one) => typeof one !== "string" || one === "")) {
    // Tokens for any other API would pass without an audience (ASVS 5.0,
    // 9.2.3).
    fail("it needs an audience");
  }
  if (typeof type !== "string") fail("type is not a string");
  const unknown = algorithms.find((one) =>
    !ASYMMETRIC_ALGORITHMS.includes(one)
  );
  if (unknown !== undefined || options.algorithms?.length === 0) {
    fail(`algorithm "${unknown ?? ""}" is not an asymmetric one`);
  }
}
