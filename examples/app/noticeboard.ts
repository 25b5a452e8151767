import type { SessionStore } from "@gatehouse/web/session";
import { createApp } from "./app.ts";
import type { AppRouter } from "./app_middleware.ts";
import { createTables, type Query } from "./data/database.ts";
import { type DemoAccount, seed } from "./data/seed.ts";
import type { ExternalLogin } from "./external_logins.ts";
import { loginsOf } from "./named_logins.ts";
import type { Settings } from "./settings.ts";

/** Options for {@linkcode openNoticeboard}. */
export interface NoticeboardOptions {
  readonly settings: Settings;
  /** Runs SQL, in the dialect of SQLite. */
  readonly database: Query;
  /**
   * Keeps sessions.
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
}

/** Opens the application, with new tables and demo accounts if needed. */
export async function openNoticeboard(
  { settings, database, store, logins = [] }: NoticeboardOptions,
): Promise<AppRouter> {
  const { get, baseURL, trustedProxies } = settings;
  await createTables(database);
  const accounts = await seed(database);
  const named = loginsOf(get, { baseURL, reportError: console.error });
  const app = createApp({
    database,
    store,
    baseURL,
    logins: [...named, ...logins],
    trustedProxies,
  });
  announce(accounts);
  return app;
}

function announce(accounts: readonly DemoAccount[]): void {
  if (accounts.length === 0) return;
  const lines = accounts.map(({ role, email, password }) =>
    `    ${role.padEnd(7)} ${email.padEnd(20)} ${password}`
  );
  console.log(
    `\n  Demo accounts of the new database, printed only this once:\n${
      lines.join("\n")
    }`,
  );
}
