import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import {
  codeOf,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const ADA = { email: "ada@example.com", name: "Ada", password: PASSWORD };

Deno.test("a registration with the code of the email logs in and returns to the page", async () => {
  const { accounts, browser, lastMail } = startAccounts();
  const ada = browser();
  assertEquals((await ada.get("/register")).status, 200);
  const first = await ada.post("/register?returnTo=%2Ffresh%3Fa", ADA);
  assertEquals(first.status, 303);
  assertEquals(
    first.headers.get("Location"),
    "/register/code?returnTo=%2Ffresh%3Fa",
  );
  // No account exists before the proof.
  assertEquals(await accounts.users.findByEmail(ADA.email), null);
  assertEquals(await ada.isLoggedIn(), false);

  const page = await ada.get("/register/code");
  assertStringIncludes(await page.text(), "ada@example.com");
  const code = codeOf(await lastMail(ADA.email));
  const wrong = await ada.post("/register/code", { code: "x" });
  assertEquals(wrong.status, 422);
  const last = await ada.post("/register/code", { code });
  assertEquals(last.headers.get("Location"), "/fresh?a");
  assertEquals(await (await ada.get("/")).text(), "Hello Ada");
  const user = await accounts.users.findByEmail(" ADA@Example.com ");
  assertEquals(user?.emailVerified, true);
  assertMatch(user!.id, /^[\w-]{22}$/);
  assertEquals(user?.role, "user");

  // The code works once.
  const again = await ada.post("/register/code", { code });
  assertEquals(again.status, 400);
});

Deno.test("a registration with the link of the email works in the same browser", async () => {
  const { browser, lastMail } = startAccounts();
  const ada = browser();
  await ada.post("/register", ADA);
  const mail = await lastMail(ADA.email);
  const other = browser();
  const shown = await other.get(linkOf(mail));
  assertStringIncludes(await shown.text(), codeOf(mail));
  const token = tokenOf(mail);
  assertEquals((await other.post("/register/link", { token })).status, 400);
  assertEquals(await other.isLoggedIn(), false);

  const page = await ada.get(linkOf(mail));
  assertEquals(page.status, 200);
  assertEquals(page.headers.get("Cache-Control"), "no-store");
  assertEquals((await ada.post("/register/link", { token })).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a registration as JSON has the same steps", async () => {
  const { browser, lastMail } = startAccounts();
  const ada = browser();
  const first = await ada.send("/register", ADA);
  assertEquals(first.status, 200);
  assertEquals((await first.json()).next, "code");
  const wrong = await ada.send("/register/code", { code: 1 });
  assertEquals(wrong.status, 422);
  const problem = await wrong.json();
  assertEquals(problem.errors, { code: "This code is wrong" });
  assertEquals(problem.status, 422);
  const code = codeOf(await lastMail(ADA.email));
  const last = await ada.send("/register/code", { code });
  assertEquals(await last.json(), { next: "done", location: "/" });
  const session = await ada.get("/account/session");
  assertEquals((await session.json()).account.email, ADA.email);
});

const invalidInputs: [input: Record<string, unknown>, fields: string[]][] = [
  [{}, ["email", "name", "password"]],
  [{ ...ADA, email: "ada" }, ["email"]],
  [{ ...ADA, email: ["a@b.org"] }, ["email"]],
  [{ ...ADA, email: `${"a".repeat(300)}@example.com` }, ["email"]],
  [{ ...ADA, email: "ada@example.com\r\nBcc: eve@example.com" }, ["email"]],
  [{ ...ADA, name: " \u2028 " }, ["name"]],
  [{ ...ADA, name: "x".repeat(101) }, ["name"]],
  [{ ...ADA, password: "short" }, ["password"]],
  [{ ...ADA, password: "x".repeat(1_001) }, ["password"]],
  [{ ...ADA, password: "password123" }, ["password"]],
  [{ ...ADA, password: "ada@example.com" }, ["password"]],
  [{ ...ADA, password: "Invoices2026" }, ["password"]],
  [{ ...ADA, password: "qwertzuiop" }, ["password"]],
];

for (const [input, fields] of invalidInputs) {
  const name = JSON.stringify(input).slice(0, 70);
  Deno.test(`a registration refuses ${name}`, async () => {
    const { accounts, browser } = startAccounts();
    const response = await browser().send("/register", input);
    assertEquals(response.status, 422);
    const { errors } = await response.json();
    assertEquals(Object.keys(errors).sort(), fields);
    assertEquals(accounts.mails, []);
  });
}

Deno.test("a form shows its errors and values, but no password", async () => {
  const { browser } = startAccounts();
  const values = { ...ADA, email: "<b>", password: "s3cret!" };
  const response = await browser().post("/register", values);
  assertEquals(response.status, 422);
  const page = await response.text();
  assertStringIncludes(page, 'href="#email"');
  assertStringIncludes(page, 'value="&lt;b&gt;"');
  assert(!page.includes("s3cret"));
});

Deno.test("a flood of registrations from one address waits longer each time, up to 15 minutes", async () => {
  let time = Date.UTC(2026, 10, 27);
  const { browser } = startAccounts({ now: () => time });
  const flood = browser();
  const waits = new Set<number>();
  for (let n = 0; n < 32; n++) {
    const values = { ...ADA, email: `ada${n}@example.com` };
    const { headers } = await flood.post("/register", values);
    const seconds = Number(headers.get("Retry-After"));
    waits.add(seconds);
    time += seconds * 1_000;
  }
  assertEquals([...waits], [0, 60, 120, 240, 480, 900]);
});

Deno.test("a closed registration responds with 404", async () => {
  const { browser } = startAccounts({ registration: "closed" });
  for (const path of ["/register", "/register/code", "/register/link"]) {
    assertEquals((await browser().get(path)).status, 404);
    assertEquals((await browser().post(path, ADA)).status, 404);
  }
});

Deno.test("an address of admins has the role after its proof", async () => {
  const { accounts, registered } = startAccounts({
    admins: ["Ada@Example.com"],
  });
  const ada = await registered();
  assertEquals((await ada.get("/admin")).status, 200);
  const eve = await registered({ email: "eve@example.com" });
  assertEquals((await eve.get("/admin")).status, 403);
  const user = await accounts.users.findByEmail("eve@example.com");
  await accounts.users.setRole(user!.id, "admin");
  assertEquals((await eve.get("/admin")).status, 200);
});

Deno.test("two proofs of one address create one account", async () => {
  const { accounts, browser, lastMail } = startAccounts();
  const [first, second] = [browser(), browser()];
  await first.post("/register", ADA);
  const firstCode = codeOf(await lastMail(ADA.email));
  await second.post("/register", { ...ADA, name: "Second" });
  const secondCode = codeOf(await lastMail(ADA.email));
  await Promise.all([
    first.post("/register/code", { code: firstCode }),
    second.post("/register/code", { code: secondCode }),
  ]);
  const states = [await first.isLoggedIn(), await second.isLoggedIn()];
  assertEquals(states.filter(Boolean).length, 1);
  assertEquals((await accounts.users.list()).users.length, 1);
});

Deno.test("pages and emails are in the language of the browser", async () => {
  const { browser, lastMail } = startAccounts();
  const ada = browser({ "Accept-Language": "fr, de-AT;q=0.8, en;q=0.5" });
  const page = await (await ada.get("/register")).text();
  assertStringIncludes(page, '<html lang="de">');
  assertStringIncludes(page, "Bei Invoices registrieren");
  await ada.post("/register", ADA);
  assertStringIncludes((await lastMail(ADA.email)).subject, "Bestätigen");
});

Deno.test("a registration that fails leaves nothing of its account in the database", async () => {
  const database = createMemoryAccountStore();
  const marks = new Set<string>();
  const values = database.values;
  const put = values.put.bind(values);
  values.put = async (key, ...rest) => {
    const isStored = await put(key, ...rest);
    if (key.startsWith("account-new")) marks.add(key);
    return isStored;
  };
  const remove = values.delete.bind(values);
  values.delete = async (key) => {
    marks.delete(key);
    await remove(key);
  };
  const { accounts, browser, lastMail } = startAccounts({
    database,
    hooks: { afterRegister: () => {} },
  });
  // Another account takes the address right before the new one.
  const create = database.create.bind(database);
  database.create = async (details) => {
    database.create = create;
    await create({ ...details, id: "other" });
    return await create(details);
  };
  const ada = browser();
  await ada.post("/register", ADA);
  const code = codeOf(await lastMail(ADA.email));
  assertEquals((await ada.post("/register/code", { code })).status, 400);
  assertEquals([...marks], []);
  // The invitation ends while its account is created.
  const email = "bob@example.com";
  await accounts.users.invite({ email });
  const token = tokenOf(await lastMail(email));
  database.create = async (details) => {
    await accounts.users.withdrawInvitation(email);
    return await create(details);
  };
  const bob = browser();
  const given = { token, name: "Bob", password: PASSWORD };
  assertEquals((await bob.post("/register", given)).status, 400);
  assertEquals([...marks], []);
  assertEquals((await accounts.users.list()).users.length, 1);
});
