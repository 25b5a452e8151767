import { DatabaseSync } from "node:sqlite";
import type { Mail } from "@gatehouse/web/accounts";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import {
  type TestAccounts,
  testAccounts,
} from "@gatehouse/web/accounts/testing";
import {
  hashPassword,
  type PasswordOptions,
} from "@gatehouse/web/auth/password";
import type { FetchFunction } from "@gatehouse/web/fetch-router";
import type { SQLQuery } from "@gatehouse/web/session/sql";
import { createTestClient } from "@gatehouse/web/testing";
import { accountOptions } from "../../examples/app/account_options.ts";
import { type AppOptions, createApp } from "../../examples/app/app.ts";
import { Notices } from "../../examples/app/data/notices.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import type { definition } from "../../examples/app/definition.ts";
import {
  type OIDCRegistration,
  providersOf,
} from "../../examples/app/providers.ts";
import { serveDemoProvider } from "../../examples/app/serve.ts";
import type { ServedApp } from "./_app_servers.ts";
import { freePort } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";
import { turns } from "../_wait.ts";

/** The pages for admins only, and a missing one. */
export const PAGES_FOR_ADMINS: readonly string[] = [
  "/",
  "/account",
  "/account/keys",
  "/editor",
  "/editor/new",
  "/editor/1",
  "/admin",
  "/admin/audit",
  "/outbox",
  "/nowhere",
];

/** The password of all users in these tests. */
export const PASSWORD = "correct horse battery";

/** The cost of hashes in these tests: little. */
export const CHEAP: PasswordOptions = { memory: 64, passes: 1 };

/** A role of the application. */
export type Role = "user" | "editor" | "admin";

/** The example application, served with its demo identity provider. */
export interface ExampleApp extends ServedApp, AsyncDisposable {
  readonly accounts: TestAccounts<typeof definition.names>;
  readonly database: SQLQuery;
  /** The lines of the request log so far. */
  readonly log: string[];
  /** The emails sent so far. */
  readonly mails: readonly Mail[];
  /** Creates a browser without cookies. */
  visitor(): Visitor;
  /** Creates an account with a password. */
  createUser(
    user: { readonly name?: string; readonly email: string; role?: Role },
  ): Promise<string>;
  /** Creates a browser with a logged-in user of a role. */
  loggedIn(role?: Role): Promise<Visitor>;
}

/** Options for {@linkcode startExampleApp}. */
export interface ExampleAppOptions
  extends Pick<AppOptions, "trustedProxies" | "demo" | "outbox"> {
  /** Wraps the application's database. */
  readonly wrap?: (query: SQLQuery) => SQLQuery;
  /** Sends an email: by default to `mails`. */
  readonly sendMail?: (mail: Mail) => void;
  /** Returns the time in epoch milliseconds: by default one that stands still. */
  readonly now?: () => number;
}

/** Serves the example application on a free port, over a database in memory. */
export async function startExampleApp(
  { wrap = (query) => query, now, sendMail, ...options }: ExampleAppOptions =
    {},
): Promise<ExampleApp> {
  const { promise, resolve } = Promise.withResolvers<FetchFunction>();
  const server = serveLocally(async (request, info) =>
    await (await promise)(request, info)
  );
  const servers = [server];
  const baseURL = `http://localhost:${server.addr.port}`;
  const settings = { get: () => undefined, baseURL, demoPort: freePort() };
  let demo: OIDCRegistration | null = null;
  // Another program can take a port before the provider does.
  while (demo === null) {
    demo = await serveDemoProvider(settings, ({ port }, fetch) => {
      servers.push(serveLocally((request) => fetch(request), { port }));
    });
    if (demo === null) settings.demoPort = freePort();
  }
  const file = new DatabaseSync(":memory:");
  const query = overSQLite(file);
  const database = wrap(query);
  const store = createSQLAccountStore(query);
  await store.migrate();
  await new Notices(query).migrate();
  const log: string[] = [];
  const accounts = testAccounts({
    ...accountOptions,
    origin: baseURL,
    database,
    providers: providersOf(settings, demo),
    ...now && { now },
    ...sendMail && { sendMail },
  });
  const { fetch } = createApp({
    ...options,
    accounts,
    database,
    baseURL,
    log: (line) => log.push(line),
  });
  resolve(fetch);
  const { mails } = accounts;
  const visitor = () => createVisitor(baseURL);
  async function createUser(
    { name = "Ada", email, role = "user" }: Parameters<
      ExampleApp["createUser"]
    >[0],
  ): Promise<string> {
    const id = crypto.randomUUID();
    const passwordHash = await hashPassword(PASSWORD, CHEAP);
    const facts = { emailVerified: true, language: null, fields: {} };
    const account = { id, name, email, role, passwordHash, createdAt: 0 };
    await store.create({ ...facts, ...account });
    return id;
  }
  return {
    accounts,
    baseURL,
    issuer: demo.issuer,
    database: query,
    log,
    mails,
    visitor,
    createUser,
    async loggedIn(role = "user") {
      const email = `${role}-${crypto.randomUUID()}@example.com`;
      await createUser({ name: `Some ${role}`, email, role });
      const browser = visitor();
      await browser.post("/login", { email, password: PASSWORD });
      return browser;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.shutdown();
      await accounts.flush();
      await turns();
      file.close();
    },
  };
}

/** One browser, without its rendering. */
export interface Visitor {
  /** Opens a page. */
  get(path: string, headers?: HeadersInit): Promise<Answer>;
  /** Sends a form. */
  post(
    path: string,
    fields?: Record<string, string>,
    headers?: HeadersInit,
  ): Promise<Answer>;
  /** Returns the session cookie. */
  cookie(): string | undefined;
  /** Logs in at the demo identity provider as one of its people. */
  logInExternally(person: string): Promise<Answer>;
}

/** A response with its complete body. */
export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly body: string;
}

function createVisitor(baseURL: string): Visitor {
  const client = createTestClient(
    { fetch: (request) => fetch(request, { redirect: "manual" }) },
    { origin: baseURL },
  );
  const send = async (path: string, init: RequestInit) => {
    const answer = await read(await client.fetch(path, init));
    // Security events follow the response in the next task.
    await turns();
    return answer;
  };
  const visitor: Visitor = {
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { Origin: baseURL, ...headers },
        body: new URLSearchParams(fields),
      }),
    cookie: () => client.cookies.get("session"),
    async logInExternally(person) {
      const { location } = await visitor.get("/login/with/demo");
      return await visitor.get(await choose(location!, person));
    },
  };
  return visitor;
}

/** Chooses a person at the demo identity provider and returns the redirect. */
export async function choose(
  authorization: string,
  person: string,
): Promise<string> {
  const response = await fetch(authorization, {
    method: "POST",
    body: new URLSearchParams({ person }),
    redirect: "manual",
  });
  await response.body?.cancel();
  const location = response.headers.get("Location");
  if (location === null) throw new Error(`No way back: ${response.status}`);
  return location;
}

async function read(response: Response): Promise<Answer> {
  return {
    status: response.status,
    location: response.headers.get("Location"),
    headers: response.headers,
    body: await response.text(),
  };
}
