import type { Middleware, SecurityScheme } from "../../../router/mod.ts";
import type {
  AccessTokenClaims,
  ExternalAuthError,
  IssuerOptions,
} from "../../issuer/mod.ts";
import type { AuthenticatedUser } from "../../login/user_keys.ts";
import type { Guard } from "../../middleware/guard.ts";
import type { AuthScheme } from "../../middleware/scheme.ts";
import type { DPoPOptions } from "../../middleware/token_binding.ts";
import type { TokenIntrospection } from "../introspection/options.ts";

/** An issuer whose access tokens a resource accepts. */
export interface TokenIssuer {
  /** The issuer: a URL, exactly as in the claim `iss`. */
  readonly issuer: string;

  /**
   * The audience of the tokens, if it is not the URL of the resource. Some issuers
   * use a client id.
   *
   * @default {the URL of the resource}
   */
  readonly audience?: string;

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
   * Asks the issuer about its tokens, instead of verifying their signatures: for
   * opaque tokens. Only one issuer of a resource can have it, because opaque
   * tokens do not name their issuer.
   *
   * @default {undefined}
   */
  readonly introspection?: TokenIntrospection;
}

/**
 * Members of the metadata for the people who write clients, under the names of the
 * standard.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-2 | RFC 9728, section 2}
 */
export interface ResourceMetadata {
  /**
   * The name of the resource, for users.
   *
   * @default {undefined}
   */
  readonly "resource_name"?: string;
  /**
   * The URL of the documentation.
   *
   * @default {undefined}
   */
  readonly "resource_documentation"?: string;
  /**
   * The URL of the rules for the use of the data.
   *
   * @default {undefined}
   */
  readonly "resource_policy_uri"?: string;
  /**
   * The URL of the terms of service.
   *
   * @default {undefined}
   */
  readonly "resource_tos_uri"?: string;
}

/** Options for {@linkcode createResourceServer}. */
export interface ResourceServerOptions<
  User extends AuthenticatedUser,
  Scope extends string,
> extends IssuerOptions, DPoPOptions {
  /** The name of the scheme, which is the realm of its challenges. */
  readonly name: string;

  /**
   * The URL of the resource, as its clients know it. It is the audience that
   * tokens must have (RFC 8707).
   */
  readonly resource: string;

  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly [TokenIssuer, ...TokenIssuer[]];

  /**
   * The scopes of the resource, for the metadata and for `requireScope`.
   *
   * @default {any string, none in the metadata}
   */
  readonly scopes?: readonly Scope[];

  /**
   * Returns the user of a token.
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
   * The description of the tokens for OpenAPI documents, such as the flows of OAuth
   * 2.0.
   *
   * @default {an HTTP scheme, bearer or DPoP}
   */
  readonly security?: SecurityScheme;

  /**
   * Other members of the metadata.
   *
   * @default {no other members}
   */
  readonly metadata?: ResourceMetadata;

  /**
   * Receives the reason if an issuer is unavailable, once for each failed request.
   *
   * @default {console.error}
   */
  readonly onError?: (error: ExternalAuthError) => void;
}

/** A protected resource. */
export interface ResourceServer<
  User extends AuthenticatedUser,
  Scope extends string,
> {
  /** The scheme for its tokens, for `auth`. */
  readonly scheme: AuthScheme<User>;

  /**
   * Serves the metadata at `/.well-known/oauth-protected-resource`, with and
   * without the path of the resource, to scripts of all origins. Put it first
   * in the middleware of the outermost router: the paths are those of the host.
   */
  readonly metadata: Middleware<readonly []>;

  /** The URL of the metadata, which the challenges contain. */
  readonly metadataUrl: string;

  /**
   * Creates a middleware that requires all of the given scopes, see `requireScope`
   * of `@gatehouse/web/auth-middleware`.
   *
   * @param scopes The required scopes.
   */
  readonly requireScope: (...scopes: readonly [Scope, ...Scope[]]) => Guard;
}
