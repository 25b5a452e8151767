import type { PasswordOptions } from "../auth/password/mod.ts";
import type { LoginTimeouts, SessionStore } from "../session/mod.ts";
import type { SessionTimeouts } from "../session/middleware.ts";
import type { SQLQuery } from "../session/stores/sql.ts";
import type { Definition } from "./definition/define_accounts.ts";
import type { Account, Names, RoleOf } from "./definition/names.ts";
import type { AccountHooks, SecondFactorRequired } from "./hooks/hooks.ts";
import type { Mail } from "./mails/mail.ts";
import type { AccountProvider } from "./providers.ts";
import type { Layout } from "./pages/page.ts";
import type { AccountStore } from "./store/store.ts";

/** Options for the sessions of accounts. */
export interface AccountSessionOptions {
  /**
   * The store of the sessions. Sessions in cookies are not supported, because
   * the server cannot end them.
   *
   * @default {the database of the accounts}
   */
  readonly store?: SessionStore;
  /**
   * The timeouts, in milliseconds.
   *
   * @default {those of the session middleware}
   */
  readonly timeouts?: SessionTimeouts;
  /**
   * The timeouts of logins with "Remember me", in milliseconds. `false` removes the
   * checkbox.
   *
   * @default {30 days}
   */
  readonly remember?: LoginTimeouts | false;
}

/**
 * A feature of accounts that an application can leave out: the download of the data,
 * the deletion by the user, the login by email, and passkeys.
 */
export type AccountFeature = "data" | "deletion" | "email-login" | "passkeys";

/** Options for the API keys of accounts. */
export interface APIKeyOptions {
  /**
   * The beginning of each key, such as `acme_api`, by which scanners for leaked
   * secrets recognize it: 2 to 20 of a-z, 0-9 and `_`.
   *
   * @default {"key"}
   */
  readonly prefix?: string;
  /**
   * The maximum number of requests per minute with one key.
   *
   * @default {600}
   */
  readonly perMinute?: number;
}

/**
 * Options for {@linkcode createAccounts}.
 *
 * @typeParam N The names of the application.
 */
export interface AccountsOptions<N extends Names = Names> {
  /** The name of the application, for pages and emails. */
  readonly name: string;
  /**
   * The origin that browsers see, such as `https://app.example`. With `localhost`
   * it is a development server: emails are printed, the secret is in the
   * database, and requests to other hosts get a 421.
   */
  readonly origin: string;
  /** The function that runs SQL, as for sessions, or your own store. */
  readonly database: SQLQuery | AccountStore;
  /**
   * The SQL dialect. SQLite includes D1 and Durable Objects.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
  /**
   * The fields, roles and paths of the application.
   *
   * @default {the roles "user" and "admin"}
   */
  readonly definition?: Definition<N>;
  /**
   * The store and the timeouts of sessions.
   *
   * @default {the database of the accounts}
   */
  readonly sessions?: AccountSessionOptions;
  /**
   * The secrets that encrypt codes and second factors: at least 32 random
   * characters each. The first one encrypts, and all of them decrypt. Required
   * unless the origin is `localhost`.
   *
   * @default {one in the database}
   */
  readonly secrets?: readonly string[] | undefined;
  /**
   * Sends an email, after the response. If it fails or takes more than a minute, it
   * is called once more, and a second failure is the security event `email-send`.
   * Required unless the origin is `localhost`.
   *
   * @default {prints it}
   */
  readonly sendMail?: ((mail: Mail) => void | Promise<void>) | undefined;
  /**
   * `"invited"` if a registration needs the link that an administrator or
   * `users.invite` sends, and `"closed"` if only `users.create` creates accounts.
   *
   * @default {"open"}
   */
  readonly registration?: "open" | "invited" | "closed";
  /**
   * The addresses whose new accounts have the role `admin`.
   *
   * @default {[]}
   */
  readonly admins?: readonly string[];
  /**
   * The role that opens the pages for administrators. It cannot be the role of new
   * accounts.
   *
   * @default {"admin", or the last role}
   */
  readonly adminRole?: RoleOf<N>;
  /**
   * The time for which the audit log keeps entries, in milliseconds.
   *
   * @default {31_536_000_000} 365 days
   */
  readonly auditRetention?: number;
  /**
   * The cost of password hashes.
   *
   * @default {that of hashPassword}
   */
  readonly passwords?: PasswordOptions;
  /**
   * The features that users get. The pages of the others respond with 404, and no page
   * leads to them. Teams, API keys, providers and apps have separate options, and are
   * off without them.
   *
   * @default {all of them}
   */
  readonly features?: readonly AccountFeature[];
  /**
   * The form and the limit of API keys. They need scopes in the definition.
   *
   * @default {the prefix "key", and 600 requests per minute}
   */
  readonly apiKeys?: APIKeyOptions;
  /**
   * The providers at which users log in, by their names in URLs. The `redirectUri`
   * of `google` is the origin with `/login/with/google/callback`.
   *
   * @default {no providers}
   */
  readonly providers?: Readonly<Record<string, AccountProvider>>;
  /**
   * The time between the request for a deletion and the deletion, in milliseconds.
   * A login in this time keeps the account.
   *
   * @default {604_800_000} 7 days
   */
  readonly deletionDelay?: number;
  /**
   * Returns the data of the application that belongs to an account, as JSON, for
   * the download on the account page.
   *
   * @default {no data}
   */
  readonly exportData?: (account: Account<N>) => unknown;
  /**
   * Returns `true` if an account must have a second factor: an authenticator app or
   * a passkey. A login of this account without one then waits until the user has set
   * it up. It is called at each login, and for each request of a session without a
   * second factor, so that a new role counts at once. If it throws, takes longer than
   * `hookTimeout` or returns no boolean, the request fails.
   *
   * @default {requires none}
   */
  readonly secondFactorRequired?: SecondFactorRequired<N>;
  /**
   * The functions of the application that decide about registrations, logins and
   * deletions.
   *
   * @default {no hooks}
   */
  readonly hooks?: AccountHooks<N>;
  /**
   * The maximum time of a hook, and of `secondFactorRequired`, in milliseconds: at most a minute.
   *
   * @default {10_000}
   */
  readonly hookTimeout?: number;
  /**
   * The path after a login that no other page required.
   *
   * @default {"/"}
   */
  readonly home?: string;
  /**
   * The frame of the pages: the document with `head` and `body`.
   *
   * @default {a plain frame}
   */
  readonly layout?: Layout;
  /**
   * Sources to add to the policy of the pages, by directive, such as
   * `{ "font-src": ["'self'"] }`.
   *
   * @default {no sources}
   */
  readonly contentSecurityPolicy?: Readonly<Record<string, readonly string[]>>;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}
