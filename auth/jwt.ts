/**
 * Verifies access tokens that an identity provider signs.
 *
 * @example An API that trusts an issuer
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { auth, requireAuth } from "@gatehouse/web/auth-middleware";
 * import { createJWTAuthScheme } from "@gatehouse/web/auth/jwt";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const tokens = createJWTAuthScheme({
 *   name: "api",
 *   issuer: "https://id.example",
 *   audience: "https://api.example",
 *   verify: ({ sub, scope }) => ({ id: sub, scope }),
 * });
 * const router = createRouter({
 *   middleware: [auth({ schemes: [tokens] }), requireAuth()],
 * });
 *
 * const response = await router.fetch("https://api.example/");
 * assertEquals(response.headers.get("WWW-Authenticate"), 'Bearer realm="api"');
 * ```
 *
 * @module
 */
import {
  ASYMMETRIC_ALGORITHMS,
  decodeClaims,
  type ExternalAuthCache,
  ExternalAuthError,
  isSecureURL,
  type IssuerOptions,
  keysOfIssuer,
  normalizeType,
  resolveIssuerOptions,
  verifyWithKeys,
} from "./issuer/mod.ts";
import type { AuthenticatedUser } from "./middleware/auth_key.ts";
import {
  bearerChallenge,
  readBearerToken,
} from "./middleware/bearer_token_scheme.ts";
import {
  absent,
  type AuthScheme,
  checkName,
  outcomeOf,
} from "./middleware/scheme.ts";

export type { ExternalAuthCache, IssuerOptions };

/** The claims of a verified access token. */
export interface AccessTokenClaims {
  /** The issuer. */
  readonly iss: string;
  /** The user's id at the issuer. Identify users by issuer and `sub`. */
  readonly sub: string;
  /** Other claims. Check the type of those that you use. */
  readonly [claim: string]: unknown;
}

/** Options for {@linkcode createJWTAuthScheme}. */
export interface JWTAuthSchemeOptions<User extends AuthenticatedUser>
  extends IssuerOptions {
  /** The name of the scheme, which is the realm of its challenge. */
  readonly name: string;

  /** The issuer of the tokens: a URL, exactly as in the claim `iss`. */
  readonly issuer: string;

  /** The name of this API, which the claim `aud` must contain. */
  readonly audience: string;

  /**
   * Returns the user of a token. Check scopes and permissions here or later.
   *
   * @param claims The verified claims.
   * @returns The user, or `null` to reject the token.
   */
  readonly verify: (
    claims: AccessTokenClaims,
  ) => User | null | Promise<User | null>;

  /**
   * The header `typ` of the tokens, in any case, with or without `application/`.
   * With another value than the default, the claims `client_id`, `iat` and `jti`
   * are optional. Issuers that do not support RFC 9068 leave them out.
   *
   * Trust: then only the audience distinguishes access tokens from ID tokens.
   *
   * @default {"at+jwt"}
   */
  readonly type?: string;

  /**
   * The allowed signature algorithms. Symmetric ones are never allowed.
   *
   * @default {RSA, RSA-PSS, ECDSA and EdDSA of all sizes}
   */
  readonly algorithms?: readonly string[];

  /**
   * The URL of the issuer's keys. Without it, the library discovers the URL.
   *
   * @default {undefined}
   */
  readonly jwksUri?: string;

  /**
   * Receives the reason if the issuer's keys are unavailable, once for each
   * failed request.
   *
   * @default {console.error}
   */
  readonly onError?: (error: ExternalAuthError) => void;
}

/** The claims that all tokens must have, and those of RFC 9068, section 2.2. */
const requiredClaims = ["iss", "sub", "aud", "exp"];
const requiredByProfile = [...requiredClaims, "iat", "client_id", "jti"];

/**
 * Creates a scheme for access tokens in `Authorization: Bearer` headers that an
 * issuer has signed, by RFC 9068.
 *
 * A token is valid if a key that the issuer publishes has signed it with an
 * asymmetric algorithm, its type, issuer and audience are the configured ones,
 * and it has not expired. Keys in the token's header are ignored.
 *
 * If the issuer's keys are unavailable, the scheme rejects the token and calls
 * `onError`, and `auth` tries the next scheme. It is not a server error, because
 * anyone can send such a token. After five seconds the next request tries to
 * fetch the keys again. Concurrent requests do not wait for it.
 *
 * Trust: a token works until it expires, even if its user is deleted or locked.
 * Use tokens that expire after minutes, or check the user in `verify`.
 *
 * @example Rejecting a malformed token
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createJWTAuthScheme } from "@gatehouse/web/auth/jwt";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const scheme = createJWTAuthScheme({
 *   name: "api",
 *   issuer: "https://id.example",
 *   audience: "https://api.example",
 *   verify: ({ sub }) => ({ id: sub }),
 * });
 * const request = new Request("https://api.example/", {
 *   headers: { Authorization: "Bearer not-a-jwt" },
 * });
 * assertEquals(await scheme.authenticate(new RequestContext(request)), {
 *   status: "refused",
 * });
 * ```
 *
 * @typeParam User The type of the user.
 * @param options The issuer, the audience and the user.
 * @returns The scheme, for `auth`.
 * @throws {TypeError} If an option is invalid.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 | RFC 9068, validating JWT access tokens}
 */
export function createJWTAuthScheme<User extends AuthenticatedUser>(
  options: JWTAuthSchemeOptions<User>,
): AuthScheme<User> {
  const { name, verify } = options;
  const verifyToken = createTokenVerifier(options);
  return {
    name,
    async authenticate({ request }) {
      const token = readBearerToken(request);
      if (token === null) return absent;
      const claims = await verifyToken(token);
      if (claims === null) return { status: "refused" };
      const { auth_time } = claims;
      return outcomeOf(
        await verify(claims),
        typeof auth_time === "number" ? auth_time * 1000 : undefined,
      );
    },
    challenge: (reason, maxAge) => bearerChallenge(name, reason, maxAge),
  };
}

/**
 * Creates a function that verifies a token and returns its claims, or `null` if
 * it is invalid.
 */
function createTokenVerifier<User extends AuthenticatedUser>(
  options: JWTAuthSchemeOptions<User>,
): (token: string) => Promise<AccessTokenClaims | null> {
  const { issuer, onError = console.error } = options;
  checkOptions(options);
  const name = `the auth scheme "${options.name}"`;
  const resolved = resolveIssuerOptions(options, name);
  const { clockTolerance, now } = resolved;
  const keys = keysOfIssuer(issuer, options.jwksUri, resolved);
  const expectation = { ...createExpectation(options), clockTolerance };
  let reported: unknown;

  async function verify(token: string) {
    try {
      const expected = { ...expectation, now: now() };
      return await verifyWithKeys(token, await keys(), expected);
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      // Many requests fail with the same error.
      if (error !== reported) onError(error);
      reported = error;
      return null;
    }
  }

  return async (token) => {
    // A token of another issuer must not cause a request.
    if (decodeClaims(token).iss !== issuer) return null;
    const verification = await verify(token);
    if (!verification?.ok) return null;
    const { claims } = verification;
    const latest = now() / 1000 + clockTolerance;
    return claims.iss === issuer && hasSubject(claims) &&
        isIssued(claims, latest)
      ? claims
      : null;
  };
}

function createExpectation<User extends AuthenticatedUser>({
  algorithms = ASYMMETRIC_ALGORITHMS,
  audience,
  type = "at+jwt",
}: JWTAuthSchemeOptions<User>) {
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

function hasSubject(
  claims: Readonly<Record<string, unknown>>,
): claims is AccessTokenClaims {
  return typeof claims.sub === "string" && claims.sub !== "";
}

/** Rejects tokens from the future: they would outlive a revocation. */
function isIssued({ iat }: AccessTokenClaims, latest: number): boolean {
  return iat === undefined || typeof iat === "number" && iat <= latest;
}

function checkOptions<User extends AuthenticatedUser>(
  options: JWTAuthSchemeOptions<User>,
): void {
  const { algorithms = [], allowInsecureLoopback = false } = options;
  const { audience, issuer, jwksUri, name, type = "" } = options;
  checkName(name);
  const fail = (reason: string) => {
    throw new TypeError(`Cannot create the auth scheme "${name}": ${reason}`);
  };
  for (const [option, value] of Object.entries({ issuer, jwksUri })) {
    if (value === undefined && option === "jwksUri") continue;
    const url = typeof value === "string" ? URL.parse(value) : null;
    if (url === null || !isSecureURL(url, allowInsecureLoopback)) {
      fail(`${option} is not an https URL`);
    }
  }
  if (typeof audience !== "string" || audience === "") {
    // Without it, tokens for any other API would pass (ASVS 5.0, 9.2.3).
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
