import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  type AccountsOptions,
  createAccounts,
  type Mail,
} from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { completeAuth } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { captureConsole } from "../_console.ts";
import { codeOf, PASSWORD, startAccounts } from "./_accounts.ts";

const email = "ada@example.com";

Deno.test("paths of the application change routes, links and redirects", async () => {
  const { browser } = startAccounts({
    definition: defineAccounts({
      paths: { login: "/auth", register: "/join", account: "/me" },
    }),
  });
  const guard = await browser().get("/");
  assertEquals(guard.headers.get("Location"), "/auth?returnTo=%2F");
  const page = await (await browser().get("/auth")).text();
  for (const path of ["/auth/reset", "/join", "/me/style.css"]) {
    assertStringIncludes(page, `"${path}"`);
  }
  assertEquals((await browser().get("/login")).status, 404);
});

const options: [name: string, options: Record<string, unknown>][] = [
  ["name", { name: "" }],
  ["name", { name: "a\nb" }],
  ["origin", { origin: "https://app.example/" }],
  ["origin", { origin: "http://app.example" }],
  ["sendMail", {
    origin: "https://app.example",
    secrets: ["q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0"],
  }],
  ["secrets", { origin: "https://app.example", sendMail: () => {} }],
  ["database", { database: {} }],
  ["admins", {
    admins: ["a@b.org"],
    definition: defineAccounts({ roles: ["x"] }),
  }],
  ["deletionDelay", { deletionDelay: NaN }],
  ["contentSecurityPolicy", {
    contentSecurityPolicy: { "font-src": ["a; b"] },
  }],
];

for (const [name, given] of options) {
  Deno.test(`createAccounts() names the option ${name} of ${Object.keys(given)}`, () => {
    const create = () =>
      createAccounts({
        name: "Invoices",
        origin: "http://localhost:8000",
        database: createMemoryAccountStore(),
        ...given,
      });
    assertThrows(create, Error, name);
  });
}

Deno.test("a development server prints its emails and refuses other hosts", async () => {
  const accounts = createAccounts({
    name: "Invoices",
    origin: "http://localhost:8000",
    database: createMemoryAccountStore(),
    passwords: { memory: 64, passes: 1 },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  using output = captureConsole("log");
  // The router knows no address of a client.
  using _warnings = captureConsole("warn");
  const body = new URLSearchParams({ email, name: "Ada", password: PASSWORD });
  const init = { method: "POST", body };
  const response = await router.fetch("http://localhost:8000/register", init);
  assertEquals(response.status, 303);
  await accounts.flush();
  assertStringIncludes(String(output.printed), "Email to ada@example.com");
  const other = await router.fetch("http://evil.example:8000/login");
  assertEquals(other.status, 421);
});

const DAY = 86_400_000;

/** Options at their limits. */
const accepted: Partial<AccountsOptions>[] = [
  { name: "x".repeat(60) },
  { sessions: { remember: false } },
  { sessions: { remember: { absolute: 1 } } },
  { sessions: { remember: { absolute: 2 * DAY, idle: 1 } } },
  { auditRetention: 0 },
  { deletionDelay: 0 },
  { hookTimeout: 60_000 },
  { hookTimeout: 1 },
  { apiKeys: { perMinute: 1 } },
  { contentSecurityPolicy: {} },
  { contentSecurityPolicy: { "font-src": [] } },
  { admins: [] },
  { hooks: {} },
  { home: "/app?tab=1" },
  { origin: "http://127.0.0.1:8000" },
];

for (const given of accepted) {
  Deno.test(`createAccounts() accepts ${JSON.stringify(given).slice(0, 70)}`, () => {
    const accounts = createAccounts({
      name: "Invoices",
      origin: "http://localhost:8000",
      database: createMemoryAccountStore(),
      ...given,
    });
    assertEquals(accounts.middleware.length, 3);
  });
}

Deno.test("a deletion waits for seven days, and the audit log is kept for 365 days", async () => {
  let time = Date.UTC(2026, 10, 27);
  const now = () => time;
  const database = createMemoryAccountStore({ now });
  const { accounts, registered } = startAccounts({ database, now });
  const ada = await registered();
  const { id } = (await database.findByEmail(email))!;
  const entry = { actorId: id, userId: "other", reason: "" };
  await database.audit.add({ ...entry, action: "x", id: "e", at: time });
  await ada.post("/account/delete");
  assertEquals((await database.find(id))?.deleteAt, time + 7 * DAY);
  const state = async () => {
    await accounts.sweep();
    const { entries } = await database.audit.list({ action: "x" });
    return [await database.find(id) !== null, entries.length];
  };
  time += 7 * DAY - 1;
  assertEquals(await state(), [true, 1]);
  time++;
  assertEquals(await state(), [false, 1]);
  time += 358 * DAY;
  assertEquals(await state(), [false, 1]);
  time++;
  assertEquals(await state(), [false, 0]);
});

Deno.test("sweep() removes the expired values of the database, and those of a separate store", async () => {
  for (const isSeparate of [true, false]) {
    const database = createMemoryAccountStore();
    const store = isSeparate ? createMemorySessionStore() : database.values;
    const swept: string[] = [];
    const count = (name: string, values: SessionStore) => {
      const sweep = values.sweep?.bind(values);
      values.sweep = async (...given) => {
        swept.push(name);
        return await sweep!(...given);
      };
    };
    count("values", database.values);
    if (isSeparate) count("sessions", store);
    const accounts = createAccounts({
      name: "Invoices",
      origin: "http://localhost:8000",
      database,
      sessions: { store },
    });
    await accounts.sweep();
    assertEquals(swept, isSeparate ? ["values", "sessions"] : ["values"]);
  }
});

Deno.test("two processes without secrets share the one of their database", async () => {
  const database = createMemoryAccountStore();
  const secrets: string[] = [];
  const secret = database.secret.bind(database);
  database.secret = async (name, value) => {
    secrets.push(await secret(name, value));
    return secrets.at(-1)!;
  };
  const create = () => {
    const mails: Mail[] = [];
    const accounts = createAccounts({
      name: "Invoices",
      origin: "http://localhost:8000",
      database,
      passwords: { memory: 64, passes: 1 },
      sendMail: (mail) => void mails.push(mail),
    });
    const router = createRouter({ middleware: accounts.middleware });
    router.map(accounts.routes, accounts.controller);
    return { accounts, mails, router };
  };
  const [first, second] = [create(), create()];
  const remoteAddress = "192.0.2.1";
  const origin = "http://localhost:8000";
  const client = createTestClient(first.router, { origin, remoteAddress });
  const other = createTestClient(second.router, { origin, remoteAddress });
  const post = (client: TestClient, path: string, values: object) =>
    client.fetch(path, {
      method: "POST",
      body: new URLSearchParams(Object.entries(values)),
    });
  await post(client, "/register", { email, name: "Ada", password: PASSWORD });
  await first.accounts.flush();
  for (const [name, value] of client.cookies) {
    (other.cookies as Map<string, string>).set(name, value);
  }
  const code = codeOf(first.mails[0]!);
  const done = await post(other, "/register/code", { code });
  assertEquals(done.status, 303);
  assertEquals(new Set(secrets).size, 1);
  // Later requests do not read it again.
  const { length } = secrets;
  await post(client, "/login", { email, password: PASSWORD });
  assertEquals(secrets.length, length);
});

Deno.test("a session without a version has no user, and warns once", async () => {
  const { accounts, browser, registered, router } = startAccounts();
  await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  router.post("/log-in", async (context) => {
    await completeAuth(context, id);
    return new Response();
  });
  using output = captureConsole("warn");
  for (let count = 0; count < 2; count++) {
    const ada = browser();
    await ada.post("/log-in");
    assertEquals(await ada.isLoggedIn(), false);
  }
  assertEquals(output.printed.length, 1);
  assertStringIncludes(String(output.printed), "without a version");
});
