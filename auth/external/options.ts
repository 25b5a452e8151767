import type { DPoPBinding } from "../dpop/mod.ts";
import type { ExternalAuthError, IssuerOptions } from "../issuer/mod.ts";
import type { ProviderMetadata } from "../issuer/mod.ts";
import type { ClientPrivateKey } from "./client_authentication.ts";

/** The method of client authentication. */
export type ClientAuthentication =
  | "basic"
  | "post"
  | "private_key_jwt"
  | "none";

/** Options that may differ between logins. */
export interface AuthorizationOptions {
  /**
   * The prompt that the provider should show: `login`, `consent`,
   * `select_account`, or `none`.
   *
   * @default {undefined}
   */
  readonly prompt?: string;
  /**
   * The email address or account name to suggest to the user.
   *
   * @default {undefined}
   */
  readonly loginHint?: string;
  /**
   * The maximum age of the user's authentication, in seconds. The login fails
   * unless the ID token proves it. For OpenID Connect only.
   *
   * @default {undefined}
   */
  readonly maxAge?: number;
  /**
   * The preferred authentication methods, the best first. Providers may ignore
   * them: check the claim `acr` of the result if it matters.
   *
   * @default {undefined}
   */
  readonly acrValues?: readonly string[];
}

/** Options of all external providers. */
export interface ExternalAuthProviderOptions
  extends AuthorizationOptions, IssuerOptions {
  /** The application's id at the provider. */
  readonly clientId: string;
  /**
   * The application's secret at the provider. It is optional only if
   * `clientAuthentication` is `"none"` or `"private_key_jwt"`.
   *
   * @default {undefined}
   */
  readonly clientSecret?: string;
  /** The URL of the callback, exactly as registered at the provider. */
  readonly redirectUri: string;
  /**
   * The permissions that the application requests.
   *
   * @default {the provider's}
   */
  readonly scopes?: readonly string[];
  /**
   * The method of client authentication.
   *
   * @default {the first of basic, post and none that the provider supports}
   */
  readonly clientAuthentication?: ClientAuthentication;
  /**
   * The key for `private_key_jwt`.
   *
   * @default {undefined}
   */
  readonly privateKey?: ClientPrivateKey;
  /**
   * Further parameters of the authorization request, such as `audience`.
   * Parameters that the library sets throw a TypeError.
   *
   * @default {no parameters}
   */
  readonly authorizationParams?: Readonly<Record<string, string>>;
  /**
   * Pushes the authorization request (RFC 9126) even if the provider does not
   * require it.
   *
   * @default {false}
   */
  readonly pushedAuthorization?: boolean;
  /**
   * The form of the provider's response: the query of the callback, or a form
   * that the browser posts. `form_post` requires
   * {@linkcode externalAuthCallbacks} before the session middleware.
   *
   * @default {"query"}
   */
  readonly responseMode?: "query" | "form_post";
  /**
   * The secret that seals the response of `form_post` in the browser: at least
   * 32 random characters. Required for clients without a secret.
   *
   * @default {the client's secret}
   */
  readonly formPostSecret?: string;
  /**
   * Binds the tokens to a key of each login (RFC 9449), with `createDPoPBinding()`
   * of `@gatehouse/web/auth/access-tokens`. `tokens.dpopKey` has the key. The login fails
   * if the provider returns tokens that are not bound.
   *
   * @default {undefined}
   */
  readonly dpop?: DPoPBinding;
  /**
   * Receives the reason if a login cannot start or finish, for the log.
   *
   * @default {undefined}
   */
  readonly onError?: (error: ExternalAuthError) => void;
}

/** Options of OpenID providers. */
export interface OIDCOptions extends ExternalAuthProviderOptions {
  /**
   * The provider's metadata. Without it, the library discovers the metadata.
   *
   * @default {undefined}
   */
  readonly metadata?: ProviderMetadata;
  /**
   * `true` if the provider honors `max_age` and sends `auth_time`. Only the
   * provider's `canReauthenticate` depends on it: a login with `maxAge` fails
   * without `auth_time`, whatever this option says.
   *
   * @default {true; false for Google and Microsoft Entra ID}
   */
  readonly canReauthenticate?: boolean;
  /**
   * Requests the userinfo endpoint too, if the provider has one.
   *
   * @default {true}
   */
  readonly userinfo?: boolean;
  /**
   * The allowed signature algorithms of ID tokens. Symmetric ones are never
   * allowed.
   *
   * @default {those in the provider's metadata}
   */
  readonly idTokenAlgorithms?: readonly string[];
  /**
   * Further audiences that ID tokens may name.
   *
   * @default {[]}
   */
  readonly trustedAudiences?: readonly string[];
}
