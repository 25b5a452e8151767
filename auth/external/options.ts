import type { ExternalAuthCache } from "./_cached_document.ts";
import type { ClientPrivateKey } from "./_client_authentication.ts";
import type { ExternalAuthError } from "./errors.ts";
import type { ProviderMetadata } from "./metadata.ts";

export type { ExternalAuthCache };

/** How a client proves to a provider who it is. */
export type ClientAuthentication =
  | "basic"
  | "post"
  | "private_key_jwt"
  | "none";

/** What may differ from one login to the next. */
export interface AuthorizationOptions {
  /**
   * What the provider should ask of the user: `login`, `consent`,
   * `select_account`, or `none` to ask nothing.
   *
   * @default {undefined}
   */
  readonly prompt?: string;
  /**
   * Whom to suggest: an e-mail address or account name.
   *
   * @default {undefined}
   */
  readonly loginHint?: string;
  /**
   * How long ago the user may have authenticated, in seconds. The login fails
   * unless the ID token proves it. For OpenID Connect only.
   *
   * @default {undefined}
   */
  readonly maxAge?: number;
  /**
   * How the user should authenticate, the best first. Providers may do
   * otherwise: read the claim `acr` of the result where it matters.
   *
   * @default {undefined}
   */
  readonly acrValues?: readonly string[];
}

/** What all external providers take. */
export interface ExternalAuthProviderOptions extends AuthorizationOptions {
  /** The id that the provider gave the application. */
  readonly clientId: string;
  /**
   * The secret that the provider gave the application. To be left out only with
   * `clientAuthentication` `"none"` or `"private_key_jwt"`.
   *
   * @default {undefined}
   */
  readonly clientSecret?: string;
  /** Where the provider sends the user back to, exactly as registered there. */
  readonly redirectUri: string;
  /**
   * What the application asks to know or to do.
   *
   * @default {the provider's}
   */
  readonly scopes?: readonly string[];
  /**
   * How the application authenticates.
   *
   * @default {the first of basic, post and none that the provider offers}
   */
  readonly clientAuthentication?: ClientAuthentication;
  /**
   * The key for `private_key_jwt`.
   *
   * @default {undefined}
   */
  readonly privateKey?: ClientPrivateKey;
  /**
   * Further parameters of the authorization request, such as `audience`. Those
   * that the login itself depends on are refused.
   *
   * @default {{}}
   */
  readonly authorizationParams?: Readonly<Record<string, string>>;
  /**
   * Whether to push the authorization request (RFC 9126) also where the
   * provider does not require it.
   *
   * @default {false}
   */
  readonly pushedAuthorization?: boolean;
  /**
   * How the provider sends the answer: in the callback's query, or as a form
   * that the browser posts. For `form_post` put
   * {@linkcode externalAuthCallbacks} in front of the session.
   *
   * @default {"query"}
   */
  readonly responseMode?: "query" | "form_post";
  /**
   * Seals the answer of `form_post` on its way through the browser; at least 32
   * random characters. Needed by clients without a secret.
   *
   * @default {the client's secret}
   */
  readonly formPostSecret?: string;
  /**
   * How far the provider's clock may be off, in seconds.
   *
   * @default {30}
   */
  readonly clockTolerance?: number;
  /**
   * How long a request to the provider may take, in milliseconds.
   *
   * @default {10_000}
   */
  readonly timeout?: number;
  /**
   * How large an answer of the provider may be, decompressed.
   *
   * @default {262_144}
   */
  readonly maxResponseBytes?: number;
  /**
   * Whether a provider on this very machine may be spoken to by http.
   *
   * Trust: for development and tests alone.
   *
   * @default {false}
   */
  readonly allowInsecureLoopback?: boolean;
  /**
   * Makes the requests to the provider.
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
   * Keeps the provider's metadata and keys beyond the process.
   *
   * @default {undefined}
   */
  readonly cache?: ExternalAuthCache;
  /**
   * Is told why a login could not start or finish, for the log.
   *
   * @default {undefined}
   */
  readonly onError?: (error: ExternalAuthError) => void;
}

/** What providers of OpenID Connect take besides. */
export interface OIDCOptions extends ExternalAuthProviderOptions {
  /**
   * What the provider says of itself; with it nothing is discovered.
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
   * Whether to ask the userinfo endpoint too, where the provider has one.
   *
   * @default {true}
   */
  readonly userinfo?: boolean;
  /**
   * The algorithms that the provider signs ID tokens with. None that is
   * symmetric is ever accepted.
   *
   * @default {those that the provider advertises}
   */
  readonly idTokenAlgorithms?: readonly string[];
  /**
   * Audiences that ID tokens may name besides the client.
   *
   * @default {[]}
   */
  readonly trustedAudiences?: readonly string[];
}
