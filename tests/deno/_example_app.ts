import { DatabaseSync } from "node:sqlite";
import { assertEquals, assertMatch } from "@std/assert";
import {
  hashPassword,
  type PasswordOptions,
} from "@gatehouse/web/auth/password";
import type { FetchFunction } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { createApp } from "../../examples/app/app.ts";
import { createTables, type Query } from "../../examples/app/data/database.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import type { DemoAccount } from "../../examples/app/data/seed.ts";
import type { Mail } from "../../examples/app/outbox.ts";
import { Users } from "../../examples/app/data/users.ts";
import { createDemoProvider } from "../../examples/app/demo_provider.ts";
import { createOIDCLogin } from "../../examples/app/external_logins.ts";
import type { ServedApp } from "./_app_servers.ts";
import { serveLocally } from "./_serve.ts";
import { turns } from "../_wait.ts";

const ROOT = new URL("../../", import.meta.url);

/** The pages for admins only, and a missing one. */
export const PAGES_FOR_ADMINS: readonly string[] = [
  "/",
  "/account",
  "/account/password",
  "/account/email",
  "/account/email/change",
  "/account/security",
  "/account/security/app",
  "/account/security/app/remove",
  "/account/confirm",
  "/account/logins",
  "/account/passkeys",
  "/account/sessions",
  "/account/keys",
  "/account/tokens",
  "/editor",
  "/editor/new",
  "/admin",
  "/admin/audit",
  "/source?file=docs/README.md",
  "/nowhere",
];

/** The password of all users in these tests. */
export const PASSWORD = "correct horse battery";

/** The cost of hashes in these tests: little. */
export const CHEAP: PasswordOptions = { memory: 64, passes: 1 };

/** The example application, served with its demo identity provider. */
export interface ExampleApp extends ServedApp, AsyncDisposable {
  readonly database: Query;
  readonly users: Users;
  /** The lines of the request log so far. */
  readonly log: string[];
  /** The errors that handlers have thrown so far. */
  readonly errors: unknown[];
  /** The emails sent so far. */
  readonly mails: Mail[];
  /** Returns the time in epoch milliseconds. */
  now(): number;
  /** Advances the time by milliseconds. */
  wait(passed: number): void;
  /** Creates a browser without cookies. */
  visitor(): Visitor;
  /** Creates a browser with a logged-in user of a role. */
  loggedIn(role?: "user" | "editor" | "admin"): Promise<Visitor>;
}

/** Options for {@linkcode startExampleApp}. */
export interface ExampleAppOptions {
  /** Wraps the application's database. */
  readonly wrap?: (query: Query) => Query;
  /** The trusted proxies. */
  readonly trustedProxies?: number;
  /** The accounts on the login page. */
  readonly demoAccounts?: () => Promise<DemoAccount[]>;
  /**
   * The cost of password hashes.
   *
   * @default {CHEAP}
   */
  readonly passwords?: PasswordOptions;
}

/** Serves the example application on a free port, over a database in memory. */
export async function startExampleApp(
  options: ExampleAppOptions = {},
): Promise<ExampleApp> {
  const { wrap = (query) => query, trustedProxies, demoAccounts } = options;
  const { passwords = CHEAP } = options;
  const sent = new Set<Promise<void>>();
  const server = listen(sent);
  const demoServer = listen(sent);
  const baseURL = `http://localhost:${server.port}`;
  const issuer = `http://127.0.0.1:${demoServer.port}`;
  // The clock is frozen, so that delays do not depend on the time of a hash.
  let time = Date.now();
  const now = () => time;
  const demo = createDemoProvider({
    issuer,
    baseURL,
    name: "demo",
    now,
  });
  demoServer.serve(demo.fetch);
  const database = overSQLite(new DatabaseSync(":memory:"));
  await createTables(database);
  const users = new Users(database);
  const log: string[] = [];
  const errors: unknown[] = [];
  const mails: Mail[] = [];
  const app = createApp({
    database: wrap(database),
    baseURL,
    logins: [createOIDCLogin(demo.registration, { baseURL, now })],
    log: (line) => log.push(line),
    reportError: (error) => errors.push(error),
    sendMail: (mail) => void mails.push(mail),
    trustedProxies,
    readFile: (path) => Deno.readTextFile(new URL(path, ROOT)),
    now,
    demoAccounts,
    passwords,
  });
  server.serve(app.fetch);
  return {
    baseURL,
    issuer,
    database,
    users,
    log,
    errors,
    mails,
    now,
    wait: (passed) => void (time += passed),
    visitor: () => createVisitor(baseURL, sent),
    async loggedIn(role = "user") {
      const email = `${role}-${crypto.randomUUID()}@example.com`;
      const passwordHash = await hashPassword(PASSWORD, passwords);
      await users.create({ name: `Some ${role}`, email, role, passwordHash });
      const visitor = createVisitor(baseURL, sent);
      await visitor.post("/login", { email, password: PASSWORD });
      return visitor;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await demoServer.shutdown();
      await deliverEvents();
      database[Symbol.dispose]();
    },
  };
}

/** Waits for security events, which follow the response in the next task. */
export async function deliverEvents(): Promise<void> {
  await turns();
}

/**
 * Listens on a free port, before the application exists.
 *
 * @param sent Receives the responses on their way.
 */
function listen(sent: Set<Promise<void>>) {
  const { promise, resolve } = Promise.withResolvers<FetchFunction>();
  const server = serveLocally(async (request, info) => {
    const response = await (await promise)(request, info);
    const completed = info.completed.catch(() => {})
      .finally(() => sent.delete(completed));
    sent.add(completed);
    return response;
  });
  return {
    port: server.addr.port,
    serve: resolve,
    shutdown: () => server.shutdown(),
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
  logInExternally(person: string, start?: Answer): Promise<Answer>;
}

/** A response with its complete body. */
export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly body: string;
}

function createVisitor(baseURL: string, sent: Set<Promise<void>>): Visitor {
  const client = createTestClient(
    { fetch: (request) => fetch(request, { redirect: "manual" }) },
    { origin: baseURL },
  );
  const send = async (path: string, init: RequestInit) => {
    const answer = await read(await client.fetch(path, init));
    // Emails and security events follow the response in the next task.
    await Promise.all(sent);
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
    async logInExternally(person, start) {
      const { location } = start ?? await visitor.get("/auth/demo");
      return await visitor.get(await choose(location!, person));
    },
  };
  return visitor;
}

/** Creates an API key or an access token on its page, and returns it. */
export async function createSecret(
  visitor: Visitor,
  path: "/account/keys" | "/account/tokens",
  label = "Mine",
): Promise<string> {
  const { status, location } = await visitor.post(path, { label });
  assertEquals([status, location], [302, `${path}/new`]);
  const { body } = await visitor.get(location!);
  const [, secret] = /<code id="secret">([^<]+)<\/code>/.exec(body) ?? [];
  assertMatch(secret ?? "", /^board_(key|token)_\w{30,}$/);
  return secret!;
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
