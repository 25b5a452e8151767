/** Requirements of OWASP ASVS 5.0 that the pages of accounts meet. */
import { assert, assertEquals } from "@std/assert";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import {
  type Browser,
  codeOf,
  PASSWORD,
  routesOf,
  startAccounts,
} from "./_accounts.ts";

const email = "ada@example.com";
const NEW = "another horse battery";

/** Returns the tags of an element on a page. */
async function tagsOf(browser: Browser, path: string, name: string) {
  const page = await (await browser.get(path)).text();
  return page.match(new RegExp(`<${name}\\b[^>]*>`, "g")) ?? [];
}

/** Returns the pages with a form for a password. */
async function passwordPages() {
  const app = startAccounts();
  const ada = await app.registered();
  const pages: [Browser, string][] = [[app.browser(), "/login"]];
  pages.push([app.browser(), "/register"], [ada, "/account/password"]);
  return { ...app, ada, pages };
}

Deno.test("a password has at least 8 characters (ASVS 6.2.1)", async () => {
  const { browser } = startAccounts();
  const register = async (password: string) => {
    const values = { email, name: "Ada", password };
    return (await browser().post("/register", values)).status;
  };
  assertEquals(await register("x7#kQ2p"), 422);
  assertEquals(await register("x7#kQ2pw"), 303);
});

Deno.test("a password with the words of the context is refused (ASVS 6.1.2, ASVS 6.2.11)", async () => {
  const { browser } = startAccounts({ name: "Lovelace Invoices" });
  const register = async (password: string) => {
    const values = { email: "ada.king@example.com", name: "Ada", password };
    return (await browser().post("/register", values)).status;
  };
  for (
    const password of [
      "Lovelace-Invoices-2026",
      "lovelaceinvoices",
      "Ada.King.1815",
      "ada.king@example.com",
    ]
  ) assertEquals(await register(password), 422, password);
  assertEquals(await register(PASSWORD), 303);
});

Deno.test("users change their password after a fresh login (ASVS 6.2.2, ASVS 6.2.3)", async () => {
  const { accounts, browser, registered } = startAccounts();
  const ada = await registered();
  accounts.wait(11 * 60_000);
  const stale = await ada.post("/account/password", { password: NEW });
  assertEquals(stale.status, 302);
  const wrong = { password: "wrong horse battery" };
  assertEquals((await ada.post("/account/confirm", wrong)).status, 422);
  await ada.post("/account/confirm", { password: PASSWORD });
  const changed = await ada.post("/account/password", { password: NEW });
  assertEquals(changed.status, 303);
  const login = async (password: string) =>
    (await browser().post("/login", { email, password })).status;
  assertEquals([await login(PASSWORD), await login(NEW)], [422, 303]);
});

Deno.test("passwords are entered in masked fields (ASVS 6.2.6)", async () => {
  const { pages } = await passwordPages();
  for (const [browser, path] of pages) {
    const fields = (await tagsOf(browser, path, "input"))
      .filter((tag) => tag.includes('name="password"'));
    assertEquals(fields.length, 1, path);
    assert(fields[0]!.includes('type="password"'), path);
  }
});

Deno.test("pages allow pasting and password managers (ASVS 6.2.7)", async () => {
  const { pages } = await passwordPages();
  for (const [browser, path] of pages) {
    const page = await (await browser.get(path)).text();
    assertEquals(/\son\w+=/i.test(page), false, path);
    const field = (await tagsOf(browser, path, "input"))
      .find((tag) => tag.includes('name="password"'))!;
    const hint = /autocomplete="(?:current|new)-password"/;
    assert(hint.test(field), `${path}: ${field}`);
    assertEquals(/maxlength="\d{1,2}"/.test(field), false, path);
  }
});

Deno.test("a password does not expire (ASVS 6.2.10)", async () => {
  const { accounts, browser, registered } = startAccounts();
  await registered();
  accounts.wait(5 * 365 * 86_400_000);
  await accounts.sweep();
  const ada = browser();
  const login = await ada.post("/login", { email, password: PASSWORD });
  assertEquals(login.headers.get("Location"), "/");
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a new database has no accounts, and admins names no account (ASVS 6.3.2)", async () => {
  const database = createMemoryAccountStore();
  const { accounts, browser } = startAccounts({ database, admins: [email] });
  await accounts.migrate();
  assertEquals((await accounts.users.list()).users, []);
  for (const name of ["admin", "root", "administrator", email]) {
    for (const password of ["", "admin", "password", PASSWORD]) {
      const eve = browser();
      await eve.post("/login", { email: name, password });
      assertEquals(await eve.isLoggedIn(), false);
    }
  }
});

Deno.test("a forgotten password asks for an address and a link, and no question (ASVS 6.4.2)", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  const ada = browser();
  const namesOn = async (path: string) =>
    (await tagsOf(ada, path, "(?:input|select|textarea)"))
      .map((tag) => /name="([^"]*)"/.exec(tag)?.[1]);
  assertEquals(await namesOn("/login/reset"), ["email"]);
  await ada.post("/login/reset", { email });
  const [link = ""] = /\/login\/reset\/link\S+/.exec(
    (await lastMail(email)).text,
  )!;
  const names = await namesOn(link);
  assertEquals(names.filter((name) => name !== "username").sort(), [
    "password",
    "token",
  ]);
});

Deno.test("each page of the account has a button to log out (ASVS 7.4.4)", async () => {
  const { accounts, lastMail, browser } = startAccounts();
  const ada = browser();
  const values = { email, name: "Ada", password: PASSWORD };
  await ada.post("/register", values);
  await ada.post("/register/code", { code: codeOf(await lastMail(email)) });
  const { routes } = accounts;
  const logout = `action="${routes.logout.href()}"`;
  const { profile, password, passkeys, sessions, twoStep, remove } = routes;
  for (
    const route of routesOf({
      a: profile.index,
      b: password.index,
      c: passkeys.index,
      d: sessions.index,
      e: twoStep.index,
      f: remove.index,
    })
  ) {
    const page = await (await ada.get(route.href({}))).text();
    assert(page.includes(logout), route.href({}));
  }
});
