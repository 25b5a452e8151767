import { assertEquals, assertStringIncludes } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { Auth } from "@gatehouse/web/auth-middleware";
import { boolean, string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { PASSWORD, startAccounts } from "../_accounts.ts";

const email = "ada@example.com";

const NEW = "another horse battery";

const definition = defineAccounts({
  fields: {
    company: { schema: string(), label: { en: "Company", de: "Firma" } },
    news: { schema: boolean(), label: "News", input: "checkbox" },
    plan: { schema: string(), label: "Plan", by: "application" },
  },
  roles: ["reader", "admin"],
});

Deno.test("a profile that a user saves slowly keeps what the application has changed meanwhile", async () => {
  const accounts = testAccounts({ definition });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  const fields = { plan: "paid", company: "Looms" };
  const { id } = (await accounts.users.create({ email, name: "Ada", fields }))!;
  const client = createTestClient(router);
  await accounts.logInTest(client, id);
  const body = new ReadableStream({
    // The guard has read the account before it reads the body.
    async pull(controller) {
      await accounts.users.update(id, { fields: { plan: "free" } });
      controller.enqueue(new TextEncoder().encode(
        JSON.stringify({ name: "Ada", fields: { company: "Engines" } }),
      ));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const init = { method: "POST", body, duplex: "half" };
  const headers = { "Content-Type": "application/json" };
  const response = await client.fetch("/account", { ...init, headers });
  assertEquals(response.status, 200);
  const user = await accounts.users.find(id);
  assertEquals(user?.fields, { plan: "free", company: "Engines" });
});

Deno.test("a profile has the fields of the application, and the types", async () => {
  const accounts = testAccounts({ definition });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.get("/", accounts.requireUser, (context) => {
    const { fields, role } = context.get(Auth);
    const company: string | undefined = fields.company;
    const isReader: boolean = role === "reader";
    // @ts-expect-error The role does not exist.
    assertEquals(role === "owner", false);
    return Response.json({ company, isReader, plan: fields.plan });
  });
  const user = await accounts.users.create({
    email,
    name: "Ada",
    fields: { plan: "free" },
  });
  const client = createTestClient(router);
  await accounts.logInTest(client, user!.id);
  const page = await (await client.fetch("/account")).text();
  assertStringIncludes(page, "Company");
  assertEquals(page.includes("Plan"), false);
  const body = new URLSearchParams({
    "name": "Ada L.",
    "field-company": "Engines",
    "field-news": "on",
    "field-plan": "paid",
    "role": "admin",
  });
  await client.fetch("/account", { method: "POST", body });
  assertEquals(await (await client.fetch("/")).json(), {
    company: "Engines",
    isReader: true,
    plan: "free",
  });
  const saved = await accounts.users.find(user!.id);
  assertEquals([saved?.name, saved?.fields.news], ["Ada L.", true]);
  await client.fetch("/account", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Ada", fields: { company: 7, plan: "x" } }),
  });
  assertEquals((await accounts.users.find(user!.id))?.name, "Ada L.");
});

Deno.test("a new password ends the other sessions, and this one continues", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  const other = browser();
  await other.post("/login", { email, password: PASSWORD });
  assertEquals(
    (await ada.post("/account/password", { password: "x" })).status,
    422,
  );
  const changed = await ada.post("/account/password", { password: NEW });
  assertEquals(changed.headers.get("Location"), "/account/password");
  assertStringIncludes(
    await (await ada.get("/account/password")).text(),
    "ended",
  );
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals(await other.isLoggedIn(), false);
  assertStringIncludes((await lastMail(email)).subject, "was changed");
  const login = await browser().post("/login", { email, password: NEW });
  assertEquals(login.status, 303);
});

Deno.test("users lists, blocks and removes accounts", async () => {
  const { accounts: { users, wait }, browser, registered } = startAccounts();
  const ada = await registered();
  await registered({ email: "eve@example.com", name: "Eve" });
  const { users: found } = await users.list({ search: "EVE" });
  assertEquals(found.map(({ name }) => name), ["Eve"]);
  const { id } = (await users.findByEmail(email))!;
  assertEquals(await users.disable("unknown", { reason: "spam" }), false);
  const until = Date.now() + 3_600_000;
  assertEquals(await users.disable(id, { reason: "spam", until }), true);
  assertEquals(await ada.isLoggedIn(), false);
  const values = { email, password: PASSWORD };
  const blocked = await browser().send("/login", values);
  assertEquals(blocked.status, 403);
  const wrong = await browser().send("/login", {
    email,
    password: "wrong one",
  });
  assertEquals(wrong.status, 422);
  wait(2 * 3_600_000);
  assertEquals((await browser().post("/login", values)).status, 303);
  await users.disable(id, { reason: "spam" });
  await users.enable(id);
  const login = browser();
  assertEquals((await login.post("/login", values)).status, 303);
  assertEquals(await users.remove(id), true);
  assertEquals(await login.isLoggedIn(), false);
  assertEquals(await users.remove(id), false);
});

Deno.test("a profile with an error keeps the boxes that the user has ticked", async () => {
  const accounts = testAccounts({ definition });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  const user = (await accounts.users.create({ email, name: "Ada" }))!;
  const client = createTestClient(router);
  await accounts.logInTest(client, user.id);
  for (const isTicked of [false, true]) {
    const body = new URLSearchParams({ "name": "", "field-company": "Looms" });
    if (isTicked) body.set("field-news", "on");
    const response = await client.fetch("/account", { method: "POST", body });
    assertEquals(response.status, 422);
    const page = await response.text();
    const [box = ""] = /<input[^>]+name="field-news"[^>]*>/.exec(page) ?? [];
    assertEquals([box !== "", box.includes("checked")], [true, isTicked]);
  }
});
