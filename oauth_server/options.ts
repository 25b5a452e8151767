import type { UserSource } from "../auth/internal.ts";
import type { AuthenticatedUser } from "../auth/middleware/mod.ts";
import type { SessionStore } from "../session/mod.ts";
import type { RegisteredClients } from "./clients/client.ts";
import type { ClientDocumentOptions } from "./clients/options.ts";
import type { ServerMessages } from "./messages/messages.ts";
import type { ServerPages } from "./pages/page_options.ts";

/**
 * A resource: an API whose access tokens the server issues.
 *
 * @typeParam Scope The scopes.
 */
export interface ResourceOf<Scope extends string> {
  /** The name, which the consent page shows. */
  readonly name: string;

  /**
   * The scopes, and what each allows in words that users understand, such as
   * "Read your notes". At most 32.
   */
  readonly scopes: Readonly<Record<Scope, string>>;

  /**
   * The scopes of a request that names none.
   *
   * @default {all but those of `fresh`}
   */
  readonly defaultScopes?: readonly Scope[];

  /**
   * Scopes that need a login within the given time, in milliseconds, such as
   * `{ "notes:delete": 600_000 }`. At least a minute.
   *
   * @default {no scopes}
   */
  readonly fresh?: Partial<Readonly<Record<Scope, number>>>;

  /**
   * The format of the access tokens: `"opaque"`, or `"at+jwt"` with the option `jwt`,
   * for an API on another machine that verifies them without a request for each.
   *
   * Trust: there, a JWT works until it expires, even if its grant has ended.
   *
   * @default {"opaque"}
   */
  readonly format?: "opaque" | "at+jwt";
}

/** The resources of a server, by URL. */
export type Resources = Readonly<Record<string, ResourceOf<string>>>;

/** Lifetimes in milliseconds. */
export interface ServerLifetimes {
  /**
   * The lifetime of an access token: a minute to a day; at most an hour with the
   * option `jwt`.
   *
   * @default {600_000}
   */
  readonly access?: number;
  /**
   * The time after which an unused grant ends.
   *
   * @default {30 days}
   */
  readonly idle?: number;
  /**
   * The time after which every grant ends.
   *
   * @default {365 days}
   */
  readonly total?: number;
  /**
   * The time for which the refresh token before the current one returns the
   * current one again, for requests at the same time and for lost responses. At most
   * a minute: it also hides the use of a stolen token.
   *
   * @default {30_000}
   */
  readonly grace?: number;
}

/** The paths of the endpoints, on the origin of the issuer. */
export interface ServerPaths {
  /**
   * The authorization endpoint and its consent page.
   *
   * @default {"/authorize"}
   */
  readonly authorize?: string;
  /**
   * The token endpoint.
   *
   * @default {"/token"}
   */
  readonly token?: string;
  /**
   * The revocation endpoint.
   *
   * @default {"/revoke"}
   */
  readonly revoke?: string;
  /**
   * The registration endpoint.
   *
   * @default {"/oauth/register"}
   */
  readonly register?: string;
  /**
   * The page on which users type the code of a device.
   *
   * @default {"/device"}
   */
  readonly device?: string;
  /**
   * The endpoint at which devices get their codes.
   *
   * @default {"/device/code"}
   */
  readonly deviceCode?: string;
  /**
   * The introspection endpoint.
   *
   * @default {"/introspect"}
   */
  readonly introspect?: string;
  /**
   * The keys of JWT access tokens.
   *
   * @default {"/jwks"}
   */
  readonly jwks?: string;
}

/** An event of a grant. */
export interface GrantEvent {
  /**
   * The event: a consent, its refusal, the end of a grant by a client or its user, a
   * second use of a refresh token or of a code, which ends the grant, or a token that
   * is newer than the store, which has lost data.
   */
  readonly name:
    | "granted"
    | "denied"
    | "revoked"
    | "token-reuse"
    | "code-reuse"
    | "store-rollback";
  /** The user's id, as a string. */
  readonly userId: string;
  /** The client id. */
  readonly client: string;
  /** The id of the grant, or `""` for a refusal. */
  readonly grant: string;
}

/** Options for {@linkcode createAuthorizationServer}. */
export interface AuthorizationServerOptions<
  User extends AuthenticatedUser,
  R extends Resources,
> {
  /**
   * The issuer: an https URL without query and without a slash at its end, such as
   * `https://app.example`. On localhost it can be http.
   */
  readonly issuer: string;

  /** The users. The accounts of `@gatehouse/web/accounts` are one. */
  readonly users: UserSource<User>;

  /**
   * The store of grants. It must be strongly consistent, have an index, and survive
   * a restart. Do not use the cache of the sessions.
   */
  readonly store: SessionStore;

  /**
   * The secrets: the first one creates tokens, and all of them verify tokens. Each
   * has at least 32 characters. Remove an old one after the lifetime `idle`.
   */
  readonly secrets: readonly string[];

  /** The resources by URL. Tokens are for one of them. */
  readonly resources: R;

  /** The path of the login page, which gets `?returnTo=`. */
  readonly loginPath: string;

  /**
   * The path of the page that asks a user who is logged in to log in again. It gets
   * `?returnTo=`.
   *
   * @default {loginPath}
   */
  readonly confirmPath?: string;

  /**
   * The clients that are known in advance, or a function that returns one.
   *
   * @default {[]}
   */
  readonly clients?: RegisteredClients;

  /**
   * Clients whose id is the URL of a metadata document, such as MCP clients; `false`
   * to have none. On Workers they need the compatibility flag
   * `global_fetch_strictly_public`.
   *
   * @default {all that a user approves, if their document is on a public address}
   */
  readonly cimd?: false | ClientDocumentOptions;

  /**
   * Clients that register themselves: `registrationEndpoint()`. Anyone can register
   * with any name, so prefer `cimd`.
   *
   * @default {none}
   */
  readonly registration?: RegistrationEndpoint;

  /**
   * Clients on devices without a browser: `deviceGrant()`. They need the grant
   * `"device"`, and the router needs `deviceRoutes`.
   *
   * @default {none}
   */
  readonly device?: DeviceGrant;

  /**
   * The endpoint for APIs on other machines: `introspectionEndpoint()`. They are
   * clients with the grant `"introspection"`.
   *
   * @default {none}
   */
  readonly introspection?: IntrospectionEndpoint;

  /**
   * Access tokens for APIs on other machines, for resources with the format
   * `"at+jwt"`: `jwtAccessTokens({ keys })`.
   *
   * @default {none}
   */
  readonly jwt?: JWTAccessTokens;

  /**
   * Tokens that are bound to a key of the client: `dpopTokens()`.
   *
   * @default {none}
   */
  readonly dpop?: DPoPTokens;

  /**
   * Pages of the application.
   *
   * @default {the pages of the library}
   */
  readonly pages?: ServerPages;

  /**
   * The strings of the pages, in each language. A browser that prefers none of the
   * languages gets the first one. `[english, german]` are the languages of the
   * library, and `{ ...english, allow: "Connect" }` replaces a string.
   *
   * @default {[english]}
   */
  readonly messages?: readonly ServerMessages[];

  /**
   * The lifetimes.
   *
   * @default {10 minutes for access tokens, 30 days without use}
   */
  readonly lifetimes?: ServerLifetimes;

  /**
   * The paths of the endpoints.
   *
   * @default {those at the root}
   */
  readonly paths?: ServerPaths;

  /**
   * The origins whose scripts may call the endpoints, without cookies.
   *
   * @default {"*"}
   */
  readonly cors?: readonly string[] | "*";

  /**
   * Receives the events of grants.
   *
   * @param event The event.
   * @default {undefined}
   */
  readonly onEvent?: (event: GrantEvent) => void;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The option `registration` of a server, which `registrationEndpoint()` creates. */
export interface RegistrationEndpoint {
  /** The functions of the endpoint, for the server. */
  readonly parts: unknown;
}

/** The option `introspection` of a server, which `introspectionEndpoint()` creates. */
export interface IntrospectionEndpoint {
  /** The function of the endpoint, for the server. */
  readonly parts: unknown;
}

/** The option `device` of a server, which `deviceGrant()` creates. */
export interface DeviceGrant {
  /** The functions of the grant, for the server. */
  readonly parts: unknown;
}

/** The option `jwt` of a server, which `jwtAccessTokens()` creates. */
export interface JWTAccessTokens {
  /** The functions of the tokens, for the server. */
  readonly parts: unknown;
}

/** The option `dpop` of a server, which `dpopTokens()` creates. */
export interface DPoPTokens {
  /** The functions of bound tokens, for the server. */
  readonly parts: unknown;
}
