import { assert, assertEquals, assertThrows } from "@std/assert";
import { type AccountsOptions, createAccounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createTestClient, createTestProvider } from "@gatehouse/web/testing";
import { createMemoryApps } from "../_apps.ts";
import {
  Browser,
  exampleProviders,
  PASSWORD,
  routesOf,
  tokenOf,
} from "../_accounts.ts";
import { DAY, start } from "./_admins.ts";

Deno.test("only an administrator opens a page or changes an account", async () => {
  const { accounts, adaId, logIn, log, router, rootId } = await start();
  const visitor = new Browser(createTestClient(router), {});
  const ada = await logIn(adaId);
  const paths = ["/admin", `/admin/users/${rootId}`, "/admin/audit"];
  for (const path of [...paths, "/admin/audit.csv", "/admin/users/none"]) {
    const login = await visitor.get(path);
    assertEquals(login.status, 302, path);
    assert(login.headers.get("Location")?.startsWith("/login"));
    const json = { Accept: "application/json" };
    assertEquals((await visitor.get(path, json)).status, 401, path);
    assertEquals((await ada.get(path)).status, 403, path);
  }
  for (const id of [rootId, adaId]) {
    for (
      const action of [
        "role",
        "disable",
        "enable",
        "end-access",
        "remove-factors",
        "remove",
        "act",
      ]
    ) {
      const values = {
        do: action,
        role: "admin",
        reason: "x",
        email: "ada@example.com",
      };
      const path = `/admin/users/${id}`;
      assertEquals((await ada.post(path, values)).status, 403, action);
      assertEquals((await ada.send(path, values)).status, 403, action);
      assertEquals((await visitor.send(path, values)).status, 401, action);
    }
  }
  assertEquals((await accounts.users.find(adaId))?.role, "user");
  assertEquals((await accounts.users.find(rootId))?.disabled, null);
  assertEquals(await log(), []);
});

Deno.test("an old login of an administrator changes nothing until it is confirmed", async () => {
  const { accounts, adaId, root } = await start();
  accounts.wait(11 * 60_000);
  const path = `/admin/users/${adaId}`;
  for (const page of ["/admin", path, "/admin/audit", "/admin/audit.csv"]) {
    const response = await root.get(page);
    assertEquals(response.status, 302, page);
    assert(response.headers.get("Location")?.startsWith("/account/confirm"));
  }
  await root.post(path, { do: "role", role: "admin" });
  const response = await root.send(path, { do: "role", role: "admin" });
  assertEquals(response.status, 401);
  assertEquals((await accounts.users.find(adaId))?.role, "user");
});

Deno.test("a form on another site changes no account", async () => {
  const { accounts, adaId, root } = await start();
  const response = await root.client.fetch(`/admin/users/${adaId}`, {
    method: "POST",
    headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    body: new URLSearchParams({ do: "role", role: "admin" }),
  });
  assertEquals(response.status, 403);
  assertEquals((await accounts.users.find(adaId))?.role, "user");
});

Deno.test("accounts are listed and searched with pages", async () => {
  const { create, root, store } = await start();
  for (let n = 0; n < 60; n++) await create(`Many${n}`, "user");
  const json = { Accept: "application/json" };
  const read = async (search: string) =>
    await (await root.get(`/admin${search}`, json)).json();
  const first = await read("?search=MANY");
  assertEquals(first.users.length, 50);
  const rest = await read(`?search=many&after=${first.next}`);
  assertEquals([rest.users.length, rest.next], [10, undefined]);
  assertEquals((await read("?role=admin")).users.length, 1);
  assertEquals("passwordHash" in first.users[0], false);
  const page = await (await root.get("/admin?search=many")).text();
  assert(page.includes(`search=many&amp;after=${first.next}`), page);
  const queries = [
    "after=x",
    "after=9999999999999999",
    "search=%00",
    "role=%27",
  ];
  for (const query of [...queries, `search=${"%".repeat(3)}`, "search=%25"]) {
    const response = await root.get(`/admin?${query}`);
    assertEquals(response.status, 200, query);
    await response.body?.cancel();
  }
  assertEquals(
    (await store.list({ role: "user", limit: 100 })).accounts.length,
    61,
  );
});

Deno.test("a name with markup is text on the pages for administrators", async () => {
  const { accounts, adaId, root } = await start();
  await accounts.users.update(adaId, { name: "<script>alert(1)</script>" });
  for (const path of ["/admin", `/admin/users/${adaId}`]) {
    const response = await root.get(path);
    const page = await response.text();
    assert(page.includes("&lt;script&gt;alert(1)"));
    assertEquals(page.includes("<script>"), false);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    const policy = response.headers.get("Content-Security-Policy");
    assert(policy?.includes("default-src 'none'"));
  }
});

const malformed = [
  [{}, 422],
  [{ do: "delete" }, 422],
  [{ do: "__proto__" }, 422],
  [{ do: ["role"], role: "admin" }, 422],
  [{ do: "role" }, 422],
  [{ do: "role", role: "owner" }, 422],
  [{ do: "role", role: { a: 1 } }, 422],
  [{ do: "disable" }, 422],
  [{ do: "disable", reason: " \n " }, 422],
  [{ do: "disable", reason: "spam", until: "tomorrow" }, 422],
  [{ do: "disable", reason: "spam", until: "2001-01-01" }, 422],
  [{ do: "disable", reason: "spam", until: "9999-99-99" }, 422],
  [{ do: "disable", reason: "spam", until: 5 }, 422],
  [{ do: "remove" }, 422],
  [{ do: "remove", email: "root@example.com" }, 422],
  [{ do: "act" }, 422],
] as const;

for (const [values, status] of malformed) {
  Deno.test(`an administrator who sends ${JSON.stringify(values)} changes nothing`, async () => {
    const { accounts, adaId, log, root } = await start();
    const before = await accounts.users.find(adaId);
    const response = await root.send(`/admin/users/${adaId}`, values);
    assertEquals(response.status, status);
    assertEquals(await accounts.users.find(adaId), before);
    assertEquals(await log(), []);
  });
}

Deno.test("a block ends the sessions, and the page shows its reason and its end", async () => {
  const { accounts, adaId, log, logIn, root } = await start();
  const ada = await logIn(adaId);
  const path = `/admin/users/${adaId}`;
  const until = new Date(Date.now() + 5 * DAY).toISOString().slice(0, 10);
  await root.post(path, { do: "disable", reason: "spam\r\nx", until });
  assertEquals((await accounts.users.find(adaId))?.disabled, {
    reason: "spam x",
    until: Date.parse(until),
  });
  assertEquals((await (await ada.get("/")).json()).user, null);
  const page = await (await root.get(path)).text();
  assert(page.includes("spam x") && page.includes(until));
  await root.post(path, { do: "enable" });
  assertEquals((await accounts.users.find(adaId))?.disabled, null);
  assertEquals((await log(adaId)).sort(), ["disable: spam x", "enable"]);
});

Deno.test("the end of access ends sessions", async () => {
  const { adaId, log, logIn, root } = await start();
  const ada = await logIn(adaId);
  await root.post(`/admin/users/${adaId}`, { do: "end-access" });
  assertEquals((await (await ada.get("/")).json()).user, null);
  assertEquals(await log(adaId), ["end-access"]);
});

Deno.test("the factors of a user are removed, but not those of an administrator", async () => {
  const { accounts, adaId, log, logIn, root, rootId, store } = await start();
  const { version } = (await store.find(adaId))!;
  await store.addWayIn({
    ...{ kind: "passkey", id: "p1", accountId: adaId, name: "Key" },
    ...{ createdAt: 0, usedAt: null, counter: 0, data: null },
  }, version);
  const ada = await logIn(adaId);
  const remove = (id: string) =>
    root.send(`/admin/users/${id}`, { do: "remove-factors" });
  assertEquals((await remove(adaId)).status, 200);
  assertEquals(await store.waysIn(adaId), []);
  assertEquals((await (await ada.get("/")).json()).user, null);
  assertEquals(await log(adaId), ["remove-factors"]);
  assertEquals((await remove(rootId)).status, 409);
  await accounts.users.setRole(adaId, "admin");
  assertEquals((await remove(adaId)).status, 409);
});

Deno.test("a removed account leaves audit entries without its data", async () => {
  const { accounts, adaId, root, store } = await start();
  const path = `/admin/users/${adaId}`;
  await root.post(path, { do: "disable", reason: "Ada wrote spam" });
  const response = await root.post(path, {
    do: "remove",
    email: "ada@example.com",
  });
  assertEquals(response.headers.get("Location"), "/admin");
  assertEquals(await accounts.users.find(adaId), null);
  const { entries } = await store.audit.list({ of: adaId });
  assertEquals(entries.length, 2);
  assertEquals(
    /ada/i.test(JSON.stringify(entries.map((entry) => entry.reason))),
    false,
  );
  assertEquals((await root.get(path)).status, 404);
  const json = await root.get(path, { Accept: "application/json" });
  assertEquals(json.status, 404);
  assertEquals((await root.post(path, { do: "enable" })).status, 404);
});

Deno.test("administrators can neither block nor remove themselves or each other", async () => {
  const { accounts, create, root, rootId } = await start();
  const other = await create("Eve", "admin");
  for (const [id, email] of [[rootId, "root"], [other, "eve"]]) {
    const path = `/admin/users/${id}`;
    const block = await root.send(path, { do: "disable", reason: "x" });
    const address = `${email}@example.com`;
    const removal = await root.send(path, { do: "remove", email: address });
    assertEquals([block.status, removal.status], [409, 409]);
    assertEquals((await accounts.users.find(id!))?.disabled, null);
  }
});

Deno.test("the last administrator does not delete their account, even if two do it at once", async () => {
  const { accounts, create, log, logIn, root, rootId, store } = await start();
  const alone = await root.send("/account/delete", {});
  assertEquals(alone.status, 409);
  assert((await alone.text()).includes("last administrator"));
  assertEquals((await store.find(rootId))?.deleteAt, null);
  assertEquals((await log(rootId)).sort(), [
    "refused: admin → user",
    "role: admin → user",
  ]);
  const eve = await logIn(await create("Eve", "admin"));
  const both = await Promise.all(
    [root, eve].map((admin) => admin.send("/account/delete", {})),
  );
  assertEquals(both.map(({ status }) => status).sort(), [200, 409]);
  const { users } = await accounts.users.list({ role: "admin" });
  assertEquals(users.map(({ deleteAt }) => deleteAt), [null]);
});

Deno.test("a link that an administrator began does not reach the user as whom they act", async () => {
  const google = createTestProvider();
  const { adaId, root, rootId, store } = await start({
    providers: exampleProviders(google),
  });
  const begun = await root.send("/account/logins", { provider: "example" });
  const { location } = await begun.json();
  const callback = google.authorize(location, { user: { sub: "root" } });
  await root.send(`/admin/users/${adaId}`, { do: "act", reason: "Ticket 12" });
  const { status } = await root.client.fetch(callback);
  assertEquals(await store.waysIn(adaId), []);
  assertEquals(await store.waysIn(rootId), []);
  assertEquals(status, 400);
});

Deno.test("acting as a user needs a reason, and is refused for administrators", async () => {
  const { adaId, create, log, root, rootId } = await start();
  const other = await create("Eve", "admin");
  for (const id of [other, rootId]) {
    const values = { do: "act", reason: "Ticket 12" };
    assertEquals((await root.send(`/admin/users/${id}`, values)).status, 403);
  }
  assertEquals(await log(other), ["act-refuse: Ticket 12"]);
  const path = `/admin/users/${adaId}`;
  const response = await root.post(path, { do: "act", actReason: "Ticket 12" });
  assertEquals(response.headers.get("Location"), "/");
  const acting = await (await root.get("/")).json();
  assertEquals(acting, { user: adaId, actor: rootId });
  assertEquals((await root.get("/admin")).status, 403);
  const stop = await root.post("/admin/stop-acting");
  assertEquals(stop.headers.get("Location"), "/admin");
  const stopped = await (await root.get("/")).json();
  assertEquals(stopped, { user: rootId, actor: null });
  assertEquals((await log(adaId)).sort(), [
    "act-end: Ticket 12",
    "act-start: Ticket 12",
  ]);
});

Deno.test("no way in changes while an administrator acts as the user (policy 11)", async () => {
  const definition = defineAccounts({
    scopes: ["read"],
    teamRoles: ["owner", "reader"],
  });
  const { accounts, adaId, root, store } = await start({
    definition: definition as unknown as AccountsOptions["definition"],
    providers: exampleProviders(),
  });
  await accounts.keys.issue(adaId, {
    name: "Key",
    scopes: ["read"] as never,
    expiresAt: null,
  });
  const member = (await accounts.teams.create("Engines", adaId))!;
  const apps = createMemoryApps();
  accounts.connect(apps);
  apps.add(adaId);
  const snapshot = async () => ({
    apps: await apps.grants(adaId),
    account: await store.find(adaId),
    login: (await store.findLogin("ada@example.com"))?.passwordHash,
    ways: await store.waysIn(adaId),
    teams: await store.teams?.list(adaId),
  });
  const before = await snapshot();
  await root.send(`/admin/users/${adaId}`, { do: "act", reason: "Ticket 12" });
  const [way] = before.ways;
  const values = {
    email: "eve@example.com",
    password: PASSWORD,
    name: "Eve",
    code: "123456",
    provider: "example",
    id: way!.id,
    "scope-read": "on",
    days: "30",
    role: "owner",
    all: "on",
  };
  let count = 0;
  for (const route of routesOf(accounts.routes)) {
    if (route.method !== "POST") continue;
    const path = route.href({
      team: member.teamId,
      member: member.id,
      invitation: "i",
    });
    // These pages are for visitors, and prove something without the session.
    const isOwn = path.startsWith("/account") && !path.endsWith("/not-me") ||
      path.startsWith("/teams");
    if (!isOwn) continue;
    count++;
    const form = await root.post(path, values);
    // A fresh login cannot be confirmed while acting, so no form gets further.
    const isStopped = form.status === 403 ||
      form.headers.get("Location")?.startsWith("/account/confirm?");
    assert(isStopped, `${form.status} of ${path}`);
    const json = await root.send(path, values);
    assert([401, 403].includes(json.status), `${json.status} of ${path}`);
  }
  assert(count >= 15, `${count} routes`);
  const acting = await (await root.get("/")).json();
  assertEquals(acting.user, adaId);
  assertEquals(await snapshot(), before);
  assertEquals(accounts.mails.length, 0);
});

const refused = [
  [{ adminRole: "owner" }, TypeError, 'adminRole "owner" is not listed'],
  [{ adminRole: "user" }, TypeError, "is the role of new accounts"],
  [{ auditRetention: -1 }, RangeError, 'auditRetention "-1"'],
] as const;

for (const [options, error, message] of refused) {
  Deno.test(`createAccounts() refuses ${JSON.stringify(options)}`, () => {
    const create = () =>
      createAccounts({
        name: "Invoices",
        origin: "http://localhost:8000",
        database: createMemoryAccountStore(),
        ...options as object,
      });
    assertThrows(create, error, message);
  });
}

Deno.test("the pages for administrators are also in German", async () => {
  const { adaId, root } = await start();
  const language = { "Accept-Language": "de" };
  for (const path of ["/admin", `/admin/users/${adaId}`, "/admin/audit"]) {
    const page = await (await root.get(path, language)).text();
    assert(page.includes('<html lang="de">') && page.includes("Protokoll"));
  }
});

Deno.test("an administrator invites, lists and withdraws, and others get no such page", async () => {
  const { accounts, adaId, log, logIn, root, rootId, router } = await start({
    registration: "invited",
  });
  const path = "/admin/invitations";
  const email = "bob@example.com";
  const values = { do: "invite", email, role: "admin" };
  const visitor = new Browser(createTestClient(router), {});
  const ada = await logIn(adaId);
  assertEquals((await ada.get(path)).status, 403);
  for (const change of [values, { do: "withdraw", email }]) {
    assertEquals((await ada.post(path, change)).status, 403);
    assertEquals((await ada.send(path, change)).status, 403);
    assertEquals((await visitor.send(path, change)).status, 401);
  }
  const json = { Accept: "application/json" };
  const list = async () => await (await root.get(path, json)).json();
  assertEquals(await list(), { invitations: [] });
  for (
    const wrong of [
      { ...values, email: "bob" },
      { ...values, role: "owner" },
      { ...values, do: "x" },
      { ...values, email: "ada@example.com" },
    ]
  ) assertEquals((await root.post(path, wrong)).status, 422);
  assertEquals(accounts.mails, []);

  const response = await root.post(path, values);
  assertEquals(response.headers.get("Location"), path);
  const [invitation, ...others] = (await list()).invitations;
  assertEquals([invitation.email, invitation.role, others], [
    email,
    "admin",
    [],
  ]);
  assertEquals(JSON.stringify(invitation).includes("secret"), false);
  const page = await (await root.get(path)).text();
  assertEquals(page.includes(email), true);
  const token = tokenOf(accounts.mails.at(-1)!);
  assertEquals(page.includes(token), false);
  await root.post(path, { do: "withdraw", email });
  assertEquals(await list(), { invitations: [] });
  const gone = await root.post(path, { do: "withdraw", email });
  assertEquals(gone.status, 404);
  const accept = { token, name: "Bob", password: PASSWORD };
  assertEquals((await visitor.post("/register", accept)).status, 400);
  // The audit log has no address, because the account may never exist.
  assertEquals((await log(rootId)).sort(), ["invite-end", "invite: admin"]);
});

Deno.test("the page of invitations offers the roles of the application", async () => {
  const roles = ["user", "editor", "admin"] as const;
  const { root } = await start({
    registration: "invited",
    definition: defineAccounts({ roles }) as never,
  });
  const page = await (await root.get("/admin/invitations")).text();
  const offered = [...page.matchAll(/<option[^>]*>(\w+)</g)]
    .map(([, role]) => role);
  assertEquals(offered, [...roles]);
});

Deno.test("invitations of administrators flood neither a mailbox nor the store", async () => {
  const { accounts, root } = await start({ registration: "invited" });
  const path = "/admin/invitations";
  const email = "bob@example.com";
  for (let count = 0; count < 15; count++) {
    await root.post(path, { do: "invite", email });
  }
  assertEquals(accounts.mails.length < 12, true);
  for (let count = 1; count < 200; count++) {
    await accounts.users.invite({ email: `bob${count}@example.com` });
  }
  const response = await root.post(path, {
    do: "invite",
    email: "more@example.com",
  });
  assertEquals(response.status, 422);
  assertEquals(await accounts.users.invite({ email: "x@example.com" }), false);
  assertEquals((await accounts.users.invitations()).length, 200);
});

Deno.test("an administrator cannot invite while acting, without a fresh login, or while registration is closed", async () => {
  const { accounts, adaId, root } = await start({ registration: "invited" });
  const path = "/admin/invitations";
  const values = { do: "invite", email: "bob@example.com" };
  await root.send(`/admin/users/${adaId}`, { do: "act", reason: "Ticket 12" });
  assertEquals((await root.post(path, values)).status, 403);
  await root.post("/admin/stop-acting");
  accounts.wait(11 * 60_000);
  const stale = await root.post(path, values);
  assert(stale.headers.get("Location")?.startsWith("/account/confirm"));
  assertEquals(accounts.mails, []);
  const closed = await start({ registration: "closed" });
  assertEquals((await closed.root.get(path)).status, 404);
  assertEquals((await closed.root.post(path, values)).status, 404);
  const page = await (await closed.root.get("/admin")).text();
  assertEquals(page.includes(path), false);
});
