import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type AccountHooks, createAccounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient, createTestProvider } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import {
  codeOf,
  exampleProviders,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";

const registration = { email, name: "Ada", password: PASSWORD };

const PROVIDER = "/login/with/example";

Deno.test("beforeLogin refuses with a text, which no page takes as markup", async () => {
  const refuse = "Closed <b>today</b>";
  let isOpen = true;
  const { browser, registered } = startAccounts({
    hooks: { beforeLogin: () => isOpen ? undefined : { refuse } },
  });
  await registered();
  isOpen = false;
  const login = { email, password: PASSWORD };
  const ada = browser();
  const page = await ada.post("/login", login);
  assertEquals(page.status, 422);
  assertStringIncludes(await page.text(), "Closed &lt;b&gt;today");
  const json = await ada.send("/login", login);
  assertEquals([json.status, (await json.json()).detail], [422, refuse]);
  assertEquals(await ada.isLoggedIn(), false);
  // The text comes only after a right password.
  const wrong = await ada.send("/login", { email, password: "wrong password" });
  assert((await wrong.json()).detail !== refuse);
});

Deno.test("a refusal after an own step appears on the login page", async () => {
  let decision: { refuse: string } | { step: string } = { step: "/plan" };
  const hooks: AccountHooks = { beforeLogin: () => decision };
  const { accounts, browser, lastMail, router } = startAccounts({ hooks });
  router.post("/plan", (context) => accounts.finishStep(context));
  await accounts.users.create({ email, name: "Ada" });
  const ada = browser();
  await ada.post("/login/email", { email });
  const code = codeOf(await lastMail(email));
  await ada.post("/login/email/code", { code });
  decision = { refuse: "Your plan has ended" };
  const refused = await ada.post("/plan");
  assertEquals(refused.headers.get("Location"), "/login");
  assertStringIncludes(
    await (await ada.get("/login")).text(),
    "Your plan has ended",
  );
  assertEquals(await ada.isLoggedIn(), false);
  // The login has ended with the refusal.
  decision = { step: "/plan" };
  const later = await ada.post("/plan");
  assertEquals(later.headers.get("Location"), "/login");
});

Deno.test("beforeRegister decides about each way to register, once", async () => {
  const asked: string[] = [];
  const provider = createTestProvider();
  const { accounts, browser, lastMail } = startAccounts({
    providers: exampleProviders(provider),
    hooks: {
      beforeRegister({ email, name, provider }) {
        asked.push([email, name, provider].join(" "));
        if (!email.endsWith("@example.com")) return { refuse: "Staff only" };
      },
    },
  });
  const evil = "eve@evil.example";
  const eve = browser();
  const form = await eve.post("/register", { ...registration, email: evil });
  assertEquals(form.status, 422);
  assertStringIncludes(await form.text(), "Staff only");
  await accounts.users.invite({ email: evil });
  const token = tokenOf(await lastMail(evil));
  const invited = { token, name: "Eve", password: PASSWORD };
  assertEquals((await eve.post("/register", invited)).status, 422);
  const user = { sub: "e1", name: "Eve", email: evil, email_verified: true };
  await (await provider.logIn(eve.client, PROVIDER, { user })).body?.cancel();
  await provider.logIn(eve.client, PROVIDER, { user: { sub: "e2" } });
  const address = await eve.post("/login/address", { email: evil });
  assertEquals(address.status, 422);
  await address.body?.cancel();
  assertEquals((await accounts.users.list()).users, []);
  assertEquals(asked.length, 4);
  assertEquals(asked.slice(0, 3), [
    `${evil} Ada `,
    `${evil} Eve `,
    `${evil} Eve example`,
  ]);
  // The invitation still works, because it was not used.
  assertEquals((await accounts.users.invitations()).length, 1);

  const ada = browser();
  await ada.post("/register", registration);
  const code = codeOf(await lastMail(email));
  assertEquals((await ada.post("/register/code", { code })).status, 303);
  assertEquals(asked.length, 5);
});

Deno.test("beforeRegister does not reveal whether an address has an account", async () => {
  const asked: string[] = [];
  const { browser, registered } = startAccounts({
    hooks: { beforeRegister: ({ email }) => void asked.push(email) },
  });
  await registered();
  const eve = browser();
  const statuses = [];
  for (const address of [email, "new@example.com"]) {
    const values = { ...registration, email: address };
    statuses.push((await eve.post("/register", values)).status);
  }
  assertEquals(statuses, [303, 303]);
  assertEquals(asked, [email, email, "new@example.com"]);
});

Deno.test("afterRegister runs until it succeeds, and before the first login", async () => {
  using _output = captureConsole();
  const provider = createTestProvider();
  const prepared: string[] = [];
  let isDown = true;
  const { accounts, browser, lastMail } = startAccounts({
    providers: exampleProviders(provider),
    hooks: {
      async afterRegister({ account, users }) {
        assertEquals((await users.find(account.id))?.email, account.email);
        if (isDown) throw new Error("no connection");
        prepared.push(account.email);
      },
    },
  });
  const ada = browser();
  await ada.post("/register", registration);
  const code = codeOf(await lastMail(email));
  const failed = await ada.post("/register/code", { code });
  assertEquals(failed.status, 500);
  assertEquals(await ada.isLoggedIn(), false);
  const login = { email, password: PASSWORD };
  assertEquals((await ada.post("/login", login)).status, 500);
  isDown = false;
  assertEquals((await ada.post("/login", login)).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
  await ada.post("/login", login);
  assertEquals(prepared, [email]);

  const user = {
    sub: "e1",
    name: "Eve",
    email: "eve@example.com",
    email_verified: true,
  };
  await provider.logIn(browser().client, PROVIDER, { user });
  assertEquals(prepared, [email, user.email]);
  // The application creates its own accounts as it wants.
  const bob = { email: "bob@example.com", name: "Bob" };
  await accounts.users.create(bob);
  assertEquals(prepared.length, 2);
});

Deno.test("beforeDelete is asked by users and administrators", async () => {
  let refuse: string | undefined = "Pay the open invoice first";
  const { accounts, router, registered, browser } = startAccounts({
    admins: ["root@example.com"],
    definition: defineAccounts({ paths: { admin: "/staff" } }),
    hooks: {
      beforeDelete: () => refuse === undefined ? undefined : { refuse },
    },
  });
  router.map(accounts.adminRoutes, accounts.adminController);
  const root = await registered({ email: "root@example.com", name: "Root" });
  const ada = await registered();
  const own = await ada.post("/account/delete");
  assertEquals(own.status, 422);
  assertStringIncludes(await own.text(), "Pay the open invoice first");
  assertEquals(await ada.isLoggedIn(), true);
  const { id } = (await accounts.users.findByEmail(email))!;
  const path = accounts.adminRoutes.user.action.href({ user: id });
  const byAdmin = await root.send(path, { do: "remove", email });
  assertEquals([byAdmin.status, (await byAdmin.json()).detail], [422, refuse]);
  refuse = undefined;
  assertEquals((await ada.post("/account/delete")).status, 303);
  assertEquals(await browser().isLoggedIn(), false);
});

Deno.test("hooks get the types of the definition", async () => {
  const definition = defineAccounts({
    fields: {
      plan: { schema: string(), label: "Plan", by: "application" },
      company: { schema: string(), label: "Company" },
    },
    roles: ["reader", "admin"],
  });
  const plans: (string | undefined)[] = [];
  const accounts = testAccounts({
    definition,
    hooks: {
      async beforeLogin({ account, users }) {
        const role: "reader" | "admin" = account.role;
        const plan: string | undefined = account.fields.plan;
        plans.push(role, plan);
        // @ts-expect-error There is no such field.
        account.fields.unknown;
        await users.update(account.id, { fields: { plan: "free" } });
      },
      beforeRegister({ fields }) {
        if (fields.company === "") return { refuse: "Name your company" };
      },
    },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  const { users } = accounts;
  const user = await users.create({ email, name: "Ada" });
  const client = createTestClient(router);
  const post = (path: string, values: Record<string, string>) =>
    client.fetch(path, { method: "POST", body: new URLSearchParams(values) });
  await post("/login/email", { email });
  await post("/login/email/code", { code: codeOf(accounts.mails[0]!) });
  assertEquals(plans, ["reader", undefined]);
  assertEquals((await users.find(user!.id))?.fields.plan, "free");
  const options = { name: "Invoices", origin: "http://localhost:8000" };
  const database = createMemoryAccountStore();
  // @ts-expect-error A refusal needs a text.
  const hooks: AccountHooks = { beforeLogin: () => ({ refuse: 7 }) };
  createAccounts({ ...options, database, hooks });
});
