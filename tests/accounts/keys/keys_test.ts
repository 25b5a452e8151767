import { assertEquals, assertThrows } from "@std/assert";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { mailTo, tokenOf } from "../_accounts.ts";
import { email, KEY, start } from "./_keys.ts";

Deno.test("a reset by email removes the keys", async () => {
  const { accounts, ada, call, user } = await start({});
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  await ada.post("/login/reset", { email });
  const link = tokenOf(mailTo(email, accounts));
  const password = "another horse battery";
  await ada.post("/login/reset/link", { token: link, password });
  assertEquals((await call(token)).status, 401);
  assertEquals(await accounts.keys.list(user.id), []);
});

Deno.test("without scopes there are no keys, no page and no link", async () => {
  const accounts = testAccounts();
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.1" });
  const user = (await accounts.users.create({ email, name: "Ada" }))!;
  await accounts.logInTest(client, user.id);
  assertEquals((await client.fetch("/account/keys")).status, 404);
  const page = await (await client.fetch("/account")).text();
  assertEquals(page.includes("/account/keys"), false);
  const requireScope = accounts.requireScope as (...names: string[]) => unknown;
  assertThrows(() => requireScope("notes:read"), TypeError, "notes:read");
});
