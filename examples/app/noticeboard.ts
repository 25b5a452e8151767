import type { SessionStore } from "@gatehouse/web/session";
import { createApp } from "./app.ts";
import type { AppRouter } from "./app_middleware.ts";
import { appSecret } from "./data/app_secret.ts";
import { createTables, type Query } from "./data/database.ts";
import { DemoAccounts } from "./data/demo_accounts.ts";
import { type DemoAccount, seed } from "./data/seed.ts";
import type { ExternalLogin } from "./external_logins.ts";
import { loginsOf } from "./named_logins.ts";
import type { ReadFile } from "./services.ts";
import { isOnThisComputer, type Settings } from "./settings.ts";

/** Options for {@linkcode openNoticeboard}. */
export interface NoticeboardOptions {
  readonly settings: Settings;
  /** Runs SQL, in the dialect of SQLite. */
  readonly database: Query;
  /**
   * The name of the database on the console.
   *
   * @default {"the database"}
   */
  readonly databaseName?: string;
  /**
   * Stores sessions.
   *
   * @default {the database}
   */
  readonly store?: SessionStore;
  /**
   * External logins, in addition to the providers of the settings.
   *
   * @default {[]}
   */
  readonly logins?: readonly ExternalLogin[];
  /**
   * Reads a file of the repository, for the links to the source code.
   *
   * @default {links lead to the public repository}
   */
  readonly readFile?: ReadFile;
}

/** Opens the application, with new tables and demo accounts if needed. */
export async function openNoticeboard(
  options: NoticeboardOptions,
): Promise<AppRouter> {
  const { settings, database, store, logins = [], readFile } = options;
  const { get, baseURL, trustedProxies } = settings;
  await createTables(database);
  const demo = new DemoAccounts(database);
  const isLocal = isOnThisComputer(settings);
  const seeded = await seed(database);
  if (isLocal) await demo.remember(seeded);
  else await demo.forget();
  const named = loginsOf(get, { baseURL, reportError: console.error });
  const app = createApp({
    database,
    store,
    baseURL,
    secrets: [get("SECRET") ?? await appSecret(database)],
    logins: [...named, ...logins],
    trustedProxies,
    readFile,
    ...isLocal && { demoAccounts: () => demo.list() },
  });
  const accounts = isLocal ? await demo.list() : seeded;
  announce(accounts, options.databaseName ?? "the database", isLocal);
  return app;
}

function announce(
  accounts: readonly DemoAccount[],
  databaseName: string,
  isLocal: boolean,
): void {
  if (accounts.length === 0) return;
  const lines = accounts.map(({ role, email, password }) =>
    `    ${role.padEnd(7)} ${email.padEnd(20)} ${password}`
  );
  const once = isLocal ? "" : ", printed only this once";
  console.log(
    `\n  Demo accounts in ${databaseName}${once}:\n${lines.join("\n")}`,
  );
}
