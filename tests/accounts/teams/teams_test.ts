/** Teams: their pages, `requireMember`, and the API keys of members. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  type AccountsOptions,
  createAccounts,
  Member,
} from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { Browser, linkOf, mailTo } from "../_accounts.ts";

const definition = defineAccounts({
  roles: ["user", "admin"],
  scopes: ["notes:read", "notes:write"],
  teamRoles: ["owner", "editor", "reader"],
});

/** Starts an application with routes for teams. */
function start(options: Pick<AccountsOptions, "registration"> = {}) {
  const accounts = testAccounts({ ...options, definition });
  const { requireMember, requireRole, requireScope } = accounts;
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.get(
    "/t/:team/notes",
    [requireScope("notes:read"), requireMember(({ params }) => params.team)],
    (context) => {
      const { role, teamName } = context.get(Member);
      const isOwner: boolean = role === "owner";
      // @ts-expect-error The role does not exist.
      assertEquals(role === "boss", false);
      return Response.json({ role, isOwner, teamName });
    },
  );
  router.post(
    "/t/:team/notes",
    [
      requireScope("notes:write"),
      requireMember(({ params }) => params.team, "owner", "editor"),
    ],
    () => new Response("written"),
  );
  router.delete(
    "/t/:team",
    requireMember(({ params }) => params.team, "owner"),
    () => new Response("deleted"),
  );
  router.get("/staff", requireRole("admin"), () => new Response("staff"));
  router.get(
    "/staff/api",
    [requireScope("notes:read"), requireRole("admin")],
    () => new Response("staff"),
  );

  let clients = 0;
  /** Creates a user with a verified address, who is logged in. */
  async function login(name: string) {
    const email = `${name}@example.com`;
    const values = { email, name, emailVerified: true };
    const user = (await accounts.users.create(values))!;
    const remoteAddress = `198.51.100.${++clients}`;
    const client = createTestClient(router, { remoteAddress });
    await accounts.logInTest(client, user.id);
    return { browser: new Browser(client, {}), email, id: user.id };
  }

  /** Calls the routes of notes with a method. */
  async function status(
    { browser }: { readonly browser: Browser },
    method: string,
    path: string,
  ): Promise<number> {
    const response = await browser.client.fetch(path, { method });
    await response.body?.cancel();
    return response.status;
  }

  /** Sends a request with a key. */
  const call = (token: string, path: string, method = "GET") =>
    router.fetch(
      new Request(`https://test.example${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: "application/json",
        },
      }),
    );
  return { accounts, call, login, router, status };
}

type App = ReturnType<typeof start>;

/** Invites a user on the page, and returns the path of the email's link. */
async function invite(
  { accounts }: App,
  owner: Browser,
  team: string,
  { email, role }: { readonly email: string; readonly role: string },
): Promise<string> {
  const values = { email, role };
  const response = await owner.post(`/teams/${team}/invite`, values);
  assertEquals(response.headers.get("Location"), `/teams/${team}`);
  const mail = accounts.mails.findLast(({ to }) => to === email)!;
  return linkOf(mail);
}

/** Returns the membership of a user. All memberships have the same time. */
async function memberOf(
  { accounts }: Pick<App, "accounts">,
  team: string,
  { id }: { readonly id: string },
) {
  const members = await accounts.teams.members(team);
  return members.find(({ userId }) => userId === id)!;
}

async function newTeam({ browser }: { browser: Browser }, name: string) {
  const response = await browser.send("/teams", { name });
  const { team } = await response.json();
  assert(typeof team === "string");
  return team;
}

Deno.test("a user is owner of one team and reader of another (ASVS 8.2.2, 8.4.1)", async () => {
  const app = start();
  const { accounts, login, status } = app;
  const [ada, bob] = [await login("ada"), await login("bob")];
  const engines = await newTeam(ada, "Engines");
  const looms = await newTeam(bob, "Looms");
  const link = await invite(app, bob.browser, looms, {
    email: ada.email,
    role: "reader",
  });
  const page = await (await ada.browser.get(link)).text();
  assertStringIncludes(page, "Join the team Looms as reader?");
  const joined = await ada.browser.post(link, { answer: "accept" });
  assertEquals(joined.headers.get("Location"), `/teams/${looms}`);

  const own = await ada.browser.get(`/t/${engines}/notes`);
  assertEquals(await own.json(), {
    role: "owner",
    isOwner: true,
    teamName: "Engines",
  });
  assertEquals(await status(ada, "POST", `/t/${engines}/notes`), 200);
  assertEquals(await status(ada, "DELETE", `/t/${engines}`), 200);
  assertEquals(await status(ada, "GET", `/t/${looms}/notes`), 200);
  assertEquals(await status(ada, "POST", `/t/${looms}/notes`), 403);
  assertEquals(await status(ada, "DELETE", `/t/${looms}`), 403);
  // The roles of the site and those of teams are separate.
  assertEquals(await status(ada, "GET", "/staff"), 403);
  await accounts.users.setRole(bob.id, "admin");
  assertEquals(await status(bob, "GET", "/staff"), 200);
  assertEquals(await status(bob, "GET", `/t/${engines}/notes`), 404);
  assertEquals(await status(bob, "GET", "/t/unknown/notes"), 404);
  assertEquals(await status(bob, "GET", `/teams/${engines}`), 404);
  for (const path of ["invite", "members/x", "members/x/remove"]) {
    assertEquals(await status(bob, "GET", `/teams/${engines}/${path}`), 404);
  }
  assertEquals(await status(ada, "GET", `/teams/${looms}/invite`), 403);
  const list = await accounts.teams.list(ada.id);
  assertEquals(list.map(({ role }) => role).sort(), ["owner", "reader"]);
  const anonymous = await app.router.fetch(
    `https://test.example/t/${looms}/notes`,
    { headers: { Accept: "application/json" } },
  );
  assertEquals(anonymous.status, 401);
});

Deno.test("a change of a role and the end of a membership count at the next request", async () => {
  const { accounts, login, status } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  await accounts.teams.add(team, bob.id, "reader");
  const members = `/teams/${team}/members`;
  const { id } = await memberOf({ accounts }, team, bob);
  assertEquals(await status(bob, "POST", `/t/${team}/notes`), 403);
  const page = await (await ada.browser.get(`${members}/${id}`)).text();
  assertStringIncludes(page, "bob@example.com");
  await ada.browser.post(`${members}/${id}`, { role: "editor" });
  assertEquals(await status(bob, "POST", `/t/${team}/notes`), 200);
  const wrong = await ada.browser.send(`${members}/${id}`, { role: "boss" });
  assertEquals(wrong.status, 422);
  const confirm = await ada.browser.get(`${members}/${id}/remove`);
  assertStringIncludes(await confirm.text(), "Remove bob?");
  await ada.browser.post(`${members}/${id}/remove`);
  assertEquals(await status(bob, "GET", `/t/${team}/notes`), 404);
  const gone = await ada.browser.get(`${members}/${id}`);
  assertEquals(gone.status, 404);
});

Deno.test("the last owner cannot leave, but can hand the team over", async () => {
  const { accounts, login, status } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  await accounts.teams.add(team, bob.id, "reader");
  const owner = await memberOf({ accounts }, team, ada);
  const reader = await memberOf({ accounts }, team, bob);
  const members = `/teams/${team}/members`;
  const leave = await ada.browser.post(`${members}/${owner.id}/remove`);
  assertEquals(leave.status, 409);
  assertStringIncludes(await leave.text(), "needs an owner");
  const demote = { role: "reader" };
  const demoted = await ada.browser.send(`${members}/${owner.id}`, demote);
  assertEquals(demoted.status, 409);
  const deletion = await ada.browser.post("/account/delete");
  assertEquals(deletion.status, 409);
  assertStringIncludes(await deletion.text(), "Engines");

  await ada.browser.post(`${members}/${reader.id}`, { handOver: "on" });
  assertEquals(await status(bob, "DELETE", `/t/${team}`), 200);
  assertEquals(await status(ada, "DELETE", `/t/${team}`), 403);
  const left = await ada.browser.post(`${members}/${owner.id}/remove`);
  assertEquals(left.headers.get("Location"), "/teams");
  assertEquals((await accounts.teams.members(team)).length, 1);
});

Deno.test("a member can change and remove no one else", async () => {
  const { accounts, login } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  await accounts.teams.add(team, bob.id, "editor");
  const owner = await memberOf({ accounts }, team, ada);
  const editor = await memberOf({ accounts }, team, bob);
  const members = `/teams/${team}/members`;
  const attacks: [path: string, values: Record<string, string>][] = [
    [`${members}/${owner.id}`, { role: "reader" }],
    [`${members}/${editor.id}`, { role: "owner" }],
    [`${members}/${owner.id}/remove`, {}],
    [`/teams/${team}/invite`, { email: "eve@example.com", role: "owner" }],
    [`/teams/${team}/invite/withdraw`, { invitation: "x" }],
  ];
  for (const [path, values] of attacks) {
    const { status } = await bob.browser.send(path, values);
    assert(status === 403 || status === 404, `${path} ${status}`);
  }
  const after = await accounts.teams.members(team);
  assertEquals(after.map(({ role }) => role).sort(), ["editor", "owner"]);
});

Deno.test("an invitation is bound to its address, works once, and only by POST (ASVS 3.5.3)", async () => {
  const app = start();
  const { accounts, login } = app;
  const [ada, bob, eve] = [
    await login("ada"),
    await login("bob"),
    await login("eve"),
  ];
  const team = await newTeam(ada, "Engines");
  const values = { email: "BOB@example.com ", role: "reader" };
  await ada.browser.post(`/teams/${team}/invite`, values);
  const mail = mailTo(bob.email, accounts);
  for (const typed of ["Engines", "ada"]) {
    assertEquals(mail.text.includes(typed), false);
  }
  const link = linkOf(mail);
  const visitor = new Browser(
    createTestClient(app.router, { remoteAddress: "192.0.2.9" }),
    {},
  );
  const asked = await visitor.get(link);
  assertEquals(
    asked.headers.get("Location"),
    `/login?returnTo=${encodeURIComponent(link)}`,
  );
  const stolen = await eve.browser.get(link);
  assertEquals(stolen.status, 404);
  assertEquals((await stolen.text()).includes("Engines"), false);
  assertEquals((await eve.browser.send(link, {})).status, 404);
  const declined = { answer: "decline" };
  assertEquals((await eve.browser.send(link, declined)).status, 404);
  await bob.browser.get(link);
  assertEquals(await accounts.teams.list(bob.id), []);
  const listed = await bob.browser.get("/teams", {
    Accept: "application/json",
  });
  assertEquals((await listed.json()).invitations.length, 1);

  assertEquals((await bob.browser.send(link, {})).status, 200);
  assertEquals((await accounts.teams.list(bob.id)).length, 1);
  assertEquals((await bob.browser.send(link, {})).status, 404);
  // The same invitation does not bring a removed member back.
  await accounts.teams.removeMember(team, bob.id);
  assertEquals((await bob.browser.send(link, {})).status, 404);
  assertEquals(await accounts.teams.list(bob.id), []);
});

Deno.test("an invitation needs a verified address, and ends with its time and its sender", async () => {
  const app = start();
  const { accounts, login } = app;
  const [ada, bob, cem] = [
    await login("ada"),
    await login("bob"),
    await login("cem"),
  ];
  const team = await newTeam(ada, "Engines");
  const role = "reader";
  const late = await invite(app, ada.browser, team, { email: bob.email, role });
  accounts.wait(15 * 86_400_000);
  await accounts.logInTest(bob.browser.client, bob.id);
  assertEquals((await bob.browser.send(late, {})).status, 404);

  await accounts.logInTest(ada.browser.client, ada.id);
  const link = await invite(app, ada.browser, team, { email: bob.email, role });
  await accounts.teams.add(team, cem.id, "owner");
  await accounts.teams.setRole(team, ada.id, "editor");
  assertEquals((await bob.browser.send(link, {})).status, 404);

  await accounts.users.create({ email: "dan@example.com", name: "dan" });
  const dan = (await accounts.users.findByEmail("dan@example.com"))!;
  const client = createTestClient(app.router, { remoteAddress: "192.0.2.8" });
  await accounts.logInTest(client, dan.id);
  await accounts.logInTest(cem.browser.client, cem.id);
  const unverified = await invite(app, cem.browser, team, {
    email: dan.email,
    role,
  });
  const browser = new Browser(client, {});
  assertEquals((await browser.send(unverified, {})).status, 404);
});

for (const registration of ["open", "invited", "closed"] as const) {
  Deno.test(`registration ${registration}: the email of a team says how to accept`, async () => {
    const app = start({ registration });
    const ada = await app.login("ada");
    const team = await newTeam(ada, "Engines");
    const email = "bob@example.com";
    await invite(app, ada.browser, team, { email, role: "reader" });
    const { text } = app.accounts.mails.findLast(({ to }) => to === email)!;
    assertStringIncludes(text, "Log in");
    assertEquals(text.includes("register"), registration === "open");
  });
}

Deno.test("an owner withdraws an invitation, and the invited user declines one", async () => {
  const app = start();
  const { accounts, login } = app;
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  const values = { email: bob.email, role: "reader" };
  const first = await invite(app, ada.browser, team, values);
  const read = async () => {
    const accept = { Accept: "application/json" };
    return await (await ada.browser.get(`/teams/${team}`, accept)).json();
  };
  const [invitation] = (await read()).invitations;
  const path = `/teams/${team}/invite/withdraw`;
  await ada.browser.post(path, { invitation: invitation.id });
  assertEquals((await read()).invitations, []);
  assertEquals((await bob.browser.send(first, {})).status, 404);
  const second = await invite(app, ada.browser, team, values);
  await bob.browser.post(second, { answer: "decline" });
  assertEquals((await read()).invitations, []);
  assertEquals(await accounts.teams.list(bob.id), []);
  const again = await ada.browser.send(`/teams/${team}/invite`, {
    email: ada.email,
    role: "reader",
  });
  assertEquals((await again.json()).errors, {
    email: "This person is already a member",
  });
});

Deno.test("100 parallel requests accept an invitation once", async () => {
  const app = start();
  const { accounts, login } = app;
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  const values = { email: bob.email, role: "reader" };
  const link = await invite(app, ada.browser, team, values);
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => bob.browser.send(link, {})),
  );
  const accepted = responses.filter(({ status }) => status === 200);
  assertEquals(accepted.length, 1);
  assertEquals((await accounts.teams.members(team)).length, 2);
});

Deno.test("of two owners who leave with 100 parallel requests, one stays", async () => {
  const { accounts, login } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  await accounts.teams.add(team, bob.id, "owner");
  const first = await memberOf({ accounts }, team, ada);
  const second = await memberOf({ accounts }, team, bob);
  const leave = (browser: Browser, id: string) =>
    browser.send(`/teams/${team}/members/${id}/remove`, {});
  await Promise.all(
    Array.from(
      { length: 100 },
      (_, n) =>
        n % 2 === 0
          ? leave(ada.browser, first.id)
          : leave(bob.browser, second.id),
    ),
  );
  const rest = await accounts.teams.members(team);
  assertEquals(rest.map(({ role }) => role), ["owner"]);
});

Deno.test("100 parallel requests leave a team with at most 50 open invitations", async () => {
  const { accounts, login } = start();
  const ada = await login("ada");
  const team = await newTeam(ada, "Engines");
  const responses = await Promise.all(
    Array.from(
      { length: 100 },
      (_, n) =>
        ada.browser.send(`/teams/${team}/invite`, {
          email: `guest${n}@example.com`,
          role: "reader",
        }),
    ),
  );
  const sent = responses.filter(({ status }) => status === 200).length;
  // Each request that sees too many invitations withdraws its own.
  assert(sent <= 50, String(sent));
  assertEquals(accounts.mails.length, sent);
  for (let n = sent; n <= 50; n++) {
    const values = { email: `late${n}@example.com`, role: "reader" };
    const { status } = await ada.browser.send(`/teams/${team}/invite`, values);
    assertEquals(status, n < 50 ? 200 : 422);
  }
});

Deno.test("the key of a team never has more rights than the membership, and ends with it", async () => {
  const { accounts, call, login } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const engines = await newTeam(ada, "Engines");
  const looms = await newTeam(bob, "Looms");
  await accounts.teams.add(engines, bob.id, "editor");
  await accounts.users.setRole(bob.id, "admin");
  const created = await bob.browser.send("/account/keys", {
    name: "CI",
    scopes: ["notes:read", "notes:write"],
    team: engines,
  });
  const { key } = await created.json();
  assertEquals((await call(key, `/t/${engines}/notes`, "POST")).status, 200);
  // Bob owns the other team, and is an admin of the site: his key is neither.
  assertEquals((await call(key, `/t/${looms}/notes`)).status, 404);
  assertEquals((await call(key, "/staff/api")).status, 403);
  assertEquals((await call(key, `/teams/${engines}`)).status, 401);
  assertEquals((await call(key, `/t/${engines}`, "DELETE")).status, 401);

  await accounts.teams.setRole(engines, bob.id, "reader");
  assertEquals((await call(key, `/t/${engines}/notes`, "POST")).status, 403);
  assertEquals((await call(key, `/t/${engines}/notes`)).status, 200);
  await accounts.teams.removeMember(engines, bob.id);
  assertEquals((await call(key, `/t/${engines}/notes`)).status, 401);
  assertEquals(await accounts.keys.list(bob.id), []);

  const elsewhere = await bob.browser.send("/account/keys", {
    name: "CI",
    scopes: ["notes:read"],
    team: engines,
  });
  assertEquals(elsewhere.status, 422);
  const options = { name: "CI", scopes: ["notes:read"] } as const;
  const given = { ...options, teamId: engines };
  assertEquals(await accounts.keys.issue(bob.id, given), null);
});

Deno.test("a key does not come back with its user", async () => {
  const database = createMemoryAccountStore();
  const accounts = testAccounts({ definition, database });
  const create = async (name: string) =>
    (await accounts.users.create({ email: `${name}@example.com`, name }))!;
  const [ada, bob] = [await create("ada"), await create("bob")];
  const { teamId } = (await accounts.teams.create("Engines", ada.id))!;
  await accounts.teams.add(teamId, bob.id, "reader");
  const scopes = ["notes:read"] as const;
  const values = { name: "CI", scopes, teamId };
  const { token } = (await accounts.keys.issue(bob.id, values))!;
  const router = createRouter({ middleware: accounts.middleware });
  router.get("/", accounts.requireScope("notes:read"), () => new Response());
  const headers = { Authorization: `Bearer ${token}` };
  const status = async () =>
    (await router.fetch("https://test.example/", { headers })).status;
  assertEquals(await status(), 200);
  // The process stops before it has removed the keys.
  const { member } = (await database.teams!.membership(teamId, bob.id))!;
  const change = { teamId, id: member.id, owner: "owner" };
  assertEquals(await database.teams!.removeMember(change), true);
  assertEquals(await status(), 401);
  await accounts.teams.add(teamId, bob.id, "reader");
  assertEquals(await status(), 401);
});

Deno.test("a team whose only member is removed is removed with the account", async () => {
  const { accounts, login } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const own = await newTeam(ada, "Own");
  const shared = await newTeam(bob, "Shared");
  await accounts.teams.add(shared, ada.id, "reader");
  await accounts.users.remove(ada.id);
  assertEquals(await accounts.teams.find(own), null);
  assertEquals((await accounts.teams.members(shared)).length, 1);
});

Deno.test("teams change only with a recent login", async () => {
  const { accounts, login } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  await accounts.teams.add(team, bob.id, "reader");
  const reader = await memberOf({ accounts }, team, bob);
  accounts.wait(20 * 60_000);
  const paths = ["invite", `members/${reader.id}`];
  for (const path of [...paths, `members/${reader.id}/remove`]) {
    const url = `/teams/${team}/${path}`;
    const page = await ada.browser.get(url);
    assertStringIncludes(page.headers.get("Location")!, "/account/confirm");
    assertEquals((await ada.browser.send(url, { role: "owner" })).status, 401);
  }
});

const hostile = ["", "\0", "../x", "%", "a".repeat(5_000), "__proto__"];

for (const id of hostile) {
  Deno.test(`the team ${JSON.stringify(id).slice(0, 20)} gets a 404`, async () => {
    const { login, status } = start();
    const ada = await login("ada");
    const name = encodeURIComponent(id);
    for (const path of [`/t/${name}/notes`, `/teams/invitations/${name}`]) {
      const found = await status(ada, "GET", path);
      assert(found === 404 || found === 414, `${path} ${found}`);
    }
  });
}

Deno.test("without teamRoles there are no teams, no page and no link", async () => {
  const accounts = testAccounts();
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.1" });
  const values = { email: "ada@example.com", name: "Ada" };
  const user = (await accounts.users.create(values))!;
  await accounts.logInTest(client, user.id);
  for (const path of ["/teams", "/teams/x", "/teams/invitations/x"]) {
    assertEquals((await client.fetch(path)).status, 404, path);
  }
  const page = await (await client.fetch("/account")).text();
  assertEquals(page.includes("/teams"), false);
  assertThrows(() => accounts.requireMember(() => "x"), TypeError, "teamRoles");
  await assertRejects(
    () => accounts.teams.create("x", user.id),
    TypeError,
    "teamRoles",
  );
});

Deno.test("a definition with one team role, or a store without teams, is refused", () => {
  assertThrows(
    () => defineAccounts({ teamRoles: ["owner"] }),
    TypeError,
    "teamRoles",
  );
  const database = Object.create(createMemoryAccountStore(), {
    teams: { value: undefined },
  });
  const create = () =>
    createAccounts({
      name: "Notes",
      origin: "http://localhost:8000",
      database,
      definition,
    });
  assertThrows(create, TypeError, "teamRoles");
});
