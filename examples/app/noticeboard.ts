import { createAccounts } from "@gatehouse/web/accounts";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import type { FetchFunction } from "@gatehouse/web/fetch-router";
import type { SessionStore } from "@gatehouse/web/session";
import type { SQLQuery } from "@gatehouse/web/session/sql";
import { accountOptions } from "./account_options.ts";
import { createApp } from "./app.ts";
import { type DemoAccount, DemoAccounts } from "./data/demo_accounts.ts";
import { Notices } from "./data/notices.ts";
import { Outbox, postMailsTo } from "./features/outbox.ts";
import { type OIDCRegistration, providersOf } from "./providers.ts";
import type { Settings } from "./settings.ts";

/** Options for {@linkcode openNoticeboard}. */
export interface NoticeboardOptions {
  readonly settings: Settings;
  /** Runs SQL, in the dialect of SQLite. */
  readonly database: SQLQuery;
  /** The name of the database on the console. */
  readonly databaseName: string;
  /** Stores sessions, by default in the database. */
  readonly sessions?: SessionStore | undefined;
  /** A provider of logins, in addition to those of the settings. */
  readonly provider?: OIDCRegistration | null;
}

/** The application, ready for requests. */
export interface Noticeboard {
  readonly fetch: FetchFunction;
  /** Deletes what has expired: a job for each day. */
  readonly sweep: () => Promise<void>;
}

/** Opens the application, with new tables and demo accounts if needed. */
export async function openNoticeboard(
  options: NoticeboardOptions,
): Promise<Noticeboard> {
  const { settings, database, provider, sessions } = options;
  const { get, baseURL, isLocal, trustedProxies } = settings;
  const outbox = isLocal ? new Outbox() : undefined;
  const mailURL = get("MAIL_URL");
  const store = createSQLAccountStore(database);
  const accounts = createAccounts({
    ...accountOptions,
    origin: baseURL,
    database: store,
    providers: providersOf(settings, provider),
    secrets: get("SECRET")?.split(" "),
    sendMail: mailURL === undefined
      ? outbox && ((mail) => outbox.send(mail))
      : postMailsTo(mailURL),
    ...sessions && { sessions: { store: sessions } },
  });
  await accounts.migrate();
  await new Notices(database).migrate();
  const demo = new DemoAccounts(database, store);
  const seeded = await demo.seed(isLocal);
  announce(
    isLocal ? await demo.list() : seeded,
    options.databaseName + (isLocal ? "" : ", printed only this once"),
  );
  const { fetch } = createApp({
    accounts,
    database,
    baseURL,
    trustedProxies,
    outbox,
    demo: isLocal ? demo : undefined,
  });
  return { fetch, sweep: accounts.sweep };
}

function announce(accounts: readonly DemoAccount[], place: string): void {
  if (accounts.length === 0) return;
  const lines = accounts.map(({ role, email, password }) =>
    `    ${role.padEnd(7)} ${email.padEnd(20)} ${password}`
  );
  console.log(`\n  Demo accounts in ${place}:\n${lines.join("\n")}`);
}
