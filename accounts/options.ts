import { isTokenShaped } from "../auth/issued_tokens/api_token.ts";
import type { PasswordOptions } from "../auth/password/mod.ts";
import { checkPositive, isLoopback } from "../router/internal.ts";
import type { LoginTimeouts, SessionStore } from "../session/mod.ts";
import type { SessionTimeouts } from "../session/middleware.ts";
import type { SQLQuery } from "../session/stores/sql.ts";
import { DEFAULT_ROLES } from "./actions/roles.ts";
import type { Settings } from "./actions/services.ts";
import { Apps } from "./apps/apps.ts";
import type { Definition } from "./definition/define_accounts.ts";
import type { Account, Names, RoleOf } from "./definition/names.ts";
import { createAdminRoutes } from "./definition/admin_routes.ts";
import type { AccountHooks } from "./hooks/hooks.ts";
import { HookRunner, type HookRunnerOptions } from "./hooks/run_hooks.ts";
import { createRoutes } from "./definition/routes.ts";
import { checkAccountsOptions } from "./_account_options.ts";
import type { Mail } from "./mails/mail.ts";
import { TeamService } from "./teams/team_service.ts";
import { APIKeys, type KeySettings } from "./keys/api_keys.ts";
import { type AccountProvider, checkProviders } from "./providers.ts";
import { Outbox } from "./mails/outbox.ts";
import type { Layout } from "./pages/page.ts";
import { createSQLAccountStore } from "./store/sql.ts";
import type { AccountStore } from "./store/store.ts";
import { withStoreErrors } from "./store/with_store_errors.ts";

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
   * The functions of the application that decide about registrations, logins and
   * deletions.
   *
   * @default {no hooks}
   */
  readonly hooks?: AccountHooks<N>;
  /**
   * The maximum time of a hook, in milliseconds: at most a minute.
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

/** The timeouts of a remembered login: 30 days. */
const REMEMBER: LoginTimeouts = { absolute: 30 * 86_400_000 };

/** The deletion of an account: after 7 days. */
const DELETION_DELAY = 7 * 86_400_000;

/** Entries of the audit log are kept for 365 days. */
const AUDIT_RETENTION = 365 * 86_400_000;

/** Returns `true` if an origin is that of a development server. */
export function isDevelopment(origin: string): boolean {
  return isLoopback(new URL(origin).hostname);
}

/**
 * Checks the options and returns them with their defaults.
 *
 * @throws {TypeError} If an option is missing or malformed.
 * @throws {RangeError} If `deletionDelay`, `hookTimeout`, the prefix or the limit of
 * API keys is out of range.
 */
export function settingsOf<N extends Names>(
  options: AccountsOptions<N>,
  hookParts: HookRunnerOptions["parts"],
): Settings {
  checkAccountsOptions(options as AccountsOptions);
  const { name, origin, definition, now = Date.now, sessions = {} } = options;
  const names: Names = definition?.names ?? {};
  checkRelated(options as AccountsOptions, names);
  const routes = definition?.routes ?? createRoutes(names.paths);
  const store = storeOf(options, now);
  const keys = keysOf(options, { names, now, store });
  return {
    name,
    origin,
    names,
    routes,
    providers: checkProviders(options.providers, origin, routes),
    adminRoutes: definition?.adminRoutes ?? createAdminRoutes(names.paths),
    adminRole: adminRoleOf(options.adminRole, names),
    ...timesOf(options),
    store,
    sessions: sessions.store ?? store.values,
    remember: (sessions.remember ?? REMEMBER) || undefined,
    registration: options.registration ?? "open",
    admins: options.admins ?? [],
    passwords: options.passwords ?? {},
    exportData: options.exportData as Settings["exportData"],
    hooks: hooksOf(options, { parts: hookParts, store: store.values }),
    home: options.home ?? "/",
    keys,
    apps: new Apps(),
    teams: new TeamService({ keys, names, now, store }),
    keyLimit: options.apiKeys?.perMinute ?? 600,
    outbox: new Outbox(options.sendMail ?? printMail),
    now,
  };
}

/**
 * Returns the role of administrators.
 *
 * @throws {TypeError} If the role is not listed, or new accounts have it.
 */
function adminRoleOf(
  given: string | undefined,
  { roles = DEFAULT_ROLES }: Names,
): string | undefined {
  const [first, ...others] = roles;
  if (given === undefined) {
    // The last role of a list with "admin" may be that of guests.
    return others.includes("admin") ? "admin" : others.at(-1);
  }
  if (others.includes(given)) return given;
  throw new TypeError(
    `Cannot create accounts: adminRole "${given}" is ${
      given === first ? "the role of new accounts" : "not listed"
    }`,
  );
}

/**
 * Returns the times of the options.
 *
 * @throws {RangeError} If one is not a time.
 */
function timesOf(
  { auditRetention = AUDIT_RETENTION, deletionDelay = DELETION_DELAY }: Pick<
    AccountsOptions,
    "auditRetention" | "deletionDelay"
  >,
): Pick<Settings, "auditRetention" | "deletionDelay"> {
  const times = { auditRetention, deletionDelay };
  for (const [name, time] of Object.entries(times)) {
    if (time >= 0 && Number.isFinite(time)) continue;
    throw new RangeError(
      `Cannot create accounts: ${name} "${time}" is not a time`,
    );
  }
  return times;
}

/**
 * Checks the name and the origin, and the options that depend on others.
 *
 * @throws {TypeError} If an option is missing or malformed.
 */
function checkRelated(options: AccountsOptions, names: Names): void {
  const { name, origin, secrets, sendMail, admins = [] } = options;
  if (typeof name !== "string" || !/^[^\p{Cc}]{1,60}$/u.test(name)) {
    throw new TypeError(
      "Cannot create accounts: name is not a string of 1 to 60 characters",
    );
  }
  const url = URL.parse(origin);
  if (
    url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)
  ) {
    throw new TypeError(
      `Cannot create accounts: origin "${origin}" is not an origin such as "https://app.example"`,
    );
  }
  if (!isDevelopment(origin)) {
    if (url.protocol !== "https:") {
      throw new TypeError(
        `Cannot create accounts: origin "${origin}" is neither HTTPS nor localhost`,
      );
    }
    for (const [key, value] of Object.entries({ secrets, sendMail })) {
      if (value !== undefined) continue;
      throw new TypeError(
        `Cannot create accounts: ${key} is missing, and only localhost works without it`,
      );
    }
  }
  if (admins.length > 0 && !(names.roles ?? DEFAULT_ROLES).includes("admin")) {
    throw new TypeError(
      'Cannot create accounts: admins needs the role "admin"',
    );
  }
}

/**
 * Creates the runner of the hooks.
 *
 * @throws {RangeError} If `hookTimeout` is out of range.
 */
function hooksOf<N extends Names>(
  { hooks = {}, hookTimeout: timeout = 10_000 }: AccountsOptions<N>,
  others: Omit<HookRunnerOptions, "hooks" | "timeout">,
): HookRunner {
  checkPositive("accounts", "hookTimeout", timeout, 60_000);
  return new HookRunner({ ...others, hooks: hooks as AccountHooks, timeout });
}

/**
 * Creates the API keys.
 *
 * @throws {RangeError} If the prefix is malformed.
 */
function keysOf(
  { apiKeys: { prefix = "key" } = {} }: Pick<AccountsOptions, "apiKeys">,
  settings: Omit<KeySettings, "prefix">,
): APIKeys {
  // This call throws if the prefix is malformed.
  isTokenShaped("", { prefix });
  return new APIKeys({ ...settings, prefix });
}

function storeOf(
  { database, dialect }: Pick<AccountsOptions, "database" | "dialect">,
  now: () => number,
): AccountStore {
  if (typeof database === "function") {
    return createSQLAccountStore(database, {
      now,
      ...dialect !== undefined && { dialect },
    });
  }
  if (typeof database?.addWayIn !== "function") {
    throw new TypeError(
      "Cannot create accounts: database is neither a function nor a store",
    );
  }
  return withStoreErrors(database);
}

function printMail({ to, subject, text }: Mail): void {
  console.log(`\n  Email to ${to}: ${subject}\n\n${text}`);
}
