import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { type App, invite, memberOf, newTeam, start } from "./_teams.ts";

const DAY = 86_400_000;

type User = Awaited<ReturnType<App["login"]>>;

/** Starts an application with a team of Ada, in which Bob has a role. */
async function startTeam(role: "owner" | "editor" | "reader" = "reader") {
  const database = createMemoryAccountStore();
  const app = start({ database });
  const [ada, bob] = [await app.login("ada"), await app.login("bob")];
  const team = await newTeam(ada, "Engines");
  assertEquals(await app.accounts.teams.add(team, bob.id, role), true);
  const pathOf = async (user: User) =>
    `/teams/${team}/members/${(await memberOf(app, team, user)).id}`;
  const roleOf = async (user: User) => (await memberOf(app, team, user))?.role;
  app.events.take();
  return { ...app, ada, bob, database, pathOf, roleOf, team };
}

Deno.test("the functions of teams return false or null for unknown users, teams and members", async () => {
  const { accounts, ada, bob, login, roleOf, team } = await startTeam();
  const { teams } = accounts;
  const cem = await login("cem");
  assertEquals(await teams.create("Looms", "unknown"), null);
  assertEquals(await teams.find("unknown"), null);
  assertEquals(await teams.add(team, "unknown", "reader"), false);
  assertEquals(await teams.add("unknown", cem.id, "reader"), false);
  assertEquals(await teams.add(team, bob.id, "editor"), false);
  assertEquals(await teams.setRole(team, cem.id, "reader"), false);
  assertEquals(await teams.setRole("unknown", bob.id, "editor"), false);
  assertEquals(await teams.removeMember(team, cem.id), false);
  assertEquals(await teams.removeMember("unknown", bob.id), false);
  assertEquals(await teams.remove("unknown"), false);
  // The only owner stays one.
  assertEquals(await teams.setRole(team, ada.id, "reader"), false);
  assertEquals(await teams.removeMember(team, ada.id), false);
  assertEquals([await roleOf(ada), await roleOf(bob)], ["owner", "reader"]);

  assertEquals(await teams.setRole(team, bob.id, "owner"), true);
  assertEquals(await teams.removeMember(team, ada.id), true);
  assertEquals(await teams.list(ada.id), []);
  assertEquals(await teams.remove(team), true);
  assertEquals(await teams.list(bob.id), []);
  assertEquals(await teams.find(team), null);
});

Deno.test("the functions of teams refuse unknown roles, even for unknown users", async () => {
  const { accounts: { teams }, bob, login, roleOf, team } = await startTeam();
  const cem = await login("cem");
  const role = "boss" as "reader";
  for (const id of [cem.id, "unknown"]) {
    await assertRejects(() => teams.add(team, id, role), TypeError, "boss");
  }
  for (const id of [bob.id, "unknown"]) {
    await assertRejects(() => teams.setRole(team, id, role), TypeError, "boss");
  }
  assertEquals(await roleOf(bob), "reader");
  assertEquals((await teams.members(team)).length, 2);
});

Deno.test("a membership names its user, its team and its time", async () => {
  const { accounts, login } = start({ now: () => 1_000 });
  const ada = await login("ada");
  const created = (await accounts.teams.create("Engines", ada.id))!;
  assertEquals(created, {
    id: created.id,
    userId: ada.id,
    teamId: created.teamId,
    teamName: "Engines",
    role: "owner",
    since: 1_000,
  });
  assertEquals(await accounts.teams.list(ada.id), [created]);
  for (const id of [created.id, created.teamId]) assertMatch(id, /^[\w-]{22}$/);
  assertEquals(await accounts.teams.find(created.teamId), {
    id: created.teamId,
    name: "Engines",
    createdAt: 1_000,
  });
});

Deno.test("a handover makes the owner an editor, and each change of a role is an event", async () => {
  const app = await startTeam();
  const { ada, bob, events, pathOf, roleOf } = app;
  const path = await pathOf(bob);
  const page = await ada.browser.post(path, { role: "editor" });
  assertEquals(page.headers.get("Location"), `/teams/${app.team}`);
  assertEquals(events.take(), [`role-change ${ada.id} → ${bob.id}`]);
  await ada.browser.post(path, { handOver: "on" });
  assertEquals([await roleOf(ada), await roleOf(bob)], ["editor", "owner"]);
  assertEquals(events.take(), [
    `role-change ${ada.id} → ${bob.id}`,
    `role-change ${ada.id} → ${ada.id}`,
  ]);
});

Deno.test("an owner who hands the team over to themselves stays an owner", async () => {
  const { ada, bob, events, pathOf, roleOf } = await startTeam("owner");
  await ada.browser.post(await pathOf(ada), { handOver: "on" });
  assertEquals([await roleOf(ada), await roleOf(bob)], ["owner", "owner"]);
  assertEquals(events.take(), [`role-change ${ada.id} → ${ada.id}`]);
});

Deno.test("a member leaves, an owner removes a member, and both are events", async () => {
  for (const isSelf of [true, false]) {
    const { ada, bob, events, pathOf, roleOf, team } = await startTeam();
    const path = `${await pathOf(bob)}/remove`;
    const { browser, id } = isSelf ? bob : ada;
    const removed = await browser.post(path);
    const next = isSelf ? "/teams" : `/teams/${team}`;
    assertEquals(removed.headers.get("Location"), next);
    const page = await (await browser.get(next)).text();
    assertStringIncludes(page, isSelf ? "left the team" : "was removed");
    assertEquals(await roleOf(bob), undefined);
    assertEquals(events.take(), [`role-change ${id} → ${bob.id}`]);
    // The same path names no member any more.
    const again = await ada.browser.send(path, {});
    assertEquals(again.status, 404);
    assertEquals(events.take(), []);
  }
});

Deno.test("an owner changes no member of another team", async () => {
  const { bob, ...app } = await startTeam();
  const looms = await newTeam(bob, "Looms");
  const member = await memberOf(app, app.team, app.ada);
  const path = `/teams/${looms}/members/${member.id}`;
  for (const change of [path, `${path}/remove`]) {
    const { status } = await bob.browser.send(change, { role: "reader" });
    assertEquals(status, 404);
  }
  const link = await invite(app, app.ada.browser, app.team, {
    email: "cem@example.com",
    role: "reader",
  });
  const invitation = link.split("/").at(-1)!;
  const stolen = await bob.browser.send(`/teams/${looms}/invite/withdraw`, {
    invitation,
  });
  assertEquals(stolen.status, 404);
  for (const given of [undefined, 5, [invitation]]) {
    const own = `/teams/${app.team}/invite/withdraw`;
    const { status } = await app.ada.browser.send(own, { invitation: given });
    assertEquals(status, 404);
  }
  assertEquals(await app.roleOf(app.ada), "owner");
  const open = await app.database.teams!.invitations(app.team);
  assertEquals(open.map(({ id }) => id), [invitation]);
});

Deno.test("an accepted invitation is an event, and a declined one is not", async () => {
  const { ada, events, login, team, ...app } = await startTeam();
  const cem = await login("cem");
  const values = { email: cem.email, role: "editor" };
  const declined = await invite(app, ada.browser, team, values);
  const { headers } = await cem.browser.post(declined, { answer: "decline" });
  assertEquals(headers.get("Location"), "/teams");
  assertEquals(events.take(), []);
  const accepted = await invite(app, ada.browser, team, values);
  await cem.browser.post(accepted, { answer: "accept" });
  assertEquals(events.take(), [`role-change ${cem.id} → ${cem.id}`]);
  const page = await (await cem.browser.get(`/teams/${team}`)).text();
  assertStringIncludes(page, "Engines");
});

Deno.test("a member who accepts an older invitation keeps the role", async () => {
  const { ada, login, team, ...app } = await startTeam();
  const cem = await login("cem");
  const values = { email: cem.email, role: "reader" };
  const link = await invite(app, ada.browser, team, values);
  await app.accounts.teams.add(team, cem.id, "editor");
  const joined = await cem.browser.post(link, { answer: "accept" });
  assertEquals(joined.headers.get("Location"), `/teams/${team}`);
  assertEquals(await app.roleOf(cem), "editor");
});

Deno.test("a refusal of a guard of teams is an event", async () => {
  const { bob, events, status, team } = await startTeam();
  const denied = `access-denied forbidden ${bob.id}`;
  for (
    const [method, path, count] of [
      ["POST", `/t/${team}/notes`, 1],
      ["GET", `/teams/${team}/invite`, 1],
      ["GET", `/t/${team}/notes`, 0],
      ["GET", `/teams/${team}`, 0],
    ] as const
  ) {
    assertEquals(await status(bob, method, path), count === 1 ? 403 : 200);
    const found = events.take();
    assertEquals(found, Array(count).fill(denied), path);
  }
});

Deno.test("only owners see the invitations of a team, in pages and in JSON", async () => {
  const { ada, bob, team, ...app } = await startTeam();
  const email = "cem@example.com";
  await invite(app, ada.browser, team, { email, role: "reader" });
  for (const { browser } of [ada, bob]) {
    const isOwner = browser === ada.browser;
    const page = await (await browser.get(`/teams/${team}`)).text();
    assertEquals(page.includes(email), isOwner);
    const accept = { Accept: "application/json" };
    const read = await (await browser.get(`/teams/${team}`, accept)).json();
    assertEquals(read.invitations.length, isOwner ? 1 : 0);
    const { role, name, id, members } = read;
    const own = isOwner ? "owner" : "reader";
    assertEquals([id, name, role], [team, "Engines", own]);
    assertEquals(Object.keys(members[0]), ["id", "name", "email", "role"]);
    const { teams } = await (await browser.get("/teams", accept)).json();
    assertEquals(teams.map((one: { role: string }) => one.role), [own]);
  }
});

const forms: [
  path: string,
  values: Record<string, unknown>,
  errors: string[],
][] = [
  ["", {}, ["name"]],
  ["", { name: " \n" }, ["name"]],
  ["/TEAM/invite", {}, ["email", "role"]],
  ["/TEAM/invite", { email: "cem", role: "reader" }, ["email"]],
  ["/TEAM/invite", { email: "cem@example.com" }, ["role"]],
  ["/TEAM/invite", { email: "cem@example.com", role: "boss" }, ["role"]],
  ["/TEAM/invite", { email: "cem@example.com", role: ["reader"] }, ["role"]],
];

for (const [path, values, names] of forms) {
  Deno.test(`the form /teams${path} refuses ${JSON.stringify(values)}`, async () => {
    const { accounts, ada, database, team } = await startTeam();
    const url = `/teams${path}`.replace("TEAM", team);
    const response = await ada.browser.send(url, values);
    assertEquals(response.status, 422);
    assertEquals(Object.keys((await response.json()).errors).sort(), names);
    assertEquals((await accounts.teams.list(ada.id)).length, 1);
    assertEquals(await database.teams!.invitations(team), []);
    assertEquals(accounts.mails, []);
  });
}

Deno.test("the page of teams refuses the team after the 50th", async () => {
  const { accounts, login } = start();
  const ada = await login("ada");
  for (let n = 0; n < 49; n++) await accounts.teams.create("Team", ada.id);
  const last = await ada.browser.send("/teams", { name: "Last" });
  const { location, team } = await last.json();
  assertEquals(location, `/teams/${team}`);
  assertEquals((await accounts.teams.find(team))?.name, "Last");
  const refused = await ada.browser.send("/teams", { name: "More" });
  assertEquals(refused.status, 422);
  assertStringIncludes(await refused.text(), "50");
  assertEquals((await accounts.teams.list(ada.id)).length, 50);
});

Deno.test("a team has at most 1,000 members, including open invitations", async () => {
  const { ada, database, team } = await startTeam();
  const teams = database.teams!;
  for (let n = 2; n < 999; n++) {
    const id = `user${n}`;
    const email = `${id}@example.com`;
    const details = { email, emailVerified: true, name: id, role: "user" };
    const rest = { language: null, fields: {}, passwordHash: "", createdAt: n };
    await database.create({ id, ...details, ...rest });
    const member = { id, teamId: team, userId: id, role: "reader" };
    assert(await teams.add({ ...member, createdAt: n }, 1));
  }
  assertEquals((await teams.members(team)).length, 999);
  const values = (email: string) => ({ email, role: "reader" });
  const path = `/teams/${team}/invite`;
  const last = await ada.browser.send(path, values("last@example.com"));
  assertEquals(last.status, 200);
  const more = await ada.browser.send(path, values("more@example.com"));
  assertEquals(more.status, 422);
  const open = await teams.invitations(team);
  assertEquals(open.map(({ email }) => email), ["last@example.com"]);
});

Deno.test("an owner who invites one address many times does not flood its mailbox", async () => {
  const { accounts, ada, team } = await startTeam();
  const values = { email: "cem@example.com", role: "reader" };
  for (let n = 0; n < 15; n++) {
    const path = `/teams/${team}/invite`;
    assertEquals((await ada.browser.send(path, values)).status, 200);
  }
  assertEquals(accounts.mails.length, 5);
});

Deno.test("an expired invitation leaves the database when an owner looks", async () => {
  let time = Date.UTC(2026, 10, 27);
  const now = () => time;
  const database = createMemoryAccountStore({ now });
  const app = start({ database, now });
  const ada = await app.login("ada");
  const team = await newTeam(ada, "Engines");
  const values = { email: "bob@example.com", role: "reader" };
  await invite(app, ada.browser, team, values);
  for (const [passed, count] of [[14 * DAY - 1, 1], [1, 0]] as const) {
    time += passed;
    await app.accounts.logInTest(ada.browser.client, ada.id);
    await ada.browser.get(`/teams/${team}`);
    const stored = await database.teams!.invitations(team);
    assertEquals(stored.length, count);
  }
});

Deno.test("an account is deleted only if each of its teams keeps an owner or becomes empty", async () => {
  const { accounts, ada, bob, team } = await startTeam();
  const deletion = async () => {
    const response = await ada.browser.send("/account/delete", {});
    return [response.status, await response.text()] as const;
  };
  await newTeam(ada, "Alone");
  const looms = await newTeam(ada, "Looms");
  await accounts.teams.add(looms, bob.id, "editor");
  const [status, text] = await deletion();
  assertEquals(status, 409);
  assertEquals(/Engines|Looms/.test(text), true, text);
  assertEquals(text.includes("Alone"), false);
  await accounts.teams.setRole(looms, bob.id, "owner");
  await accounts.teams.setRole(team, bob.id, "owner");
  await accounts.teams.setRole(team, ada.id, "reader");
  assertEquals((await deletion())[0], 200);
});

/** Calls of the store that find out that the account or the team has changed. */
const races: [method: string, path: string][] = [
  ["create", "/teams"],
  ["invite", "/teams/TEAM/invite"],
];

for (const [method, path] of races) {
  Deno.test(`a request to ${path} that loses a race gets a 409`, async () => {
    const { accounts, ada, database, team } = await startTeam();
    const lose = () => Promise.resolve(false);
    Object.assign(database.teams!, { [method]: lose });
    const values = { name: "More", email: "cem@example.com", role: "reader" };
    const url = path.replace("TEAM", team);
    assertEquals((await ada.browser.send(url, values)).status, 409);
    assertEquals(accounts.mails, []);
  });
}
