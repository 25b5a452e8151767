import {
  type AccessTokenVerification,
  checkClaims,
  type JSONObject,
} from "../../issuer/mod.ts";

/** The requirements for an introspected token. */
export interface Expectation {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly allowMissingAudience: boolean;
  /** The allowed difference between the clocks, in seconds. */
  readonly clockTolerance: number;
  /** The current time, in seconds. */
  readonly now: number;
}

/**
 * Checks the members of an introspection response (RFC 7662, section 2.2). The
 * issuer decides whether the token is active. Its audience and its time are
 * checked again, because the response may be from the cache.
 */
export function checkIntrospected(
  body: JSONObject,
  expectation: Expectation,
): AccessTokenVerification {
  const { allowMissingAudience, audience, clockTolerance, issuer, now } =
    expectation;
  const { active, aud, cnf, exp, iss = issuer, nbf, token_type } = body;
  const isNow = (exp === undefined || typeof exp === "number") &&
    (nbf === undefined ||
      typeof nbf === "number" && nbf <= now + clockTolerance);
  if (active !== true || !isNow || !isSupported(token_type, cnf)) {
    return { ok: false, problem: "invalid" };
  }
  if (exp !== undefined && exp <= now - clockTolerance) {
    return { ok: false, problem: "expired" };
  }
  const accepted = new Set<unknown>([audience].flat());
  const isForUs = aud === undefined
    ? allowMissingAudience
    : [aud].flat().some((one) => accepted.has(one));
  if (!isForUs) return { ok: false, problem: "audience" };
  return checkClaims({ ...body, iss }, issuer, now + clockTolerance);
}

/**
 * Returns `true` for bearer tokens, and for tokens of the type `DPoP` with the
 * member `cnf`, by which the scheme checks their key. Without it, a stolen
 * token would pass as a bearer token.
 */
function isSupported(type: unknown, cnf: unknown): boolean {
  if (type === undefined) return true;
  return typeof type === "string" &&
    (/^bearer$/i.test(type) || /^dpop$/i.test(type) && cnf !== undefined);
}
