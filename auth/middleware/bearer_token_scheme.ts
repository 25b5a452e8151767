import type { AuthenticatedUser } from "../login/user_keys.ts";
import {
  absent,
  type AuthScheme,
  type ChallengeDetails,
  type ChallengeReason,
  checkName,
  outcomeOf,
} from "./scheme.ts";

/** Options for {@linkcode createBearerTokenAuthScheme}. */
export interface BearerTokenAuthSchemeOptions<User extends AuthenticatedUser> {
  /** The name of the scheme, which is the realm of its challenge. */
  readonly name: string;

  /**
   * Returns the user of a token. Store only hashes of tokens, and look up the
   * hash.
   *
   * @param token The token from the client, well-formed but not trusted.
   * @returns The user, or `null` for a token that is unknown or expired.
   */
  readonly verify: (token: string) => User | null | Promise<User | null>;
}

/** The longest header that is read. The largest JWTs in use are half as long. */
const MAX_LENGTH = 16_384;

/**
 * The scheme in upper or lower case, and one token (RFC 6750, 2.1, and RFC
 * 9449, 7.1).
 */
const CREDENTIALS = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;

/**
 * The error of each challenge (RFC 6750, section 3.1, and RFC 9470, section 3).
 * Missing credentials are not an error.
 */
const ERRORS: Readonly<Record<ChallengeReason, string | undefined>> = {
  absent: undefined,
  refused: "invalid_token",
  insufficient: "insufficient_scope",
  stale: "insufficient_user_authentication",
};

/**
 * Creates a scheme for `Authorization: Bearer` headers.
 *
 * It ignores malformed headers and requests with several of them.
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
 * @typeParam User The return type of `verify`.
 * @param options The function that verifies a token.
 * @returns The scheme.
 * @throws {TypeError} If a challenge cannot contain the name.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-2.1 | RFC 6750, Authorization Request Header Field}
 */
export function createBearerTokenAuthScheme<User extends AuthenticatedUser>(
  options: BearerTokenAuthSchemeOptions<User>,
): AuthScheme<User> {
  const { name, verify } = options;
  checkName(name);
  return {
    name,
    security: { type: "http", scheme: "bearer" },
    async authenticate(context) {
      const credentials = readCredentials(context.request);
      return credentials?.type === "Bearer"
        ? outcomeOf(await verify(credentials.token))
        : absent;
    },
    challenge: (reason, details) =>
      tokenChallenge("Bearer", { realm: name }, reason, details),
  };
}

/**
 * Creates the challenge of a scheme for tokens.
 *
 * @param type The name of the scheme in HTTP, such as `Bearer`.
 * @param parameters The parameters that do not depend on the request.
 */
export function tokenChallenge(
  type: string,
  parameters: Readonly<Record<string, string>>,
  reason: ChallengeReason,
  details: ChallengeDetails = {},
): string {
  const { acrValues, description, error, maxAge, scopes } = details;
  const all = {
    ...parameters,
    scope: scopes?.join(" "),
    error: error ?? ERRORS[reason],
    error_description: description,
    max_age: maxAge,
    acr_values: acrValues?.join(" "),
  };
  const pairs = Object.entries(all).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${quotable(String(value))}"`);
  return `${type} ${pairs.join(", ")}`;
}

/** Replaces the characters that a parameter cannot contain (RFC 6750, 3). */
function quotable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
}

/** A token in an `Authorization` header. */
export interface TokenCredentials {
  readonly type: "Bearer" | "DPoP";
  readonly token: string;
}

/** Returns the token of a request, or `null` if it is missing or malformed. */
export function readCredentials(request: Request): TokenCredentials | null {
  const header = request.headers.get("Authorization");
  if (header === null || header.length > MAX_LENGTH) return null;
  const [, type = "", token = ""] = CREDENTIALS.exec(header) ?? [];
  if (token === "") return null;
  return { type: type.length === 4 ? "DPoP" : "Bearer", token };
}
