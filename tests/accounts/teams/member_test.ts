import { assertEquals, assertStringIncludes } from "@std/assert";
import { invite, memberOf, newTeam, start } from "./_teams.ts";

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
    userId: ada.id,
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

Deno.test("the page of keys offers the teams of the user, even a single one", async () => {
  const { login } = start();
  const { browser } = await login("ada");
  const teamsOf = async () => {
    const page = await (await browser.get("/account/keys")).text();
    const [, select = ""] = /<select id="team"([^]*?)<\/select>/.exec(page) ??
      [];
    return [...select.matchAll(/>([^<]+)<\/option>/g)].map(([, name]) => name);
  };
  assertEquals(await teamsOf(), []);
  await newTeam({ browser }, "Engines");
  assertEquals(await teamsOf(), ["My account", "Engines"]);
});
