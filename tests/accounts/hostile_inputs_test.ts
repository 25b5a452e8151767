/** Each form of the accounts, with each input that no function can print. */
import { assert, assertEquals } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { captureConsole } from "../_console.ts";
import { Browser, exampleProviders, PASSWORD, routesOf } from "./_accounts.ts";

const email = "ada@example.com";

/** Values that get past the checks of most forms. */
const VALUES = {
  name: "Ada",
  email: "new@example.com",
  password: PASSWORD,
  code: "123456",
  token: "t".repeat(22),
  setup: "x",
  passkey: {},
  id: "x",
  role: "reader",
  scopes: ["notes:read"],
  days: "30",
  team: "x",
  provider: "example",
  invitation: "x",
  answer: "accept",
  handOver: "on",
  remember: "on",
  do: "disable",
  reason: "spam",
  until: "2100-01-01",
  fields: { company: "Engines" },
};

/** A value of JSON that throws if it becomes a string or a number. */
const HOSTILE = { toString: null, valueOf: null };

function start() {
  const accounts = testAccounts({
    definition: defineAccounts({
      scopes: ["notes:read"],
      teamRoles: ["owner", "reader"],
    }),
    providers: exampleProviders(),
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  return { accounts, router };
}

for (const name of Object.keys(VALUES)) {
  Deno.test(`the input ${name} of a type that no function can print gets no 500`, async () => {
    using output = captureConsole();
    const { accounts, router } = start();
    let count = 0;
    for (const map of [accounts.routes, accounts.adminRoutes]) {
      for (const route of routesOf(map)) {
        if (route.method !== "POST") continue;
        count++;
        // The route before may have ended the account or its login.
        const old = await accounts.users.findByEmail(email);
        if (old !== null) await accounts.users.remove(old.id);
        const role = "admin";
        const ada = await accounts.users.create({ email, name: "Ada", role });
        const team = await accounts.teams.create("Engines", ada!.id);
        const other = { email: `${crypto.randomUUID()}@example.com` };
        const bob = await accounts.users.create({ ...other, name: "Bob" });
        const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
        await accounts.logInTest(client, ada!.id);
        const path = route.href({
          team: team!.teamId,
          user: bob!.id,
          member: team!.id,
          invitation: "x",
          provider: "example",
        });
        const response = await new Browser(client, {})
          .send(path, { ...VALUES, [name]: HOSTILE });
        await response.body?.cancel();
        assert(response.status < 500, `${path}: ${response.status}`);
      }
    }
    assert(count > 30);
    assertEquals(output.printed, []);
  });
}
