import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AccountPageParts } from "@gatehouse/web/accounts";
import { html } from "@gatehouse/web/content";
import { PASSWORD, startAccounts } from "../_accounts.ts";

Deno.test("each page has what search engines and audits read", async () => {
  const { registered } = startAccounts();
  const ada = await registered();
  const pages = [["de", "Ihr Konto bei"], ["en", "Your account at"]] as const;
  for (const [language, description] of pages) {
    const page = await ada.get("/account", { "Accept-Language": language });
    assertStringIncludes(
      await page.text(),
      `<meta name="description" content="${description} Invoices">`,
    );
    const policy = page.headers.get("Content-Security-Policy")!;
    assertStringIncludes(policy, "connect-src 'self'");
  }
});

Deno.test("a page without JavaScript has a strict policy, and is not cached", async () => {
  const { browser } = startAccounts();
  const response = await browser().get("/register");
  const policy = response.headers.get("Content-Security-Policy")!;
  assertStringIncludes(policy, "default-src 'none'");
  assertStringIncludes(policy, "frame-ancestors 'none'");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assert(!(await response.text()).includes("<script"));
  const style = await browser().get("/account/style.css");
  assertEquals(style.headers.get("Cache-Control"), "private, max-age=3600");
  assert((await style.text()).length < 8_000);
});

const malformed: [name: string, init: RequestInit][] = [
  ["not JSON", { body: "{", headers: { "Content-Type": "application/json" } }],
  ["an array", { body: "[]", headers: { "Content-Type": "application/json" } }],
  ["a number", { body: "1", headers: { "Content-Type": "application/json" } }],
  ["a prototype", {
    body: '{"__proto__":{"email":"a"},"email":{"a":1},"password":[]}',
    headers: { "Content-Type": "application/json" },
  }],
  ["nothing", {}],
  ["a long body", { body: new URLSearchParams({ email: "x".repeat(99_999) }) }],
  ["a file", { body: new FormData() }],
  ["text", { body: "email=a" }],
];

for (const [name, init] of malformed) {
  Deno.test(`no page throws at a body that is ${name}`, async () => {
    const { accounts, registered } = startAccounts();
    const ada = await registered();
    const paths: string[] = [];
    JSON.stringify(accounts.routes, (_key, value) => {
      // A route of a record gets an unknown id.
      if (value?.method === "POST") {
        paths.push(value.pattern.source.replaceAll(/:\w+/g, "unknown"));
      }
      return value;
    });
    assert(paths.length >= 14, `${paths}`);
    for (const path of paths.filter((path) => path !== "/login/out")) {
      const response = await ada.client.fetch(path, {
        method: "POST",
        ...init,
      });
      await response.body?.cancel();
      assert(response.status < 500, `${path}: ${response.status}`);
    }
  });
}

Deno.test("a phone shows a numeric keyboard for codes only", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const rows = [
    [browser(), "/login", false],
    [browser(), "/register", false],
    [ada, "/account", false],
    [ada, "/account/two-step", true],
  ] as const;
  for (const [user, path, isNumeric] of rows) {
    const page = await (await user.get(path)).text();
    assertEquals(page.includes('inputmode="numeric"'), isNumeric, path);
  }
});

Deno.test("a file does not take the place of a field", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  const body = new FormData();
  for (const name of ["email", "password"]) {
    body.append(name, new File(["x"], "x.txt"));
  }
  body.append("email", "ada@example.com");
  body.append("password", PASSWORD);
  const ada = browser();
  await ada.client.fetch("/login", { method: "POST", body });
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("the title of a page with errors says so first", async () => {
  const { browser } = startAccounts();
  for (const [language, prefix] of [["en", "Error: "], ["de", "Fehler: "]]) {
    const visitor = browser({ "Accept-Language": language! });
    const page = await (await visitor.get("/login")).text();
    assertEquals(page.includes(`<title>${prefix}`), false);
    const failed = await (await visitor.post("/login")).text();
    assertStringIncludes(failed, `<title>${prefix}`);
  }
});

const notices: [search: string, message: string | undefined][] = [
  ["notice=sent", "If this address has an account"],
  ["notice=reset", "Your password was changed"],
  ["notice=restored", "Your account is yours again"],
  ["notice=logged-out", "You are logged out"],
  ["notice=deleted", "Your account will be deleted in 3 days"],
  ["notice=long-path", "The address of the page that you opened is too long"],
  [`returnTo=/${"x".repeat(2_000)}`, "The address of the page that you opened"],
  [`returnTo=/${"x".repeat(1_999)}`, undefined],
  ["notice=toString", undefined],
  ["notice=", undefined],
];

Deno.test("a page shows the notice of its URL, if it knows it", async () => {
  const visitor = startAccounts({ deletionDelay: 3 * 86_400_000 }).browser();
  for (const [search, expected] of notices) {
    const page = await (await visitor.get(`/login?${search}`)).text();
    const [, message] = /role="status">([^<]*)</.exec(page) ?? [];
    assertEquals(message?.slice(0, expected?.length), expected, search);
  }
});

Deno.test("only users who are logged in see the button that logs them out", async () => {
  const { browser, registered } = startAccounts();
  const rows = [[browser(), false], [await registered(), true]] as const;
  for (const [user, isLoggedIn] of rows) {
    const page = await (await user.get("/account/email/link")).text();
    const [, header = ""] = /<header[^>]*>([^]*)<\/header>/.exec(page)!;
    assertStringIncludes(header, '<a class="brand" href="/">Invoices</a>');
    assertEquals(header.includes('action="/login/out"'), isLoggedIn);
  }
});

Deno.test("the layout of the application gets the parts of a page", async () => {
  const parts: AccountPageParts[] = [];
  const paths: string[] = [];
  const { browser } = startAccounts({
    layout(page, { url }) {
      parts.push(page);
      paths.push(url.pathname);
      return html`<html lang="${page.language}">${page.content}</html>`;
    },
  });
  const visitor = browser({ "Accept-Language": "de" });
  const response = await visitor.get("/login?notice=logged-out");
  const page = await response.text();
  assertEquals(paths, ["/login"]);
  const { content, head, language, title } = parts[0]!;
  assertEquals(title, "Bei Invoices anmelden – Invoices");
  assertEquals(language, "de");
  assertEquals(page, `<!doctype html>\n<html lang="de">${content}</html>`);
  assertStringIncludes(String(content), "Sie sind abgemeldet");
  assertStringIncludes(String(head), "/account/style.css");
  assertStringIncludes(String(head), "/account/passkeys.js");
});
