import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { captureConsole } from "../../_console.ts";
import { KEY, start } from "./_keys.ts";

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

Deno.test("a use that another request has just stored is not stored again", async () => {
  const database = createMemoryAccountStore();
  const { findWayIn, useWayIn } = database;
  let unused: Awaited<ReturnType<AccountStore["findWayIn"]>> | undefined;
  let isLate = false;
  let count = 0;
  database.findWayIn = async (...args) => {
    const found = await findWayIn.apply(database, args);
    unused ??= found;
    const isFirst = isLate;
    isLate = false;
    return isFirst ? unused : found;
  };
  database.useWayIn = (...args) => {
    count++;
    return useWayIn.apply(database, args);
  };
  const { accounts, call, user } = await start({ database });
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  await call(token);
  // The second request has read the key before the first one stored its use.
  isLate = true;
  assertEquals((await call(token)).status, 200);
  assertEquals(count, 1);
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
