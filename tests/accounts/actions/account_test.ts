import {
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
import { Auth } from "@gatehouse/web/auth-middleware";
import { boolean, string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import {
  codeOf,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

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

Deno.test("a new address is verified, and a link to the earlier one restores it", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  const thief = await registered();
  const id = (await accounts.users.findByEmail(email))!.id;
  const first = await thief.post("/account/email", {
    email: "eve@example.com",
  });
  assertEquals(first.headers.get("Location"), "/account/email/code");
  assertEquals((await accounts.users.find(id))?.email, email);
  const code = codeOf(await lastMail("eve@example.com"));
  const changed = await thief.post("/account/email/code", { code });
  assertEquals(changed.headers.get("Location"), "/account/email");
  assertEquals((await accounts.users.find(id))?.email, "eve@example.com");
  assertEquals(await thief.isLoggedIn(), true);

  const notice = await lastMail(email);
  assertStringIncludes(notice.text, "eve@example.com");
  const owner = browser();
  const page = await owner.get(linkOf(notice));
  assertStringIncludes(await page.text(), "Restore my account");
  const token = tokenOf(notice);
  const restored = await owner.post("/account/not-me", { token });
  assertEquals(
    restored.headers.get("Location"),
    "/login/reset?notice=restored",
  );
  assertEquals((await accounts.users.find(id))?.email, email);
  assertEquals(await thief.isLoggedIn(), false);
  assertEquals((await owner.post("/account/not-me", { token })).status, 400);
});

/** Starts accounts with a thief in a session of the owner. */
async function startTheft() {
  const database = createMemoryAccountStore();
  const app = startAccounts({ database });
  const thief = await app.registered();
  const { id } = (await app.accounts.users.findByEmail(email))!;
  /** Changes the address, and returns the link in the email to the earlier one. */
  const changeAddress = async (address: string) => {
    const before = await app.accounts.users.find(id);
    await thief.post("/account/email", { email: address });
    const code = codeOf(await app.lastMail(address));
    await thief.post("/account/email/code", { code });
    assertEquals((await app.accounts.users.find(id))?.email, address);
    return { token: tokenOf(await app.lastMail(before!.email)) };
  };
  /** Uses a link, and returns the address after it. */
  const restore = async (link: { readonly token: string }) => {
    await app.browser().post("/account/not-me", link);
    return (await app.accounts.users.find(id))?.email;
  };
  return { ...app, changeAddress, database, id, restore, thief };
}

Deno.test("a thief who changes the address twice does not undo the restoration of the owner", async () => {
  const { changeAddress, restore, thief } = await startTheft();
  const link = await changeAddress("eve@example.com");
  const undo = await changeAddress("mallory@example.com");
  assertEquals(await restore(link), email);
  const page = await thief.get(`/account/not-me?token=${undo.token}`);
  assertEquals(page.status, 400);
  assertEquals((await thief.post("/account/not-me", undo)).status, 400);
  assertEquals(await restore(undo), email);
});

Deno.test("a thief who uses the link to their own address first does not end that of the owner", async () => {
  const { changeAddress, restore } = await startTheft();
  const link = await changeAddress("eve@example.com");
  const undo = await changeAddress("mallory@example.com");
  assertEquals(await restore(undo), "eve@example.com");
  assertEquals(await restore(link), email);
});

Deno.test("an owner whose address was restored can restore it after the next theft", async () => {
  const { accounts, changeAddress, id, restore, thief } = await startTheft();
  assertEquals(await restore(await changeAddress("eve@example.com")), email);
  await accounts.logInTest(thief.client, id);
  assertEquals(await restore(await changeAddress("eve@example.com")), email);
});

Deno.test("a restored address removes the password and the ways in of the thief", async () => {
  const { accounts, browser, changeAddress, database, id, restore, thief } =
    await startTheft();
  await thief.post("/account/password", { password: NEW });
  const { version } = (await database.find(id))!;
  const way = { kind: "key", id: "x", accountId: id, name: "Key" };
  const use = { createdAt: 0, usedAt: null, counter: 0, data: null };
  assertEquals(await database.addWayIn({ ...way, ...use }, version), true);
  assertEquals(await restore(await changeAddress("eve@example.com")), email);
  assertEquals(await database.waysIn(id), []);
  const login = await browser().post("/login", { email, password: NEW });
  assertEquals(login.status, 422);
  assertEquals((await accounts.users.find(id))?.email, email);
});

Deno.test("the address of another account cannot be taken, and its owner gets an email", async () => {
  const { accounts, lastMail, registered } = startAccounts();
  await registered({ email: "eve@example.com" });
  const ada = await registered();
  const response = await ada.send("/account/email", {
    email: "eve@example.com",
  });
  assertEquals((await response.json()).next, "code");
  const mail = await lastMail("eve@example.com");
  assertStringIncludes(mail.subject, "You have an account");
  assertEquals(/\d{6}/.test(mail.text), false);
  assertEquals((await accounts.users.findByEmail(email))?.email, email);
});

Deno.test("a deletion waits, a login keeps the account, and sweep() deletes it", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  assertStringIncludes(
    await (await ada.get("/account/delete")).text(),
    "7 days",
  );
  const removed = await ada.post("/account/delete");
  assertEquals(removed.headers.get("Location"), "/login?notice=deleted");
  assertEquals(await ada.isLoggedIn(), false);
  assertStringIncludes((await lastMail(email)).subject, "will be deleted");
  await ada.post("/login", { email, password: PASSWORD });
  accounts.wait(8 * 86_400_000);
  await accounts.sweep();
  assertEquals((await accounts.users.findByEmail(email))?.deleteAt, null);

  const again = browser();
  await again.post("/login", { email, password: PASSWORD });
  await again.post("/account/delete");
  accounts.wait(8 * 86_400_000);
  await accounts.sweep();
  assertEquals(await accounts.users.findByEmail(email), null);
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

Deno.test("paths of the application change routes, links and redirects", async () => {
  const { browser } = startAccounts({
    definition: defineAccounts({
      paths: { login: "/auth", register: "/join", account: "/me" },
    }),
  });
  const guard = await browser().get("/");
  assertEquals(guard.headers.get("Location"), "/auth?returnTo=%2F");
  const page = await (await browser().get("/auth")).text();
  for (const path of ["/auth/reset", "/join", "/me/style.css"]) {
    assertStringIncludes(page, `"${path}"`);
  }
  assertEquals((await browser().get("/login")).status, 404);
});

const options: [name: string, options: Record<string, unknown>][] = [
  ["name", { name: "" }],
  ["name", { name: "a\nb" }],
  ["origin", { origin: "https://app.example/" }],
  ["origin", { origin: "http://app.example" }],
  ["sendMail", { origin: "https://app.example", secrets: ["x".repeat(40)] }],
  ["secrets", { origin: "https://app.example", sendMail: () => {} }],
  ["database", { database: {} }],
  ["admins", {
    admins: ["a@b.org"],
    definition: defineAccounts({ roles: ["x"] }),
  }],
  ["deletionDelay", { deletionDelay: NaN }],
  ["contentSecurityPolicy", {
    contentSecurityPolicy: { "font-src": ["a; b"] },
  }],
];

for (const [name, given] of options) {
  Deno.test(`createAccounts() names the option ${name} of ${Object.keys(given)}`, () => {
    const create = () =>
      createAccounts({
        name: "Invoices",
        origin: "http://localhost:8000",
        database: createMemoryAccountStore(),
        ...given,
      });
    assertThrows(create, Error, name);
  });
}

Deno.test("a development server prints its emails and refuses other hosts", async () => {
  const accounts = createAccounts({
    name: "Invoices",
    origin: "http://localhost:8000",
    database: createMemoryAccountStore(),
    passwords: { memory: 64, passes: 1 },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  using output = captureConsole("log");
  // The router knows no address of a client.
  using _warnings = captureConsole("warn");
  const body = new URLSearchParams({ email, name: "Ada", password: PASSWORD });
  const init = { method: "POST", body };
  const response = await router.fetch("http://localhost:8000/register", init);
  assertEquals(response.status, 303);
  await accounts.flush();
  assertStringIncludes(String(output.printed), "Email to ada@example.com");
  const other = await router.fetch("http://evil.example:8000/login");
  assertEquals(other.status, 421);
});

Deno.test("an account that cannot be deleted does not keep the others, and sweep() rejects", async () => {
  const database = createMemoryAccountStore();
  const { accounts, registered } = startAccounts({ database });
  const ids: string[] = [];
  for (const name of ["ada", "bob", "eve"]) {
    const email = `${name}@example.com`;
    const user = await registered({ email, name });
    ids.push((await accounts.users.findByEmail(email))!.id);
    await user.post("/account/delete");
  }
  const remove = database.remove.bind(database);
  let isBlocked = true;
  database.remove = (id, version) =>
    isBlocked && id === ids[0]
      ? Promise.reject(new Error("invoices_owner_id_fkey"))
      : remove(id, version);
  accounts.wait(8 * 86_400_000);
  await assertRejects(() => accounts.sweep(), AccountStoreError);
  const left = async () =>
    (await accounts.users.list()).users.map(({ id }) => id);
  assertEquals(await left(), [ids[0]!]);
  isBlocked = false;
  await accounts.sweep();
  assertEquals(await left(), []);
});
