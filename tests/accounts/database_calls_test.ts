/** Each change waits for its calls of the database, which may take their time. */
import { assert, assertEquals } from "@std/assert";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { hashPassword } from "@gatehouse/web/auth/password";
import { createMemoryApps } from "./_apps.ts";
import { type Browser, codeOf, PASSWORD, tokenOf } from "./_accounts.ts";
import { SlowDatabase } from "./_slow_database.ts";
import { addApp, addPasskey, email, startHeld, ways } from "./_ways_in.ts";

const OTHER = "another horse battery";

/** Starts accounts with a slow database. */
function start(options: Partial<AccountsOptions> = {}) {
  let time = Date.now();
  const now = () => time;
  const slow = new SlowDatabase(now);
  const definition = defineAccounts({
    scopes: ["notes:read"],
    teamRoles: ["owner", "reader"],
    paths: { admin: "/staff" },
  });
  const app = startHeld({ required: false }, {
    database: slow.store,
    definition: definition as never,
    now,
    ...options,
  });
  app.accounts.connect(createMemoryApps());
  const { adminController, adminRoutes } = app.accounts;
  app.router.map(adminRoutes, adminController);
  const wait = (passed: number) => time += passed;
  /** Posts a form, which must succeed. */
  const post = async (
    browser: Browser,
    path: string,
    values: Record<string, string> = {},
  ) => {
    const response = await slow.run(browser.post(path, values));
    assert(
      response.ok || response.status === 303,
      `${path} ${response.status}`,
    );
    return response;
  };
  return { ...app, database: slow.store, now, post, slow, wait };
}

for (const [name, way] of Object.entries(ways)) {
  Deno.test(`a login by ${name} waits for each call of the database`, async () => {
    const { slow, ...app } = start();
    const browser = app.browser();
    await slow.run(way(app, browser));
    assertEquals(await browser.isLoggedIn(), true);
    assertEquals(slow.overlaps, []);
  });
}

type App = ReturnType<typeof start>;

/** Changes of a user, which must wait for each call of the database. */
const changes: Record<string, (app: App, ada: Browser) => Promise<void>> = {
  async "the profile and the password"({ post }, ada) {
    await post(ada, "/account", { name: "Ada L." });
    await post(ada, "/account/password", { password: OTHER });
    await post(ada, "/account/confirm", { password: OTHER });
  },
  async "the address, and a link that restores it"({ lastMail, post }, ada) {
    const address = "new@example.com";
    await post(ada, "/account/email", { email: address });
    const code = codeOf(await lastMail(address));
    await post(ada, "/account/email/code", { code });
    const token = tokenOf(await lastMail(email));
    await post(ada, "/account/not-me", { token });
  },
  async "the address by a link"({ lastMail, post }, ada) {
    const address = "new@example.com";
    await post(ada, "/account/email", { email: address });
    const token = tokenOf(await lastMail(address));
    await post(ada, "/account/email/link", { token });
  },
  async "the password by a reset"({ browser, lastMail, post }) {
    const owner = browser();
    await post(owner, "/login/reset", { email });
    const token = tokenOf(await lastMail(email));
    await post(owner, "/login/reset/link", { token, password: OTHER });
    await post(owner, "/login", { email, password: OTHER });
  },
  async "the hash of a password"({ browser, database, post }) {
    const { id, version } = (await database.findByEmail(email))!;
    const old = await hashPassword(PASSWORD, { memory: 128, passes: 1 });
    await database.change(id, version, { passwordHash: old });
    await post(browser(), "/login", { email, password: PASSWORD });
  },
  async "an authenticator app"(app, ada) {
    const { nextCode } = await addApp(app, ada);
    await app.post(ada, "/account/confirm/code", { code: await nextCode() });
    await app.post(ada, "/account/two-step/codes");
    await app.post(ada, "/account/two-step/forget", { id: "x" });
    await app.post(ada, "/account/two-step/remove");
  },
  async "an app that the link of its notice removes"(app, ada) {
    await addApp(app, ada);
    const token = tokenOf(await app.lastMail(email));
    await app.post(ada, "/account/not-me", { token });
  },
  async "a passkey"(app, ada) {
    await addPasskey(app, ada);
    const listed = await ada.get("/account/passkeys", {
      Accept: "application/json",
    });
    const [{ id }] = (await listed.json()).passkeys;
    await app.post(ada, "/account/passkeys/name", { id, name: "B" });
    await app.post(ada, "/account/passkeys/remove", { id });
  },
  async "an API key"({ accounts, post }, ada) {
    const values = { name: "CI", "scope-notes:read": "on" };
    await post(ada, "/account/keys", values);
    const { id: userId } = (await accounts.users.findByEmail(email))!;
    const [key] = await accounts.keys.list(userId);
    await post(ada, "/account/keys/remove", { id: key!.id });
  },
  async "a linked login"({ database, post, provider, slow }, ada) {
    const begun = await post(ada, "/account/logins", { provider: "example" });
    const next = begun.headers.get("Refresh")!.replace("0; url=", "");
    const callback = provider.authorize(next, { user: { sub: "a1" } });
    await slow.run(ada.client.fetch(callback));
    const { id: userId } = (await database.findByEmail(email))!;
    const [way] = await database.waysIn(userId);
    await post(ada, "/account/logins/remove", { id: way!.id });
  },
  async "the sessions"({ post }, ada) {
    await post(ada, "/account/sessions", { id: "" });
    await post(ada, "/login/out");
  },
  async "the download and the deletion"({ post }, ada) {
    await post(ada, "/account/data");
    await post(ada, "/account/delete");
    await post(ada, "/login", { email, password: PASSWORD });
  },
  async "a team"({ accounts, lastMail, post, registered }, ada) {
    const created = await post(ada, "/teams", { name: "Engines" });
    const path = created.headers.get("Location")!;
    const address = "bob@example.com";
    const bob = await registered({ email: address });
    for (const answer of ["decline", "accept"]) {
      await post(ada, `${path}/invite`, { email: address, role: "reader" });
      const { text } = await lastMail(address);
      const [, id] = /\/teams\/invitations\/(\S+)/.exec(text)!;
      await post(bob, `/teams/invitations/${id}`, { answer });
    }
    const team = path.split("/").at(-1)!;
    const memberOf = async (email: string) =>
      (await accounts.teams.members(team)).find((one) => one.email === email)!;
    const own = `${path}/members/${(await memberOf(email)).id}`;
    const other = `${path}/members/${(await memberOf(address)).id}`;
    await post(ada, other, { role: "owner" });
    await post(ada, other, { handOver: "on" });
    await post(bob, `${own}/remove`);
  },
};

for (const [name, change] of Object.entries(changes)) {
  Deno.test(`a change of ${name} waits for each call of the database`, async () => {
    const app = start();
    await change(app, await app.registered());
    assertEquals(app.slow.overlaps, []);
  });
}

Deno.test("a registration that fails waits for each call of the database", async () => {
  const { accounts, browser, provider, slow } = start();
  // Another request has added the identity to another account.
  slow.change({ addWayIn: () => Promise.resolve(false) });
  const user = { sub: "a1", name: "Ada", email, email_verified: true };
  const { client } = browser();
  const login = provider.logIn(client, "/login/with/example", { user });
  assertEquals((await slow.run(login)).status, 422);
  assertEquals(slow.overlaps, []);
  assertEquals((await accounts.users.list()).users, []);
});

Deno.test("changes by administrators wait for each call of the database", async () => {
  const app = start({ admins: ["root@example.com"] });
  const { accounts, database, post, registered, slow } = app;
  await registered();
  const { id } = (await database.findByEmail(email))!;
  const root = await registered({ email: "root@example.com" });
  const path = `/staff/users/${id}`;
  const steps: Record<string, string>[] = [
    { do: "role", role: "admin" },
    { do: "role", role: "user" },
    { do: "disable", reason: "spam" },
    { do: "enable" },
    { do: "end-access" },
    { do: "remove-factors" },
    { do: "act", reason: "Ticket 12" },
  ];
  for (const values of steps) await post(root, path, values);
  await post(root, "/staff/stop-acting");
  const bob = "bob@example.com";
  await post(root, "/staff/invitations", { do: "invite", email: bob });
  await post(root, "/staff/invitations", { do: "withdraw", email: bob });
  await post(root, path, { do: "remove", email });
  assertEquals(await accounts.users.find(id), null);
  assertEquals(slow.overlaps, []);
});

Deno.test("the functions of the application wait for each call of the database", async () => {
  const { accounts, slow } = start();
  const { keys, teams, users } = accounts;
  const create = async (name: string) => {
    const values = { email: `${name}@example.com`, name };
    return (await slow.run(users.create(values)))!.id;
  };
  const [ada, bob] = [await create("ada"), await create("bob")];
  const { teamId } = (await slow.run(teams.create("Engines", ada)))!;
  const name = "CI";
  const scopes = ["notes:read"] as never[];
  const calls: (() => Promise<unknown>)[] = [
    () => teams.add(teamId, bob, "reader" as never),
    () => teams.setRole(teamId, bob, "owner" as never),
    () => keys.issue(bob, { name, scopes, teamId }),
    () => teams.removeMember(teamId, bob),
    () => teams.rename(teamId, "Looms"),
    () => keys.issue(ada, { name, scopes }),
    async () => keys.revoke(ada, (await keys.list(ada))[0]!.id),
    () => users.update(ada, { name: "Ada L." }),
    () => users.setRole(ada, "admin" as never),
    () => users.disable(bob, { reason: "spam" }),
    () => users.enable(bob),
    () => keys.issue(bob, { name, scopes }),
    () => users.endAccess(bob),
    () => users.removeFactors(bob),
    () => users.invite({ email: "cem@example.com" }),
    () => users.withdrawInvitation("cem@example.com"),
    () => teams.remove(teamId),
    () => teams.create("Alone", bob),
    () => users.remove(bob),
  ];
  for (const call of calls) {
    const result = await slow.run(call());
    assert(result, String(call));
  }
  assertEquals(slow.overlaps, []);
});

Deno.test("flush() waits for the use of a key", async () => {
  // With an own function for emails, responses do not wait for later work.
  const { accounts, router } = start({ sendMail: () => {} });
  const { keys, requireScope, users } = accounts;
  const guard = requireScope("notes:read" as never);
  router.get("/notes", guard, () => new Response("notes"));
  const { id } = (await users.create({ email, name: "Ada" }))!;
  const scopes = ["notes:read"] as never[];
  const { token } = (await keys.issue(id, { name: "CI", scopes }))!;
  const headers = { Authorization: `Bearer ${token}` };
  const response = await router.fetch("https://test.example/notes", {
    headers,
  });
  assertEquals(response.status, 200);
  await accounts.flush();
  const [key] = await keys.list(id);
  assert(key!.usedAt !== null);
});
