/** Pages of steps that have not begun, have ended, or belong to another browser. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Browser,
  codeOf,
  linkOf,
  PASSWORD,
  startAccounts,
} from "../_accounts.ts";
import { EVE, start as startProviders } from "../_providers.ts";

const email = "ada@example.com";

const pages: [path: string, status: number, next: string][] = [
  ["/login/code?returnTo=%2Ffresh", 302, "/login?returnTo=%2Ffresh"],
  ["/login/code", 302, "/login"],
  ["/login/two-step?returnTo=%2Ffresh", 302, "/login?returnTo=%2Ffresh"],
  [
    "/login/email/code?returnTo=%2Ffresh",
    400,
    "/login/email?returnTo=%2Ffresh",
  ],
  ["/login/email/link?token=x", 400, "/login/email"],
  ["/register/code?returnTo=%2Ffresh", 400, "/register?returnTo=%2Ffresh"],
  ["/register/link?token=x", 400, "/register"],
  ["/register?token=x", 400, "/login"],
  ["/login/reset/link?token=x", 400, "/login/reset"],
  ["/login/reset/link", 400, "/login/reset"],
  ["/account/not-me?token=x", 400, "/login/reset"],
  ["/account/email/link?token=x", 400, "/account/email"],
];

for (const [path, status, next] of pages) {
  Deno.test(`${path} without its step leads to ${next}`, async () => {
    const { browser } = startAccounts();
    const response = await browser().get(path);
    assertEquals(response.status, status);
    const page = await response.text();
    if (status === 302) assertEquals(response.headers.get("Location"), next);
    else assertStringIncludes(page, ` href="${next}"`);
  });
}

Deno.test("the pages for visitors lead a user who is logged in to the next page", async () => {
  const { registered } = startAccounts();
  const ada = await registered();
  for (const path of ["/login", "/register", "/login/email"]) {
    const home = await ada.get(path);
    assertEquals([home.status, home.headers.get("Location")], [302, "/"]);
    const { headers } = await ada.get(`${path}?returnTo=%2Ffresh`);
    assertEquals(headers.get("Location"), "/fresh", path);
  }
});

Deno.test("the page of a code names the address and the form, and asks for another one at its start", async () => {
  const app = startProviders();
  const read = async (browser: Browser, path: string) =>
    await (await browser.get(path)).text();
  const visitor = app.browser();
  await visitor.post("/register?returnTo=%2Ffresh", {
    email,
    name: "Ada",
    password: PASSWORD,
  });
  const code = "/register/code?returnTo=%2Ffresh";
  const register = await read(visitor, code);
  for (const part of [email, `"${code}"`, '"/register?returnTo=%2Ffresh"']) {
    assertStringIncludes(register, part);
  }
  const link = await read(visitor, linkOf(await app.lastMail(email)));
  assertStringIncludes(link, 'action="/register/link"');
  const eve = app.browser();
  await app.logIn(eve, { sub: "e1" });
  await eve.post("/login/address", { email: EVE.email });
  const page = await read(eve, "/register/code");
  for (const part of [EVE.email, '"/login/address"']) {
    assertStringIncludes(page, part);
  }
  const ada = await app.registered();
  await ada.post("/account/email", { email: "new@example.com" });
  const change = await read(ada, "/account/email/code");
  for (const part of ["new@example.com", '"/account/email/code"']) {
    assertStringIncludes(change, part);
  }
  const mail = await app.lastMail("new@example.com");
  const other = await read(app.browser(), linkOf(mail));
  assertStringIncludes(other, codeOf(mail));
  assertStringIncludes(await read(ada, linkOf(mail)), "/account/email/link");
});

Deno.test("the page that confirms a login offers the methods of the account", async () => {
  const app = startProviders({ provider: { canReauthenticate: true } });
  const ada = await app.registered();
  const methods = async () => {
    const page = await (await ada.get("/account/confirm")).text();
    return {
      password: page.includes('type="password"'),
      passkey: page.includes("/account/confirm/passkey"),
      provider: page.includes("/account/confirm/provider"),
      code: page.includes('name="code"'),
    };
  };
  const none = { passkey: false, provider: false, code: false };
  assertEquals(await methods(), { ...none, password: true });
  await app.link(ada, EVE);
  assertEquals(await methods(), { ...none, password: true, provider: true });
  const { id, version } = (await app.database.findByEmail(email))!;
  const way = { kind: "passkey", id: "p1", accountId: id, name: "Phone" };
  const use = { createdAt: 5, usedAt: null, counter: 0, data: {} };
  await app.database.addWayIn({ ...way, ...use }, version);
  const all = { ...none, password: true, provider: true, passkey: true };
  assertEquals(await methods(), all);
});

Deno.test("the page of the code of a new address asks for the address first", async () => {
  const { registered } = startAccounts();
  const ada = await registered();
  const page = await ada.get("/account/email/code");
  assertEquals(page.status, 400);
  assertStringIncludes(await page.text(), ' href="/account/email"');
});
