/** API keys: their pages, their limits, and what they can't open. */
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { Auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { openapi } from "@gatehouse/web/openapi";
import { createTestClient } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import { Browser, linkOf, mailTo, tokenOf } from "../_accounts.ts";

const definition = defineAccounts({
  roles: ["user", "admin"],
  scopes: ["notes:read", "notes:write"],
});
const email = "ada@example.com";

/** Starts an application with routes for keys, and a user who is logged in. */
async function start(options: { perMinute?: number; database?: AccountStore }) {
  const { perMinute, database } = options;
  const accounts = testAccounts({
    definition,
    ...database && { database },
    apiKeys: { prefix: "acme", ...perMinute !== undefined && { perMinute } },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.get("/notes", accounts.requireScope("notes:read"), (context) => {
    const { id, scopes } = context.get(Auth);
    // @ts-expect-error The scope does not exist.
    assertEquals(scopes.includes("notes:burn"), false);
    return Response.json({ id, scopes });
  });
  router.post(
    "/notes",
    accounts.requireScope("notes:write"),
    () => new Response("written"),
  );
  router.get("/", accounts.requireUser, () => new Response("home"));
  router.get("/anyone", (context) => Response.json(context.get(Auth)));
  router.get(
    "/staff",
    [accounts.requireScope("notes:read"), accounts.requireRole("admin")],
    () => new Response("staff"),
  );
  router.get("/admin", accounts.requireRole("admin"), () => new Response());
  const user = (await accounts.users.create({ email, name: "Ada" }))!;
  const client = createTestClient(router, { remoteAddress: "192.0.2.1" });
  await accounts.logInTest(client, user.id);
  const ada = new Browser(client, {});
  /** Sends a request with a key, and no cookie. */
  const call = (token: string, path = "/notes", method = "GET") =>
    router.fetch(
      new Request(`https://test.example${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: "application/json",
        },
      }),
    );
  return { accounts, ada, call, router, user };
}

const KEY = { name: "Reports", scopes: ["notes:read"] } as const;

Deno.test("a user creates a key on the page, sees it once, and revokes it", async () => {
  const { accounts, ada, call, user } = await start({});
  const empty = await (await ada.get("/account/keys")).text();
  assertStringIncludes(empty, "You have no API keys.");
  const created = await ada.post("/account/keys", {
    name: "Reports",
    "scope-notes:read": "on",
    days: "30",
  });
  assertEquals(created.status, 200);
  assertEquals(created.headers.get("Cache-Control"), "no-store");
  const [token] = /acme_\w{49}/.exec(await created.text()) ?? [];
  assert(token !== undefined);
  const response = await call(token);
  assertEquals(await response.json(), { id: user.id, scopes: ["notes:read"] });

  const list = await (await ada.get("/account/keys")).text();
  assertStringIncludes(list, token.slice(0, 9));
  assertEquals(list.includes(token), false);
  const [key] = await accounts.keys.list(user.id);
  assertEquals(key?.name, "Reports");
  const page = await ada.get(`/account/keys/remove?id=${key!.id}`);
  assertStringIncludes(await page.text(), "Revoke Reports?");
  const revoked = await ada.post("/account/keys/remove", { id: key!.id });
  assertEquals(revoked.headers.get("Location"), "/account/keys");
  assertEquals((await call(token)).status, 401);
  assertEquals(await accounts.keys.list(user.id), []);
});

Deno.test("a key is revoked without a confirmation of an old login", async () => {
  const { accounts, ada, call, user } = await start({});
  const scopes = ["notes:read"] as const;
  const issued = await accounts.keys.issue(user.id, { name: "Stolen", scopes });
  accounts.wait(11 * 60_000);
  assertEquals((await ada.get("/account/keys")).status, 302);
  const { id } = issued!.key;
  assertEquals((await ada.post("/account/keys/remove", { id })).status, 303);
  assertEquals((await call(issued!.token)).status, 401);
});

Deno.test("a script creates, lists and revokes keys with JSON", async () => {
  const { ada, call } = await start({});
  const response = await ada.send("/account/keys", {
    ...KEY,
    scopes: ["notes:write"],
    days: "never",
  });
  const { key, id, expiresAt, next } = await response.json();
  assertEquals([next, expiresAt], ["done", null]);
  assertEquals((await call(key, "/notes", "POST")).status, 200);
  const listed = await ada.get("/account/keys", { Accept: "application/json" });
  const { keys } = await listed.json();
  assertEquals(keys.map((one: { id: string }) => one.id), [id]);
  assertEquals(JSON.stringify(keys).includes(key), false);
  await ada.send("/account/keys/remove", { id });
  assertEquals((await call(key, "/notes", "POST")).status, 401);
  assertEquals((await ada.send("/account/keys/remove", { id })).status, 404);
});

const invalid: [name: string, values: Record<string, unknown>][] = [
  ["name", { name: "" }],
  ["name", { name: { length: 1 } }],
  ["scopes", { scopes: [] }],
  ["scopes", { scopes: ["notes:read", "notes:burn"] }],
  ["scopes", { scopes: "notes:read" }],
  ["scopes", { scopes: { 0: "notes:read" } }],
  ["days", { days: 0 }],
  ["days", { days: -1 }],
  ["days", { days: 1e9 }],
  ["days", { days: "1e3" }],
  ["days", { days: [] }],
];

for (const [name, values] of invalid) {
  Deno.test(`a new key with ${JSON.stringify(values)} is refused`, async () => {
    const { accounts, ada, user } = await start({});
    const response = await ada.send("/account/keys", { ...KEY, ...values });
    assertEquals(response.status, 422);
    assertEquals(Object.keys((await response.json()).errors), [name]);
    assertEquals(await accounts.keys.list(user.id), []);
  });
}

Deno.test("the owner gets an email about a new key, and its link revokes the key", async () => {
  const { accounts, ada, call } = await start({});
  const response = await ada.send("/account/keys", {
    ...KEY,
    name: "https://evil.example",
  });
  const { key } = await response.json();
  const mail = mailTo(email, accounts);
  assertStringIncludes(mail.text, "An API key was created");
  assertEquals(mail.text.includes("evil"), false);
  assertStringIncludes(linkOf(mail), "/account/not-me");
  accounts.wait(1_000);
  const later = await (await ada.send("/account/keys", KEY)).json();
  await ada.post("/account/not-me", { token: tokenOf(mail) });
  assertEquals((await call(key)).status, 401);
  assertEquals((await call(later.key)).status, 401);
});

Deno.test("a key opens only routes that name a scope", async () => {
  const { accounts, call, user } = await start({});
  await accounts.users.setRole(user.id, "admin");
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  assertEquals((await call(token)).status, 200);
  assertEquals((await call(token, "/notes", "POST")).status, 403);
  assertEquals((await call(token, "/")).status, 401);
  assertEquals((await call(token, "/admin")).status, 401);
  assertEquals(await (await call(token, "/anyone")).json(), null);
  for (const path of ["/account", "/account/keys", "/account/password"]) {
    assertEquals((await call(token, path)).status, 401, path);
    assertEquals((await call(token, path, "POST")).status, 401, path);
  }
});

Deno.test("a key never has more rights than its user at the time of the request", async () => {
  const { accounts, call, user } = await start({});
  const root = { email: "root@example.com", name: "Root" };
  await accounts.users.create({ ...root, role: "admin" });
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  assertEquals((await call(token, "/staff")).status, 403);
  await accounts.users.setRole(user.id, "admin");
  assertEquals((await call(token, "/staff")).status, 200);
  await accounts.users.setRole(user.id, "user");
  assertEquals((await call(token, "/staff")).status, 403);
  await accounts.users.disable(user.id, { reason: "spam" });
  assertEquals((await call(token)).status, 401);
  await accounts.users.enable(user.id);
  assertEquals((await call(token)).status, 200);
  await accounts.users.remove(user.id);
  assertEquals((await call(token)).status, 401);
});

Deno.test("a key ends with the access and waits while a deletion is due", async () => {
  const { accounts, ada, call, user } = await start({});
  const first = (await accounts.keys.issue(user.id, KEY))!;
  await ada.post("/account/delete");
  assertEquals((await call(first.token)).status, 401);
  await accounts.users.endAccess(user.id);
  assertEquals(await accounts.keys.list(user.id), []);
});

Deno.test("a reset by email removes the keys", async () => {
  const { accounts, ada, call, user } = await start({});
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  await ada.post("/login/reset", { email });
  const link = tokenOf(mailTo(email, accounts));
  const password = "another horse battery";
  await ada.post("/login/reset/link", { token: link, password });
  assertEquals((await call(token)).status, 401);
  assertEquals(await accounts.keys.list(user.id), []);
});

Deno.test("a key expires, and a scope that is no longer listed is lost", async () => {
  const database = createMemoryAccountStore();
  const { accounts, call, user } = await start({ database });
  const expiresAt = user.createdAt + 60_000;
  const key = (await accounts.keys.issue(user.id, { ...KEY, expiresAt }))!;
  assertEquals((await call(key.token)).status, 200);
  accounts.wait(61_000);
  assertEquals((await call(key.token)).status, 401);

  const later = testAccounts({
    definition: defineAccounts({ scopes: ["notes:write"] }),
    database,
    apiKeys: { prefix: "acme" },
  });
  const router = createRouter({ middleware: later.middleware });
  router.get("/", later.requireScope("notes:write"), () => new Response());
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  const headers = { Authorization: `Bearer ${token}` };
  const response = await router.fetch("https://test.example/", { headers });
  assertEquals(response.status, 403);
});

for (const expiresAt of ["tomorrow", {}, undefined]) {
  Deno.test(`a stored key with the expiry ${JSON.stringify(expiresAt)} counts as expired`, async () => {
    const database = createMemoryAccountStore();
    const { accounts, ada, call, user } = await start({ database });
    const { key, token } = (await accounts.keys.issue(user.id, KEY))!;
    const data = { scopes: ["notes:read"], start: "acme_1", expiresAt };
    const use = { usedAt: 0, counter: 1, data: data as never };
    assertEquals(await database.useWayIn("key", key.id, use, 0), true);
    assertEquals((await call(token)).status, 401);
    assertEquals((await ada.get("/account/keys")).status, 200);
  });
}

Deno.test("a login in a browser has all scopes", async () => {
  const { ada } = await start({});
  assertEquals((await ada.get("/notes")).status, 200);
  assertEquals((await ada.post("/notes")).status, 200);
});

const malformed = ["", "x", "acme_", "acme_" + "a".repeat(49), "é", "a b"];

for (const token of malformed) {
  Deno.test(`the key ${JSON.stringify(token)} gets a 401`, async () => {
    const { router } = await start({});
    const headers = new Headers();
    try {
      headers.set("Authorization", `Bearer ${token}`);
    } catch {
      return; // No client can send it.
    }
    const response = await router.fetch("https://test.example/notes", {
      headers,
    });
    assertEquals(response.status, 401);
    assertStringIncludes(response.headers.get("WWW-Authenticate")!, "Bearer");
  });
}

Deno.test("uses are stored after the response, and at most once a minute", async () => {
  const database = createMemoryAccountStore();
  const stored: number[] = [];
  let isDown = false;
  const watched: AccountStore = Object.create(database, {
    useWayIn: {
      value: (...args: Parameters<AccountStore["useWayIn"]>) => {
        if (isDown) return Promise.reject(new Error("s3cret"));
        stored.push(args[2].usedAt);
        return database.useWayIn(...args);
      },
    },
  });
  for (
    const name of Object.getOwnPropertyNames(Object.getPrototypeOf(database))
  ) {
    if (name === "constructor" || name === "useWayIn") continue;
    const method = database[name as keyof AccountStore] as CallableFunction;
    Object.defineProperty(watched, name, { value: method.bind(database) });
  }
  const { accounts, call, user } = await start({ database: watched });
  const { key, token } = (await accounts.keys.issue(user.id, KEY))!;
  assertEquals(key.usedAt, null);
  await call(token);
  const first = (await accounts.keys.list(user.id))[0]!.usedAt!;
  assertNotEquals(first, null);
  await Promise.all(Array.from({ length: 20 }, () => call(token)));
  accounts.wait(59_000);
  await call(token);
  assertEquals(stored, [first]);
  accounts.wait(1_000);
  await call(token);
  assertEquals(stored, [first, first + 60_000]);

  isDown = true;
  accounts.wait(60_000);
  using output = captureConsole();
  assertEquals((await call(token)).status, 200);
  assertEquals(output.printed, [
    "Cannot store the use of an API key: AccountStoreError",
  ]);
});

Deno.test("each key has a separate limit, and a flood of one does not slow the others", async () => {
  const { accounts, ada, call, user } = await start({ perMinute: 3 });
  const one = (await accounts.keys.issue(user.id, KEY))!;
  const other = (await accounts.keys.issue(user.id, KEY))!;
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) statuses.push((await call(one.token)).status);
  assertEquals(statuses, [200, 200, 200, 429, 429]);
  const limited = await call(one.token);
  assertEquals(limited.headers.get("Retry-After"), "20");
  assertEquals((await call(other.token)).status, 200);
  for (let n = 0; n < 5; n++) {
    assertEquals((await ada.get("/notes")).status, 200);
  }
});

Deno.test("100 parallel requests leave an account with at most 50 keys", async () => {
  const { accounts, ada, user } = await start({});
  for (let n = 0; n < 45; n++) await accounts.keys.issue(user.id, KEY);
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => ada.send("/account/keys", KEY)),
  );
  const created = responses.filter(({ status }) => status === 200).length;
  assert(created <= 5);
  assertEquals((await accounts.keys.list(user.id)).length, 45 + created);
  assertEquals(
    await accounts.keys.issue(user.id, KEY) === null,
    45 + created === 50,
  );
});

Deno.test("no key survives an end of access at the same time", async () => {
  const { accounts, ada, call, user } = await start({});
  const responses = await Promise.all([
    ...Array.from({ length: 10 }, () => ada.send("/account/keys", KEY)),
    accounts.users.endAccess(user.id).then(() => null),
    ...Array.from({ length: 10 }, () => ada.send("/account/keys", KEY)),
  ]);
  assertEquals(await accounts.keys.list(user.id), []);
  for (const response of responses) {
    if (response?.status !== 200) continue;
    assertEquals((await call((await response.json()).key)).status, 401);
  }
});

Deno.test("no user revokes or sees the key of another one", async () => {
  const { accounts, ada, call } = await start({});
  const eve = (await accounts.users.create({
    email: "eve@example.com",
    name: "Eve",
  }))!;
  const { key, token } = (await accounts.keys.issue(eve.id, KEY))!;
  assertEquals(
    (await ada.post("/account/keys/remove", { id: key.id })).status,
    404,
  );
  const page = await ada.get(`/account/keys/remove?id=${key.id}`);
  assertEquals(page.status, 404);
  assertEquals((await page.text()).includes("Reports"), false);
  assertEquals((await call(token)).status, 200);
});

Deno.test("without scopes there are no keys, no page and no link", async () => {
  const accounts = testAccounts();
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.1" });
  const user = (await accounts.users.create({ email, name: "Ada" }))!;
  await accounts.logInTest(client, user.id);
  assertEquals((await client.fetch("/account/keys")).status, 404);
  const page = await (await client.fetch("/account")).text();
  assertEquals(page.includes("/account/keys"), false);
  const requireScope = accounts.requireScope as (...names: string[]) => unknown;
  assertThrows(() => requireScope("notes:read"), TypeError, "notes:read");
});

Deno.test("keys.issue() refuses unknown users and scopes", async () => {
  const { accounts, user } = await start({});
  assertEquals(await accounts.keys.issue("unknown", KEY), null);
  for (const scopes of [[], ["notes:burn"]]) {
    await assertRejects(
      () => accounts.keys.issue(user.id, { name: "x", scopes: scopes as [] }),
      TypeError,
      "scope",
    );
  }
});

Deno.test("OpenAPI shows the scopes and the schemes of requireScope()", async () => {
  const { router } = await start({});
  const document = JSON.parse(JSON.stringify(
    openapi(router, { info: { title: "Notes", version: "1" } }).document,
  ));
  assertEquals(document.paths["/notes"].post.security, [
    { session: ["notes:write"] },
    { keys: ["notes:write"] },
  ]);
});
