import { assertEquals } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient, createTestProvider } from "@gatehouse/web/testing";
import { Browser, exampleProviders, PASSWORD, tokenOf } from "../_accounts.ts";
import { start } from "../admin/_admins.ts";

Deno.test("an administrator who lost the role is refused at the next request", async () => {
  const { accounts, create, root, rootId } = await start();
  await create("Eve", "admin");
  assertEquals((await root.get("/admin")).status, 200);
  await accounts.users.setRole(rootId, "user");
  assertEquals((await root.get("/admin")).status, 403);
});

Deno.test("the last administrator keeps the role, even if two lose it at once", async () => {
  const { accounts, create, log, logIn, root, rootId } = await start();
  const lose = { do: "role", role: "user" };
  const alone = await root.send(`/admin/users/${rootId}`, lose);
  assertEquals(alone.status, 409);
  assertEquals((await log(rootId)).sort(), [
    "refused: admin → user",
    "role: admin → user",
  ]);
  const otherId = await create("Eve", "admin");
  const eve = await logIn(otherId);
  await Promise.all([
    root.send(`/admin/users/${otherId}`, lose),
    eve.send(`/admin/users/${rootId}`, lose),
  ]);
  assertEquals((await accounts.users.list({ role: "admin" })).users.length, 1);
});

Deno.test("acting ends with the role, with a block, and after an hour", async () => {
  const { accounts, adaId, create, logIn, root, rootId } = await start();
  const otherId = await create("Eve", "admin");
  const eve = await logIn(otherId);
  const act = { do: "act", reason: "Ticket 12" };
  const userOf = async (browser: Browser) =>
    (await (await browser.get("/")).json()).user;
  for (const browser of [root, eve]) {
    await browser.send(`/admin/users/${adaId}`, act);
    assertEquals(await userOf(browser), adaId);
  }
  await accounts.users.setRole(rootId, "user");
  assertEquals(await userOf(root), null);
  accounts.wait(3_600_001);
  assertEquals(await userOf(eve), null);
});

Deno.test("applications with one role have no administrators", async () => {
  const definition = defineAccounts({ roles: ["member"] });
  const accounts = testAccounts({ definition });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.adminRoutes, accounts.adminController);
  const user = await accounts.users.create({ email: "a@b.org", name: "A" });
  const client = createTestClient(router);
  await accounts.logInTest(client, user!.id);
  assertEquals((await client.fetch("/admin")).status, 404);
});

Deno.test("the role of administrators is admin if listed, the last one, or that of the option", async () => {
  const cases = [
    [["user", "admin", "guest"], undefined, "admin"],
    [["user", "staff"], undefined, "staff"],
    [["user", "staff", "admin"], "staff", "staff"],
  ] as const;
  for (const [roles, adminRole, expected] of cases) {
    const definition = defineAccounts({ roles, paths: { admin: "/staff" } });
    const accounts = testAccounts({
      definition,
      ...adminRole && { adminRole },
    });
    const router = createRouter({ middleware: accounts.middleware });
    router.map(accounts.adminRoutes, accounts.adminController);
    for (const role of roles) {
      const email = `${role}@example.com`;
      const user = await accounts.users.create({ email, name: "A", role });
      const client = createTestClient(router);
      await accounts.logInTest(client, user!.id);
      const { status } = await client.fetch("/staff");
      assertEquals(status, role === expected ? 200 : 403, role);
    }
  }
});

Deno.test("an invitation ends with the role, the access or the account of its administrator", async () => {
  const ends: readonly ((app: Awaited<ReturnType<typeof start>>) => unknown)[] =
    [
      async ({ accounts, create, rootId }) => {
        await create("Eve", "admin");
        await accounts.users.setRole(rootId, "user");
      },
      ({ accounts, rootId }) =>
        accounts.users.disable(rootId, { reason: "stolen" }),
      ({ accounts, rootId }) => accounts.users.remove(rootId),
    ];
  for (const end of ends) {
    const provider = createTestProvider();
    const app = await start({
      registration: "invited",
      providers: exampleProviders(provider),
    });
    const email = "evil@example.com";
    const values = { do: "invite", email, role: "admin" };
    await app.root.post("/admin/invitations", values);
    const token = tokenOf(app.accounts.mails.at(-1)!);
    await end(app);
    const evil = new Browser(createTestClient(app.router), {});
    const user = { sub: "e1", name: "Evil", email, email_verified: true };
    await provider.logIn(evil.client, "/login/with/example", { user });
    assertEquals(await app.accounts.users.findByEmail(email), null);
    const accept = { token, name: "Evil", password: PASSWORD };
    assertEquals((await evil.get(`/register?token=${token}`)).status, 400);
    assertEquals((await evil.post("/register", accept)).status, 400);
    assertEquals(await app.accounts.users.findByEmail(email), null);
  }
});
