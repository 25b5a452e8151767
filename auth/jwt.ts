/**
 * Access tokens that an issuer signs, such as an identity provider for APIs.
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
import { createIssuerKeys } from "./_issuer_keys.ts";
import { isSecureURL } from "./external/_bounded_fetch.ts";
import type { ExternalAuthCache } from "./external/_cached_document.ts";
import {
  ASYMMETRIC_ALGORITHMS,
  claimsOf,
  verifyWithKeys,
} from "./external/_id_token.ts";
import { type JWTVerification, mediaType } from "./external/_jwt.ts";
import { createTransport, readLimits } from "./external/_transport.ts";
import { ExternalAuthError } from "./external/errors.ts";
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

export type { ExternalAuthCache };

/** The claims of an access token that is believed. */
export interface AccessTokenClaims {
  /** The issuer. */
  readonly iss: string;
  /** Who the user is, to this issuer. Key users by both. */
  readonly sub: string;
  /** Whatever else the token says. Look at the type of what you use. */
  readonly [claim: string]: unknown;
}

/** Options for {@linkcode createJWTAuthScheme}. */
export interface JWTAuthSchemeOptions<User extends AuthenticatedUser> {
  /** What the scheme is called. It is the realm of its challenge. */
  readonly name: string;

  /** Who signs the tokens: a URL, exactly as the tokens name it. */
  readonly issuer: string;

  /** What the tokens must be meant for: the name of this API. */
  readonly audience: string;

  /**
   * Tells whose token it is. Look at scopes and rights here, or behind it.
   *
   * @param claims The claims, which are true.
   * @returns The user, or `null` for a token that opens nothing here.
   */
  readonly verify: (
    claims: AccessTokenClaims,
  ) => User | null | Promise<User | null>;

  /**
   * What the header `typ` of the tokens says, in any case, with or without
   * `application/` in front. With another than the default, the claims
   * `client_id`, `iat` and `jti` are not required either, which issuers leave
   * out that do not know RFC 9068.
   *
   * Trust: then only the audience tells an access token from an ID token.
   *
   * @default {"at+jwt"}
   */
  readonly type?: string;

  /**
   * The algorithms that tokens may be signed with. None that is symmetric is
   * ever accepted.
   *
   * @default {RSA, RSA-PSS, ECDSA and EdDSA of all sizes}
   */
  readonly algorithms?: readonly string[];

  /**
   * Where the issuer's keys are; with it nothing is discovered.
   *
   * @default {undefined}
   */
  readonly jwksUri?: string;

  /**
   * How far the issuer's clock may be off, in seconds.
   *
   * @default {30}
   */
  readonly clockTolerance?: number;

  /**
   * How long a request to the issuer may take, in milliseconds.
   *
   * @default {10_000}
   */
  readonly timeout?: number;

  /**
   * How large an answer of the issuer may be, decompressed.
   *
   * @default {262_144}
   */
  readonly maxResponseBytes?: number;

  /**
   * Whether an issuer on this very machine may be spoken to by http.
   *
   * Trust: for development and tests alone.
   *
   * @default {false}
   */
  readonly allowInsecureLoopback?: boolean;

  /**
   * Makes the requests to the issuer.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;

  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;

  /**
   * Keeps the issuer's metadata and keys beyond the process.
   *
   * @default {undefined}
   */
  readonly cache?: ExternalAuthCache;

  /**
   * Is told why the issuer's keys could not be had, once for each time that it
   * was asked.
   *
   * @default {console.error}
   */
  readonly onError?: (error: ExternalAuthError) => void;
}

/** What every token must say, and what RFC 9068, section 2.2 asks for besides. */
const requiredClaims = ["iss", "sub", "aud", "exp"];
const requiredByProfile = [...requiredClaims, "iat", "client_id", "jti"];

/**
 * Creates a scheme for access tokens in `Authorization: Bearer` headers that an
 * issuer has signed, by RFC 9068.
 *
 * A token is believed when its signature is of a key that the issuer publishes,
 * by an asymmetric algorithm; its type, issuer and audience are the ones
 * configured; and its time is now. Its own header names no key that would be
 * fetched.
 *
 * Where the issuer's keys can't be had, tokens are refused, the schemes behind
 * are asked, and `onError` is told: anybody can make up a token of this issuer,
 * and must not cause a server error with it. The issuer is asked again after
 * five seconds, and one request alone waits for its answer then.
 *
 * Trust: a token works until it expires, whatever happens to its user. Let
 * tokens live for minutes, or look the user up in `verify`.
 *
 * @example Who may come in
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
 * @typeParam User What `verify` returns.
 * @param options Whom to trust, and who the user is.
 * @returns The scheme, for `auth`.
 * @throws {TypeError} If an option can't be right.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 | RFC 9068, validating JWT access tokens}
 */
export function createJWTAuthScheme<User extends AuthenticatedUser>(
  options: JWTAuthSchemeOptions<User>,
): AuthScheme<User> {
  const { name, verify } = options;
  const believe = createBelief(options);
  return {
    name,
    async authenticate({ request }) {
      const token = readBearerToken(request);
      if (token === null) return absent;
      const claims = await believe(token);
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

/** Makes what tells the claims of a token, or `null`. */
function createBelief<User extends AuthenticatedUser>(
  options: JWTAuthSchemeOptions<User>,
): (token: string) => Promise<AccessTokenClaims | null> {
  const { audience, issuer, now = Date.now } = options;
  const { onError = console.error } = options;
  checkOptions(options);
  const limits = readLimits(options, `the auth scheme "${options.name}"`);
  const transport = createTransport(options, limits);
  const type = mediaType(options.type ?? "at+jwt");
  const keys = createIssuerKeys({ ...options, now }, transport);
  const expectation = {
    algorithms: options.algorithms ?? ASYMMETRIC_ALGORITHMS,
    audience,
    types: [type],
    requiredClaims: type === "at+jwt" ? requiredByProfile : requiredClaims,
    clockTolerance: limits.clockTolerance,
  };
  let reported: unknown;

  async function verify(token: string): Promise<JWTVerification | null> {
    try {
      const options = { ...expectation, now: now() };
      return await verifyWithKeys(token, await keys(), {}, options);
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      // One failure can be that of many requests.
      if (error !== reported) onError(error);
      reported = error;
      return null;
    }
  }

  return async (token) => {
    // What is not of this issuer is not worth a request to it.
    if (claimsOf(token).iss !== issuer) return null;
    const verification = await verify(token);
    if (!verification?.ok) return null;
    const { iat, iss, sub } = verification.claims;
    const latest = now() / 1000 + limits.clockTolerance;
    // With a time of issue ahead, a token outlives what its issuer revokes.
    const isIssued = iat === undefined ||
      typeof iat === "number" && iat <= latest;
    return isIssued && iss === issuer && typeof sub === "string" && sub !== ""
      ? verification.claims as AccessTokenClaims
      : null;
  };
}

function checkOptions<User extends AuthenticatedUser>(
  options: JWTAuthSchemeOptions<User>,
): void {
  const { algorithms = [], allowInsecureLoopback = false } = options;
  const { audience, issuer, jwksUri, name, type = "" } = options;
  checkName(name);
  const refuse = (state: string) => {
    throw new TypeError(`Cannot create the auth scheme "${name}": ${state}`);
  };
  for (const [option, value] of Object.entries({ issuer, jwksUri })) {
    if (value === undefined && option === "jwksUri") continue;
    const url = typeof value === "string" ? URL.parse(value) : null;
    if (url === null || !isSecureURL(url, allowInsecureLoopback)) {
      refuse(`${option} is not an https URL`);
    }
  }
  if (typeof audience !== "string" || audience === "") {
    // Without one, tokens for any other API would do (ASVS 5.0, 9.2.3).
    refuse("it needs an audience");
  }
  if (typeof type !== "string") refuse("type is not a text");
  const unknown = algorithms.find((one) =>
    !ASYMMETRIC_ALGORITHMS.includes(one)
  );
  if (unknown !== undefined || options.algorithms?.length === 0) {
    refuse(`algorithm "${unknown ?? ""}" is not an asymmetric one`);
  }
}
