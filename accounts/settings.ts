import { isTokenShaped } from "../auth/issued_tokens/api_token.ts";
import { checkPositive, isLoopback } from "../router/internal.ts";
import type { LoginTimeouts } from "../session/mod.ts";
import { DEFAULT_ROLES } from "./actions/roles.ts";
import type { Settings } from "./actions/services.ts";
import { Apps } from "./apps/apps.ts";
import type { Names } from "./definition/names.ts";
import { createAdminRoutes } from "./definition/admin_routes.ts";
import type { AccountHooks, SecondFactorRequired } from "./hooks/hooks.ts";
import { HookRunner, type HookRunnerOptions } from "./hooks/run_hooks.ts";
import { createRoutes } from "./definition/routes.ts";
import { checkAccountsOptions, FEATURES } from "./_account_options.ts";
import type { Mail } from "./mails/mail.ts";
import { TeamService } from "./teams/team_service.ts";
import { APIKeys, type KeySettings } from "./keys/api_keys.ts";
import { checkProviders } from "./providers.ts";
import { Outbox } from "./mails/outbox.ts";
import { createSQLAccountStore } from "./store/sql.ts";
import type { AccountStore } from "./store/store.ts";
import { withStoreErrors } from "./store/with_store_errors.ts";
import type { AccountsOptions } from "./options.ts";

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
    features: new Set(options.features ?? FEATURES),
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
  const { features, secondFactorRequired } = options;
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
  if (secondFactorRequired && features?.includes("passkeys") === false) {
    throw new TypeError(
      'Cannot create accounts: secondFactorRequired needs the feature "passkeys"',
    );
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
  options: AccountsOptions<N>,
  others: Pick<HookRunnerOptions, "parts" | "store">,
): HookRunner {
  const { hooks = {}, hookTimeout: timeout = 10_000 } = options;
  checkPositive("accounts", "hookTimeout", timeout, 60_000);
  return new HookRunner({
    ...others,
    hooks: hooks as AccountHooks,
    secondFactorRequired: options.secondFactorRequired as
      | SecondFactorRequired
      | undefined,
    timeout,
  });
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
