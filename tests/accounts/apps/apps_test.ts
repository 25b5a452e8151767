/** Connected apps: their page, and everything that ends them. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createGrant, createMemoryApps } from "../_apps.ts";
import { PASSWORD, startAccounts, tokenOf } from "../_accounts.ts";

const email = "ada@example.com";

/** Starts accounts with an authorization server and a user who is logged in. */
async function start() {
  const database = createMemoryAccountStore();
  const definition = defineAccounts({ paths: { admin: "/staff" } });
  const app = startAccounts({ database, definition });
  const apps = createMemoryApps();
  app.accounts.connect(apps);
  const ada = await app.registered();
  const { id } = (await app.accounts.users.findByEmail(email))!;
  return { ...app, ada, apps, database, id };
}

/** Returns the accessible names of the buttons that disconnect one app. */
function buttonsOf(page: string): string[] {
  return [...page.matchAll(/aria-label="Disconnect ([^"]*)"/g)]
    .map(([, name]) => name!);
}

Deno.test("the page lists the client, its host and the rights in words", async () => {
  const { ada, apps, id } = await start();
  const none = await (await ada.get("/account/apps")).text();
  assertStringIncludes(none, "No app is connected");
  assertStringIncludes(none, '<a href="/account/apps"');
  apps.add(id);
  const page = await (await ada.get("/account/apps")).text();
  for (
    const text of [
      "<bdi>Claude</bdi>",
      "<code>claude.ai</code>",
      "Notes: Read your notes, notes:write",
      "connected 2026-10-20",
      "last used 2026-10-27",
    ]
  ) assertStringIncludes(page, text);
  assertEquals(page.includes("Disconnect all"), false);
  const json = await ada.get("/account/apps", { Accept: "application/json" });
  const { apps: [first] } = await json.json();
  assertEquals([first.client.name, first.scopes.length], ["Claude", 2]);
});

Deno.test("without an authorization server there is no page and no link", async () => {
  const { registered } = startAccounts();
  const ada = await registered();
  assertEquals((await ada.get("/account/apps")).status, 404);
  assertEquals((await ada.post("/account/apps", { all: "on" })).status, 404);
  const page = await (await ada.get("/account")).text();
  assertEquals(page.includes("/account/apps"), false);
  const sessions = await (await ada.get("/account/sessions")).text();
  assertEquals(sessions.includes("apps"), false);
});

Deno.test("the page is German for a German browser", async () => {
  const { browser, apps, id } = await start();
  apps.add(id);
  apps.add(id);
  const ada = browser({ "Accept-Language": "de" });
  await ada.post("/login", { email, password: PASSWORD });
  const page = await (await ada.get("/account/apps")).text();
  for (
    const text of ["Verbundene Apps", "Claude trennen", "Alle Apps trennen"]
  ) {
    assertStringIncludes(page, text);
  }
});

Deno.test("a user disconnects one app, long after the login, and it is an event", async () => {
  const { accounts, ada, apps, database, id } = await start();
  const grant = apps.add(id);
  apps.add(id);
  accounts.wait(20 * 60_000);
  const response = await ada.post("/account/apps", { id: grant.id });
  assertEquals(response.headers.get("Location"), "/account/apps");
  assertEquals((await apps.grants(id)).length, 1);
  assertStringIncludes(
    await (await ada.get("/account/apps")).text(),
    "Disconnected. Access has ended.",
  );
  const { entries: [entry] } = await database.audit.list({ of: id });
  assertEquals([entry!.action, entry!.reason], ["key-revoke", "oauth"]);
  // A second click of a double click finds nothing.
  const again = await ada.post("/account/apps", { id: grant.id });
  assertEquals(again.status, 404);
  assertStringIncludes(await again.text(), "no longer connected");
});

Deno.test("a script disconnects an app, and all apps", async () => {
  const { ada, apps, id } = await start();
  const grant = apps.add(id);
  apps.add(id);
  apps.add(id);
  const one = await ada.send("/account/apps", { id: grant.id });
  assertEquals(await one.json(), { next: "done", location: "/account/apps" });
  assertEquals((await apps.grants(id)).length, 2);
  const all = await ada.send("/account/apps", { all: true });
  assertEquals(all.status, 200);
  assertEquals(await apps.grants(id), []);
});

Deno.test("a malformed id disconnects nothing", async () => {
  const { ada, apps, browser, id } = await start();
  apps.add(id);
  for (const given of [7, null, [], {}, true, "", "x", "__proto__", "\0"]) {
    const response = await ada.send("/account/apps", { id: given });
    assertEquals(response.status, 404, `${given}`);
    await response.body?.cancel();
  }
  for (const all of [false, 1, "yes", null, []]) {
    assertEquals((await ada.send("/account/apps", { all })).status, 404);
  }
  assertEquals((await ada.post("/account/apps")).status, 404);
  const visitor = browser();
  assertEquals(
    (await visitor.send("/account/apps", { all: true })).status,
    401,
  );
  assertEquals((await apps.grants(id)).length, 1);
});

Deno.test("a user cannot disconnect the apps of another", async () => {
  const { apps, id, registered } = await start();
  const grant = apps.add(id);
  const eve = await registered({ email: "eve@example.com" });
  assertEquals((await eve.post("/account/apps", { id: grant.id })).status, 404);
  assertEquals((await eve.post("/account/apps", { all: "on" })).status, 303);
  assertEquals((await apps.grants(id)).length, 1);
});

Deno.test("another site cannot disconnect apps", async () => {
  const { ada, apps, id } = await start();
  apps.add(id);
  const response = await ada.client.fetch("/account/apps", {
    method: "POST",
    headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    body: new URLSearchParams({ all: "on" }),
  });
  assertEquals(response.status, 403);
  assertEquals((await apps.grants(id)).length, 1);
});

Deno.test("names that a client has chosen do not leave their element", async () => {
  const { ada, apps, id } = await start();
  const name = '"><script>alert(1)</script>\u202e';
  const host = "xn--80ak6aa92e.com";
  apps.add(id, createGrant({ client: { id: "1", name, host } }));
  apps.add(id, createGrant({ client: { id: "2" }, redirectHost: "localhost" }));
  const resource = createGrant({
    client: { id: "3", name: "x".repeat(200) },
    scopeTexts: undefined,
    resourceName: undefined,
    scopes: ["__proto__", "constructor"],
  });
  apps.add(id, resource);
  const page = await (await ada.get("/account/apps")).text();
  assertEquals(page.includes("<script>alert"), false);
  assertStringIncludes(page, `<code>${host}</code>`);
  assertStringIncludes(page, "<bdi>localhost</bdi>");
  assertStringIncludes(
    page,
    "https://test.example/mcp: __proto__, constructor",
  );
});

Deno.test("the apps of one client are next to each other, 20 on a page", async () => {
  const { ada, apps, id } = await start();
  for (let n = 0; n < 45; n++) {
    const client = { id: `c${n % 3}`, name: `App ${n % 3}`, host: "a.example" };
    apps.add(id, createGrant({ client }));
  }
  const names: string[] = [];
  let path: string | undefined = "/account/apps";
  let pages = 0;
  while (path !== undefined) {
    const page: string = await (await ada.get(path)).text();
    names.push(...buttonsOf(page));
    path = /href="(\/account\/apps\?after=[^"]+)"/.exec(page)?.[1];
    pages++;
  }
  assertEquals([names.length, pages], [45, 3]);
  assertEquals(names, names.toSorted().reverse());
  const json = await ada.get("/account/apps", { Accept: "application/json" });
  const first = await json.json();
  assertEquals([first.apps.length, typeof first.next], [20, "string"]);
  // A page after an app that was disconnected begins again.
  const gone = await (await ada.get("/account/apps?after=gone")).text();
  assertEquals(buttonsOf(gone).length, 20);
});

Deno.test("the grants of two authorization servers are in one list", async () => {
  const { accounts, ada, apps, id } = await start();
  const other = createMemoryApps();
  accounts.connect(other);
  apps.add(id);
  other.add(id);
  const page = await (await ada.get("/account/apps")).text();
  assertEquals(buttonsOf(page).length, 2);
  await ada.post("/account/apps", { all: "on" });
  assertEquals([await apps.grants(id), await other.grants(id)], [[], []]);
});

/** Everything that ends all access, which also disconnects the apps. */
const ends: Record<
  string,
  (app: Awaited<ReturnType<typeof start>>) => Promise<unknown>
> = {
  "the end of all other sessions": ({ ada }) => ada.post("/account/sessions"),
  "users.endAccess()": ({ accounts, id }) => accounts.users.endAccess(id),
  "users.disable()": ({ accounts, id }) =>
    accounts.users.disable(id, { reason: "spam" }),
  "users.remove()": ({ accounts, id }) => accounts.users.remove(id),
  async "the deletion by the user"({ accounts, ada }) {
    await ada.post("/account/delete");
    accounts.wait(8 * 86_400_000);
    await accounts.sweep();
  },
};

for (const [name, end] of Object.entries(ends)) {
  Deno.test(`${name} disconnects all apps of this user only`, async () => {
    const app = await start();
    app.apps.add(app.id);
    app.apps.add("other");
    await end(app);
    await app.accounts.flush();
    assertEquals(await app.apps.grants(app.id), []);
    assertEquals((await app.apps.grants("other")).length, 1);
  });
}

Deno.test("the end of all other sessions is an event of the apps only if there were some", async () => {
  const { ada, apps, database, id } = await start();
  const actions = async () =>
    (await database.audit.list({ of: id })).entries
      .map(({ action }) => action);
  await ada.post("/account/sessions");
  assertEquals(await actions(), []);
  apps.add(id);
  await ada.post("/account/sessions");
  assertEquals(await actions(), ["key-revoke"]);
});

/** Changes that end the grants by the version, without a call of the server. */
const changes: Record<
  string,
  (app: Awaited<ReturnType<typeof start>>) => Promise<unknown>
> = {
  "a new password": ({ ada }) =>
    ada.post("/account/password", { password: "another horse battery" }),
  async "a reset"({ browser, lastMail }) {
    const owner = browser();
    await owner.post("/login/reset", { email });
    const token = tokenOf(await lastMail(email));
    const password = "another horse battery";
    await owner.post("/login/reset/link", { token, password });
  },
  "the request for a deletion": ({ ada }) => ada.post("/account/delete"),
  "a block": ({ accounts, id }) =>
    accounts.users.disable(id, { reason: "spam", until: Date.now() + 1 }),
};

for (const [name, change] of Object.entries(changes)) {
  Deno.test(`${name} raises the version, which ends earlier grants`, async () => {
    const app = await start();
    const { accounts, id, database } = app;
    const before = accounts.version((await accounts.find(id))!);
    await change(app);
    await accounts.flush();
    assert((await database.find(id))!.version > before);
  });
}

Deno.test("the end of one session disconnects no app", async () => {
  const { ada, apps, browser, id } = await start();
  apps.add(id);
  const other = browser();
  await other.post("/login", { email, password: PASSWORD });
  const page = await (await ada.get("/account/sessions")).text();
  assertStringIncludes(page, "also disconnects all apps");
  const [, session = ""] = /name="id" value="([^"]+)"/.exec(page)!;
  await ada.post("/account/sessions", { id: session });
  assertEquals(await other.isLoggedIn(), false);
  assertEquals((await apps.grants(id)).length, 1);
});

Deno.test("an account whose grants cannot be ended is not removed", async () => {
  const { accounts, apps, id } = await start();
  let isDown = true;
  accounts.connect({
    grants: () => Promise.resolve([]),
    revoke: () =>
      isDown ? Promise.reject(new Error("down")) : Promise.resolve(0),
  });
  apps.add(id);
  await assertRejects(() => accounts.users.remove(id), Error, "down");
  assert(await accounts.users.find(id) !== null);
  isDown = false;
  assertEquals(await accounts.users.remove(id), true);
});

Deno.test("the download of an account's data has the connected apps", async () => {
  const { ada, apps, id } = await start();
  const grant = apps.add(id);
  const data = await (await ada.post("/account/data")).json();
  assertEquals(data.apps, [{
    name: "Claude",
    host: "claude.ai",
    resource: "https://test.example/mcp",
    scopes: ["notes:read", "notes:write"],
    connectedAt: new Date(grant.createdAt).toISOString(),
    usedAt: "2026-10-27T00:00:00.000Z",
  }]);
});

Deno.test("an administrator who acts as a user does not see or disconnect apps", async () => {
  const app = await start();
  const { accounts, ada, apps, id, registered, router } = app;
  router.map(accounts.adminRoutes, accounts.adminController);
  await accounts.users.setRole(id, "admin");
  await registered({ email: "eve@example.com" });
  const eve = (await accounts.users.findByEmail("eve@example.com"))!;
  apps.add(eve.id);
  const path = `/staff/users/${eve.id}`;
  const acted = await ada.post(path, { do: "act", reason: "help" });
  assertEquals(acted.status, 303);
  assertEquals((await ada.get("/account/apps")).status, 403);
  assertEquals((await ada.post("/account/apps", { all: "on" })).status, 403);
  assertEquals((await apps.grants(eve.id)).length, 1);
});
