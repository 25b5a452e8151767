import type { AuthenticatedUser } from "./auth_key.ts";
import {
  absent,
  type AuthScheme,
  type ChallengeReason,
  checkName,
  outcomeOf,
} from "./scheme.ts";

/** Options for {@linkcode createBearerTokenAuthScheme}. */
export interface BearerTokenAuthSchemeOptions<User extends AuthenticatedUser> {
  /** What the scheme is called. It is the realm of its challenge. */
  readonly name: string;

  /**
   * Tells whose token it is. Keep hashes of tokens only, and look up the hash.
   *
   * @param token The token, well-formed but not to be trusted.
   * @returns The user, or `null` for a token that is unknown or expired.
   */
  readonly verify: (token: string) => User | null | Promise<User | null>;
}

/** Longer tokens are no credentials. The largest JWTs in use are half of it. */
const longest = 16_384;

/** One scheme, one token (RFC 6750, section 2.1; the scheme in any case). */
const credentials = /^bearer +([\w.~+/-]+=*)$/i;

/**
 * What went wrong (RFC 6750, section 3.1, and RFC 9470, section 3). Without
 * credentials there is no error.
 */
const errors: Record<ChallengeReason, string> = {
  absent: "",
  refused: ', error="invalid_token"',
  insufficient: ', error="insufficient_scope"',
  stale: ', error="insufficient_user_authentication"',
};

/**
 * Creates a scheme for `Authorization: Bearer` headers.
 *
 * A malformed header is no credentials, as is a second one.
 *
 * @example Tokens in a map
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createBearerTokenAuthScheme } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const users = new Map([["t0ken", { id: 1 }]]);
 * const scheme = createBearerTokenAuthScheme({
 *   name: "tokens",
 *   verify: (token) => users.get(token) ?? null,
 * });
 * const request = new Request("https://example.com/", {
 *   headers: { Authorization: "Bearer t0ken" },
 * });
 *
 * assertEquals(await scheme.authenticate(new RequestContext(request)), {
 *   status: "authenticated",
 *   user: { id: 1 },
 * });
 * ```
 *
 * @typeParam User What `verify` returns.
 * @param options How to verify a token.
 * @returns The scheme.
 * @throws {TypeError} If the name cannot stand in a challenge.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2.1 | RFC 6750, Authorization Request Header Field}
 */
export function createBearerTokenAuthScheme<User extends AuthenticatedUser>(
  options: BearerTokenAuthSchemeOptions<User>,
): AuthScheme<User> {
  const { name, verify } = options;
  checkName(name);
  return {
    name,
    async authenticate(context) {
      const token = readBearerToken(context.request);
      return token === null ? absent : outcomeOf(await verify(token));
    },
    challenge: (reason, maxAge) => bearerChallenge(name, reason, maxAge),
  };
}

/** The challenge of a scheme that wants bearer tokens. */
export function bearerChallenge(
  realm: string,
  reason: ChallengeReason,
  maxAge?: number,
): string {
  const age = maxAge === undefined ? "" : `, max_age="${maxAge}"`;
  return `Bearer realm="${realm}"${errors[reason]}${age}`;
}

/** The bearer token of a request, or `null` where there is no well-formed one. */
export function readBearerToken(request: Request): string | null {
  const header = request.headers.get("Authorization");
  if (header === null || header.length > longest) return null;
  return credentials.exec(header)?.[1] ?? null;
}
