import {
  type AccessTokenClaims,
  createAccessTokenVerifier,
  decodeClaims,
  type ExternalAuthError,
  type IssuerOptions,
} from "../issuer/mod.ts";
import type { AuthenticatedUser } from "../login/user_keys.ts";
import { readCredentials } from "../middleware/bearer_token_scheme.ts";
import {
  absent,
  type AuthScheme,
  checkName,
  outcomeOf,
} from "../middleware/scheme.ts";
import {
  createTokenBinding,
  type DPoPOptions,
} from "../middleware/token_binding.ts";
import { factsOf } from "./token_facts.ts";

/** Options for {@linkcode createJWTAuthScheme}. */
export interface JWTAuthSchemeOptions<User extends AuthenticatedUser>
  extends IssuerOptions, DPoPOptions {
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
   * Returns the scopes of a token, for example if the issuer puts permissions into
   * another claim.
   *
   * @param claims The verified claims.
   * @default {those of the claim `scope`, or `scp`}
   */
  readonly tokenScopes?: (claims: AccessTokenClaims) => readonly string[];

  /**
   * The header `typ` of the tokens, in upper or lower case, with or without
   * `application/`. With a value other than the default, the claims
   * `client_id`, `iat` and `jti` are optional. Issuers that do not support RFC
   * 9068 leave them out. `""` is for tokens without `typ`.
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

/**
 * Creates a scheme for access tokens in `Authorization` headers that an issuer has
 * signed, by RFC 9068.
 *
 * A token is valid if a key that the issuer publishes has signed it with an
 * asymmetric algorithm, its type, issuer and audience are the configured ones,
 * and it has not expired. Keys in the token's header are ignored. A token that is
 * bound to a key of the client (claim `cnf`) needs the option `dpop` and a proof.
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
 * import { createJWTAuthScheme } from "@gatehouse/web/auth/access-tokens";
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
  const { issuer, name, tokenScopes, verify } = options;
  checkName(name);
  const owner = `the auth scheme "${name}"`;
  const verifyToken = createAccessTokenVerifier(options, owner);
  const binding = createTokenBinding(options, owner);
  return {
    name,
    security: { type: "http", scheme: binding.scheme, bearerFormat: "JWT" },
    async authenticate(context) {
      const credentials = readCredentials(context.request);
      if (credentials === null) return absent;
      const { token } = credentials;
      // A token of another issuer must not cause a request.
      if (decodeClaims(token).iss !== issuer) return { status: "refused" };
      const verification = await verifyToken(token);
      if (!verification.ok) return { status: "refused" };
      const { claims } = verification;
      const checked = await binding.check(context, credentials, claims.cnf);
      if (checked.status === "refused") return checked;
      const { headers } = checked;
      return outcomeOf(await verify(claims), {
        ...factsOf(claims, tokenScopes),
        headers,
      });
    },
    challenge: (reason, details) =>
      binding.challenge({ realm: name }, reason, details),
  };
}
