import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { memberOf, newTeam, start } from "../teams/_teams.ts";

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
