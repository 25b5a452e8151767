import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { createAccounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  AccountStoreError,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { Browser, linkOf, mailTo } from "../_accounts.ts";
import { definition, invite, memberOf, newTeam, start } from "./_teams.ts";

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

Deno.test("an invitation ends at the end of 14 days, for its owner and for the invited user", async () => {
  let time = Date.UTC(2026, 10, 27);
  const app = start({ now: () => time });
  const [ada, bob] = [await app.login("ada"), await app.login("bob")];
  const team = await newTeam(ada, "Engines");
  const values = { email: bob.email, role: "reader" };
  const link = await invite(app, ada.browser, team, values);
  for (const [passed, count] of [[14 * 86_400_000 - 1, 1], [1, 0]] as const) {
    time += passed;
    for (const { browser, id } of [ada, bob]) {
      await app.accounts.logInTest(browser.client, id);
    }
    const page = await bob.browser.get(link);
    assertEquals(page.status, count === 1 ? 200 : 404);
    const accept = { Accept: "application/json" };
    const read = await ada.browser.get(`/teams/${team}`, accept);
    assertEquals((await read.json()).invitations.length, count);
  }
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
  const page = await (await ada.browser.get(`/teams/${team}`)).text();
  assertStringIncludes(page, bob.email);
  const path = `/teams/${team}/invite/withdraw`;
  await ada.browser.post(path, { invitation: invitation.id });
  assertEquals((await read()).invitations, []);
  assertEquals((await bob.browser.send(first, {})).status, 404);
  const gone = { invitation: invitation.id };
  assertEquals((await ada.browser.send(path, gone)).status, 404);
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

Deno.test("the page of a team names its members, and marks the user", async () => {
  const { accounts, login } = start();
  const [ada, bob] = [await login("ada"), await login("bob")];
  const team = await newTeam(ada, "Engines");
  await accounts.teams.add(team, bob.id, "reader");
  const page = await (await ada.browser.get(`/teams/${team}`)).text();
  const names = [...page.matchAll(/<strong><bdi>([^<]+)</g)]
    .map(([, name]) => name);
  assertEquals(names.toSorted(), ["ada (you)", "bob"]);
});

Deno.test("the application creates at most 50 teams of a user", async () => {
  const { accounts, login } = start();
  const { id } = await login("ada");
  for (let n = 0; n < 50; n++) {
    assert(await accounts.teams.create(`Team ${n}`, id) !== null);
  }
  assertEquals(await accounts.teams.create("One more", id), null);
  assertEquals((await accounts.teams.list(id)).length, 50);
});

Deno.test("the application renames a team", async () => {
  const { accounts, login } = start();
  const ada = await login("ada");
  const team = await newTeam(ada, "Engines");
  assertEquals(await accounts.teams.rename(team, "Looms"), true);
  assertEquals((await accounts.teams.find(team))?.name, "Looms");
  assertEquals(await accounts.teams.rename("unknown", "Looms"), false);
});

/** Creates accounts with a team that Bob reads. */
async function createReader() {
  const database = createMemoryAccountStore();
  const accounts = testAccounts({ definition, database });
  const create = async (name: string) =>
    (await accounts.users.create({ email: `${name}@example.com`, name }))!;
  const [ada, bob] = [await create("ada"), await create("bob")];
  const { teamId } = (await accounts.teams.create("Engines", ada.id))!;
  await accounts.teams.add(teamId, bob.id, "reader");
  return { accounts, bob, database, teamId };
}

Deno.test("a key does not come back with its user", async () => {
  const { accounts, bob, database, teamId } = await createReader();
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

Deno.test("teams.removeMember() rejects if the keys cannot be removed, and the membership has ended", async () => {
  const { accounts, bob, database, teamId } = await createReader();
  const scopes = ["notes:read"] as const;
  await accounts.keys.issue(bob.id, { name: "CI", scopes, teamId });
  database.removeWayIn = () => Promise.reject(new Error("connection reset"));
  await assertRejects(
    () => accounts.teams.removeMember(teamId, bob.id),
    AccountStoreError,
  );
  assertEquals((await accounts.teams.members(teamId)).length, 1);
});
