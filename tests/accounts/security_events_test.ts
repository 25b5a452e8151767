import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createTestAuthenticator,
  createTestClient,
} from "@gatehouse/web/testing";
import { type SecurityEvent, securityEvents } from "@gatehouse/web/middleware";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { codeOf, mailTo, tokenOf } from "./_accounts.ts";

Deno.test("accounts report each new password with its reason, and downloads of data", async () => {
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  const accounts = testAccounts();
  const router = createRouter({
    middleware: [onEvent, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
  const post = async (path: string, values: Record<string, string>) => {
    const body = new URLSearchParams(values);
    await client.fetch(path, { method: "POST", body });
    await accounts.flush();
  };
  const email = "ada@example.com";
  const { id } = (await accounts.users.create({ email, name: "Ada" }))!;
  await accounts.logInTest(client, id);

  await post("/account/data", {});
  await post("/account/password", { password: "correct horse battery" });
  await post("/account/email", { email: "eve@example.com" });
  const code = codeOf(mailTo("eve@example.com", accounts));
  await post("/account/email/code", { code });
  const notice = mailTo(email, accounts);
  await post("/account/not-me", { token: tokenOf(notice) });
  await post("/login/reset", { email });
  const token = tokenOf(mailTo(email, accounts));
  const password = "another horse battery";
  await post("/login/reset/link", { token, password });
  await onEvent.flush();

  const changes = events.filter(({ event }) =>
    event.action === "password-change"
  );
  assertEquals(changes.map(({ event }) => event.reason), [
    undefined,
    "not-me",
    "reset",
  ]);
  assertEquals(changes.map(({ user }) => user?.id), [id, id, id]);
  const downloads = events.filter(({ event }) =>
    event.action === "data-export"
  );
  assertEquals(downloads.map(({ user }) => user?.id), [id]);
});

Deno.test("accounts report new and removed ways in", async () => {
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  const definition = defineAccounts({ scopes: ["read"] });
  const accounts = testAccounts({ definition });
  const router = createRouter({
    middleware: [onEvent, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
  const post = async (path: string, values: Record<string, string>) => {
    const body = new URLSearchParams(values);
    return await client.fetch(path, { method: "POST", body });
  };
  const ada = { email: "ada@example.com", name: "Ada" };
  const { id } = (await accounts.users.create(ada))!;
  await accounts.logInTest(client, id);
  const values = { name: "Key", "scope-read": "on", days: "30" };
  await post("/account/keys", values);
  const [key] = await accounts.keys.list(id);
  await post("/account/keys/remove", { id: key!.id });

  const authenticator = createTestAuthenticator();
  const options = await (await post("/account/passkeys/options", {})).json();
  const passkey = JSON.stringify(await authenticator.register(options));
  await post("/account/passkeys", { name: "Phone", passkey });
  const passkeys = await (await client.fetch("/account/passkeys")).text();
  const [, way = ""] = /name="id" value="([^"]+)"/.exec(passkeys)!;
  await post("/account/passkeys/remove", { id: way });
  await accounts.flush();
  await onEvent.flush();

  const changes = events.filter(({ event }) => /key|factor/.test(event.action));
  assertEquals(changes.map(({ event }) => event.action), [
    "key-create",
    "key-revoke",
    "factor-add",
    "factor-remove",
  ]);
  assertEquals(changes.map(({ user }) => user?.id), [id, id, id, id]);
});

Deno.test("accounts report the end of keys and roles in teams", async () => {
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  const accounts = testAccounts({
    definition: defineAccounts({
      scopes: ["notes:read"],
      teamRoles: ["owner", "reader"],
    }),
  });
  const router = createRouter({
    middleware: [onEvent, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
  const post = async (path: string, values: object) => {
    const response = await client.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(values),
    });
    return await response.json();
  };
  const create = async (name: string) =>
    (await accounts.users.create({ email: `${name}@example.com`, name }))!;
  const [ada, bob] = [await create("ada"), await create("bob")];
  await accounts.logInTest(client, ada.id);

  const key = { name: "x", scopes: ["notes:read"] };
  const { id } = await post("/account/keys", key);
  await post("/account/keys/remove", { id });
  const { team } = await post("/teams", { name: "Engines" });
  await accounts.teams.add(team, bob.id, "reader");
  const members = await accounts.teams.members(team);
  const member = members.find(({ userId }) => userId === bob.id)!;
  const path = `/teams/${team}/members/${member.id}`;
  await post(path, { role: "owner" });
  await post(`${path}/remove`, {});
  await accounts.flush();
  await onEvent.flush();

  const actions = events.map(({ event }) => event.action);
  assertEquals(actions, [
    "key-create",
    "key-revoke",
    "role-change",
    "role-change",
  ]);
  assertEquals(events.map(({ user }) => user?.id), [
    ada.id,
    ada.id,
    ada.id,
    ada.id,
  ]);
});

Deno.test("accounts report logins that a hook or a block refuses", async () => {
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  let decision: { refuse: string } | { step: string } | undefined;
  const accounts = testAccounts({ hooks: { beforeLogin: () => decision } });
  const { finishStep, mails, routes, users } = accounts;
  const router = createRouter({
    middleware: [onEvent, ...accounts.middleware],
  });
  router.map(routes, accounts.controller);
  router.post("/terms", (context) => finishStep(context));
  const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
  const post = async (path: string, values: Record<string, string> = {}) => {
    const body = new URLSearchParams(values);
    const { status } = await client.fetch(path, { method: "POST", body });
    return status;
  };
  const email = "ada@example.com";
  const login = { email, password: "correct horse battery" };
  await post("/register", { ...login, name: "Ada" });
  await post("/register/code", { code: codeOf(mails[0]!) });
  await post("/login/out");
  decision = { refuse: "Closed" };
  assertEquals(await post("/login", login), 422);
  decision = { step: "/terms" };
  assertEquals(await post("/login", login), 303);
  decision = { refuse: "Closed" };
  assertEquals(await post("/terms"), 303);
  const { id } = (await users.findByEmail(email))!;
  await users.disable(id, { reason: "spam" });
  assertEquals(await post("/login", login), 403);
  await onEvent.flush();

  const logins = events.filter(({ event }) => event.action === "login");
  assertEquals(
    logins.map(({ event, user }) => [event.outcome, event.reason, user?.id]),
    [
      ["success", undefined, id],
      ["failure", "refused", id],
      ["failure", "refused", id],
      ["failure", "disabled", id],
    ],
  );
});
