import type { RequestContext } from "../../router/mod.ts";
import type { AuthenticatedUser } from "../login/user_keys.ts";

/**
 * The users of an authorization server. The accounts of `./accounts` are one.
 *
 * @typeParam User The type of the user.
 */
export interface UserSource<User extends AuthenticatedUser> {
  /**
   * Returns a user, or `null` if the user is unknown or disabled. The server
   * calls it at each check of a token, at each refresh, and before consent.
   *
   * @param id The id, as a string.
   */
  readonly find: (id: string) => User | null | Promise<User | null>;

  /**
   * Returns the version of the user's credentials, which only grows, for example
   * at a change of the password. Grants of an older version have ended.
   *
   * @param user The user that `find` returned.
   * @default {undefined, so that grants do not end with a change of the password}
   */
  readonly version?: (user: User) => number;

  /**
   * Returns the user who may connect applications in this request, or `null`.
   *
   * Trust: a user of an access token, or one as whom another user acts, must not be
   * returned. Their requests could give themselves more rights.
   *
   * @param context The context of the request.
   * @default {the user of `Auth`, if this user is logged in by the session, and no administrator acts as the user}
   */
  readonly loggedIn?: (context: RequestContext) => User | null;

  /**
   * Receives each new grant after it was stored, for example to tell its user by email.
   * It does not receive those of trusted clients. The response waits for it. An error
   * is logged, and the grant stays.
   *
   * @param context The context of the request with the consent.
   * @param grant The grant.
   * @param user The user.
   * @default {undefined}
   */
  readonly granted?: (
    context: RequestContext,
    grant: Grant,
    user: User,
  ) => void | Promise<void>;

  /**
   * Receives the grants of the server when it is created, so that the account pages
   * can list and end them.
   *
   * @param apps The grants.
   * @default {undefined}
   */
  readonly connect?: (apps: ConnectedApps) => void;
}

/** The applications that users have connected to their accounts. */
export interface ConnectedApps {
  /**
   * Returns the grants of a user, the newest first.
   *
   * @param userId The id of the user, as a string.
   * @param options The language of their texts.
   */
  grants(userId: string, options?: GrantsOptions): Promise<Grant[]>;

  /**
   * Ends grants of a user. Their tokens end at the next request.
   *
   * @param userId The id of the user, as a string.
   * @param filter The grants to end. The default is all of them.
   * @returns The number of grants that ended.
   */
  revoke(userId: string, filter?: GrantFilter): Promise<number>;
}

/** Options for {@linkcode ConnectedApps.grants}. */
export interface GrantsOptions {
  /**
   * The language of the scopes in words, such as `de`, if the server has them in this
   * language.
   *
   * @default {the language of the resource}
   */
  readonly language?: string;
}

/** Some of the grants of a user. A grant must match all given properties. */
export interface GrantFilter {
  /**
   * The id of one grant.
   *
   * @default {any}
   */
  readonly id?: string;
  /**
   * The id of a client.
   *
   * @default {any}
   */
  readonly client?: string;
  /**
   * A time in epoch milliseconds. Grants that were created before it match.
   *
   * @default {any time}
   */
  readonly before?: number;
}

/** The client of a grant, for pages. */
export interface GrantClient {
  /** The client id. */
  readonly id: string;
  /**
   * The name. A client with a metadata document has chosen it without proof.
   *
   * @default {undefined}
   */
  readonly name?: string | undefined;
  /**
   * The host of the client's metadata document, which proves who wrote it.
   *
   * @default {undefined}
   */
  readonly host?: string | undefined;
}

/** The rights that a user gave to a client for one resource. */
export interface Grant {
  /** The id, for forms. No token can be computed from it. */
  readonly id: string;
  /** The client. */
  readonly client: GrantClient;
  /**
   * The host to which the browser returned, or the scheme of a native app. It is `""`
   * for a device without a browser, which only clients of the application have.
   */
  readonly redirectHost: string;
  /** The URL of the resource. */
  readonly resource: string;
  /**
   * The name of the resource, for users.
   *
   * @default {undefined}
   */
  readonly resourceName?: string | undefined;
  /** The scopes. */
  readonly scopes: readonly string[];
  /**
   * The scopes in words, as the consent page shows them.
   *
   * @default {undefined}
   */
  readonly scopeTexts?: Readonly<Record<string, string>> | undefined;
  /** The time of the consent, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of the last token, in epoch milliseconds. */
  readonly lastUsedAt: number;
}
