/** The page that began a login is the page at its end, in every kind of login. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import {
  createTestAuthenticator,
  createTestProvider,
} from "@gatehouse/web/testing";
import {
  type Browser,
  codeOf,
  exampleProviders,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "./_accounts.ts";

const email = "ada@example.com";
const NEW = { email: "eve@example.com", name: "Eve", password: PASSWORD };
const START = Date.UTC(2026, 10, 28);

/** A request of 2,000 characters, whose query needs encoding. */
const PAGE = "/authorize?scope=a%20b&state=".padEnd(2_000, "s");

type App = ReturnType<typeof start>;

function start(options: Parameters<typeof startAccounts>[0] = {}) {
  let time = START;
  const now = () => time;
  const provider = createTestProvider({ now });
  const app = startAccounts({
    now,
    providers: exampleProviders(provider),
    definition: defineAccounts({ teamRoles: ["owner", "reader"] }) as never,
    ...options,
  });
  for (const path of ["/authorize", "/fresh/authorize"]) {
    const guard = path === "/authorize" ? "requireUser" : "requireFresh";
    app.router.get(path, app.accounts[guard], () => new Response("consent"));
  }
  const wait = (milliseconds: number) => void (time += milliseconds);
  return { ...app, now, provider, wait };
}

/** Returns the page to which a response leads. */
async function follow(browser: Browser, response: Response): Promise<string> {
  const location = response.headers.get("Location");
  assert(location !== null, `no redirect but ${response.status}`);
  return await (await browser.get(location)).text();
}

/** Returns the target of the link or form on a page whose path is this one. */
function target(page: string, path: string): string {
  const targets = [...page.matchAll(/(?:action|href)="([^"]*)"/g)]
    .map(([, one = ""]) => one.replaceAll("&amp;", "&"));
  const found = targets.find((one) => one.split("?")[0] === path);
  assert(found !== undefined, `no ${path} in ${targets}`);
  return found;
}

/** Opens a page without a login, and returns the login page. */
async function begin(browser: Browser, page = PAGE): Promise<string> {
  return await follow(browser, await browser.get(page));
}

/** Submits the form of a page. */
function submit(
  browser: Browser,
  page: string,
  path: string,
  values: Record<string, string>,
): Promise<Response> {
  return browser.post(target(page, path), values);
}

/** Enters the password, and returns the page that follows. */
async function enterPassword(
  browser: Browser,
  page: string,
): Promise<Response> {
  return await submit(browser, page, "/login", { email, password: PASSWORD });
}

/** Sets up an authenticator app, and returns its codes. */
async function addApp({ now, wait }: App, ada: Browser) {
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const nextCode = () => {
    wait(31_000);
    return generateTOTP(key.replaceAll(" ", ""), { time: now() });
  };
  const code = await nextCode();
  assertEquals(
    (await ada.post("/account/two-step", { setup, code })).status,
    200,
  );
  return nextCode;
}

/** Adds a passkey, and returns its authenticator. */
async function addPasskey(ada: Browser) {
  const authenticator = createTestAuthenticator({
    origin: "https://test.example",
  });
  const options = await ada.post("/account/passkeys/options");
  const passkey = await authenticator.register(await options.json());
  await ada.post("/account/passkeys", {
    name: "Phone",
    passkey: JSON.stringify(passkey),
  });
  return authenticator;
}

/** The kinds of login, each from the login page to its last response. */
const logins: Record<
  string,
  (app: App, browser: Browser, page: string) => Promise<Response>
> = {
  "a password": (_app, browser, page) => enterPassword(browser, page),
  async "a password after a wrong one"(_app, browser, page) {
    const wrong = { email, password: "wrong horse battery" };
    const again = await submit(browser, page, "/login", wrong);
    return await enterPassword(browser, await again.text());
  },
  async "a second factor"(app, browser, page) {
    const ada = app.browser();
    await ada.post("/login", { email, password: PASSWORD });
    const nextCode = await addApp(app, ada);
    const step = await follow(browser, await enterPassword(browser, page));
    const wrong = await submit(browser, step, "/login/code", { code: "1" });
    const code = await nextCode();
    return await submit(browser, await wrong.text(), "/login/code", { code });
  },
  async "a second factor that expired"(app, browser, page) {
    const ada = app.browser();
    await ada.post("/login", { email, password: PASSWORD });
    const nextCode = await addApp(app, ada);
    const response = await enterPassword(browser, page);
    app.wait(11 * 60_000);
    const step = await browser.get(response.headers.get("Location")!);
    const login = await follow(browser, step);
    const next = await follow(browser, await enterPassword(browser, login));
    const code = await nextCode();
    return await submit(browser, next, "/login/code", { code });
  },
  async "the code of an email"(app, browser, page) {
    const ask = await browser.get(target(page, "/login/email"));
    const sent = await submit(browser, await ask.text(), "/login/email", {
      email,
    });
    const code = codeOf(await app.lastMail(email));
    const step = await follow(browser, sent);
    return await submit(browser, step, "/login/email/code", { code });
  },
  async "the link of an email"(app, browser, page) {
    const ask = await browser.get(target(page, "/login/email"));
    await submit(browser, await ask.text(), "/login/email", { email });
    const link = linkOf(await app.lastMail(email));
    const token = new URLSearchParams(link.split("?")[1]).get("token")!;
    const step = await (await browser.get(link)).text();
    return await submit(browser, step, "/login/email/link", { token });
  },
  async "a passkey"(app, browser, page) {
    const ada = app.browser();
    await ada.post("/login", { email, password: PASSWORD });
    const authenticator = await addPasskey(ada);
    const options = await browser.post("/login/passkey/options");
    const passkey = await authenticator.authenticate(await options.json());
    return await submit(browser, page, "/login/passkey", {
      passkey: JSON.stringify(passkey),
    });
  },
  async "a provider"(app, browser, page) {
    const start = target(page, "/login/with/example");
    const user = { sub: "e1", name: "Eve", email: NEW.email };
    return await app.provider.logIn(browser.client, start, {
      user: { ...user, email_verified: true },
    });
  },
  async "a provider after a cancellation"(app, browser, page) {
    const start = target(page, "/login/with/example");
    const canceled = await app.provider.logIn(browser.client, start, {
      error: "access_denied",
    });
    const back = target(await canceled.text(), "/login");
    const login = await (await browser.get(back)).text();
    return await logins["a provider"]!(app, browser, login);
  },
  async "a provider that verifies no address"(app, browser, page) {
    const start = target(page, "/login/with/example");
    const callback = await app.provider.logIn(browser.client, start, {
      user: { sub: "e1", name: "Eve" },
    });
    const step = await follow(browser, callback);
    const sent = await submit(browser, step, "/login/address", {
      email: NEW.email,
    });
    const code = codeOf(await app.lastMail(NEW.email));
    const last = await follow(browser, sent);
    return await submit(browser, last, "/register/code", { code });
  },
  async "a registration with a code"(app, browser, page) {
    const form = await browser.get(target(page, "/register"));
    const sent = await submit(browser, await form.text(), "/register", NEW);
    const code = codeOf(await app.lastMail(NEW.email));
    const step = await follow(browser, sent);
    return await submit(browser, step, "/register/code", { code });
  },
  async "a registration with a link"(app, browser, page) {
    const form = await browser.get(target(page, "/register"));
    await submit(browser, await form.text(), "/register", NEW);
    const link = linkOf(await app.lastMail(NEW.email));
    const token = new URLSearchParams(link.split("?")[1]).get("token")!;
    const step = await (await browser.get(link)).text();
    return await submit(browser, step, "/register/link", { token });
  },
  async "a new password in another browser"(app, browser, page) {
    const form = await browser.get(target(page, "/login/reset"));
    await submit(browser, await form.text(), "/login/reset", { email });
    const mail = await app.lastMail(email);
    for (const text of [mail.text, mail.html, mail.subject]) {
      assertEquals(text.includes("returnTo"), false);
      assertEquals(text.includes("authorize"), false);
    }
    const token = tokenOf(mail);
    const done = await browser.post("/login/reset/link", {
      token,
      password: PASSWORD,
    });
    return await enterPassword(browser, await follow(browser, done));
  },
  async "a new password in another tab"(app, browser, page) {
    const form = await browser.get(target(page, "/login/reset"));
    const sent = await submit(browser, await form.text(), "/login/reset", {
      email,
    });
    const token = tokenOf(await app.lastMail(email));
    await browser.post("/login/reset/link", { token, password: PASSWORD });
    const first = await follow(browser, sent);
    const login = await browser.get(target(first, "/login"));
    return await enterPassword(browser, await login.text());
  },
};

for (const [name, logIn] of Object.entries(logins)) {
  Deno.test(`a login with ${name} returns to a page of 2,000 characters`, async () => {
    const app = start();
    await app.registered();
    const browser = app.browser();
    const last = await logIn(app, browser, await begin(browser));
    assertEquals([last.status, last.headers.get("Location")], [303, PAGE]);
    assertEquals(await follow(browser, last), "consent");
  });
}

Deno.test("a registration by invitation returns to the page of its link", async () => {
  const app = start({ registration: "invited" });
  const browser = app.browser();
  await app.accounts.users.invite({ email });
  const link = linkOf(await app.lastMail(email));
  const returnTo = encodeURIComponent(PAGE);
  const page = await browser.get(`${link}&returnTo=${returnTo}`);
  const token = new URLSearchParams(link.split("?")[1]).get("token")!;
  const values = { token, name: "Ada", password: PASSWORD };
  const last = await submit(browser, await page.text(), "/register", values);
  assertEquals(last.headers.get("Location"), PAGE);
});

Deno.test("a login with a second factor and an own step returns to a page of 2,000 characters", async () => {
  let isDone = true;
  const app = start({
    hooks: { beforeLogin: () => isDone ? undefined : { step: "/terms" } },
  });
  app.router.post("/terms", (context) => {
    isDone = true;
    return app.accounts.finishStep(context);
  });
  const nextCode = await addApp(app, await app.registered());
  isDone = false;
  const browser = app.browser();
  const login = await enterPassword(browser, await begin(browser));
  const step = await follow(browser, login);
  const code = await nextCode();
  const second = await submit(browser, step, "/login/code", { code });
  assertEquals(second.headers.get("Location"), "/terms");
  const last = await browser.post("/terms");
  assertEquals([last.status, last.headers.get("Location")], [303, PAGE]);
  assertEquals(await follow(browser, last), "consent");
});

/** The ways to confirm a login, each from the page to its last response. */
const confirmations: Record<
  string,
  (app: App, ada: Browser, page: string) => Promise<Response>
> = {
  "the password": (_app, ada, page) =>
    submit(ada, page, "/account/confirm", { password: PASSWORD }),
  async "a passkey"(app, ada) {
    const authenticator = await addPasskey(ada);
    app.wait(11 * 60_000);
    const page = await begin(ada, `/fresh${PAGE}`.slice(0, 2_000));
    const options = await ada.post("/account/confirm/passkey/options");
    const passkey = await authenticator.authenticate(await options.json());
    return await submit(ada, page, "/account/confirm/passkey", {
      passkey: JSON.stringify(passkey),
    });
  },
  async "a code"(app, ada) {
    const nextCode = await addApp(app, ada);
    app.wait(11 * 60_000);
    const page = await begin(ada, `/fresh${PAGE}`.slice(0, 2_000));
    const code = await nextCode();
    return await submit(ada, page, "/account/confirm/code", { code });
  },
};

for (const [name, confirm] of Object.entries(confirmations)) {
  Deno.test(`a login that is confirmed with ${name} returns to a page of 2,000 characters`, async () => {
    const app = start();
    const ada = await app.registered();
    const needsSetUp = name !== "the password";
    if (!needsSetUp) app.wait(11 * 60_000);
    const path = `/fresh${PAGE}`.slice(0, 2_000);
    const page = needsSetUp ? "" : await begin(ada, path);
    const last = await confirm(app, ada, page);
    assertEquals([last.status, last.headers.get("Location")], [303, path]);
    assertEquals(await follow(ada, last), "consent");
  });
}

Deno.test("a page that is too long to return to says so, and no login drops it silently", async () => {
  const app = start();
  const ada = await app.registered();
  const long = `${PAGE}s`;
  const says = "is too long to return to it";
  assertStringIncludes(await begin(app.browser(), long), says);
  assertStringIncludes(await begin(app.browser(), long.repeat(4)), says);
  app.wait(11 * 60_000);
  assertStringIncludes(await begin(ada, `/fresh${PAGE}`), says);
  // An accented letter takes six characters in the address.
  for (const path of [long, `/${"é".repeat(400)}`]) {
    const search = `?returnTo=${encodeURIComponent(path)}`;
    const eve = app.browser();
    const page = await (await eve.get(`/login${search}`)).text();
    assertStringIncludes(page, says);
    assertEquals(target(page, "/login"), "/login");
    const values = { email, password: PASSWORD };
    assertEquals((await eve.post(`/login${search}`, values)).status, 414);
    const json = await eve.send(`/login${search}`, values);
    assertEquals(json.status, 414);
    assertStringIncludes((await json.json()).detail, says);
    assertEquals(await eve.isLoggedIn(), false);
  }
  const german = app.browser({ "Accept-Language": "de" });
  assertStringIncludes(await begin(german, long), "zu lang, um dorthin");
});

Deno.test("an emailed link in another browser shows the code, and never continues there", async () => {
  const app = start();
  await app.registered();
  const first = app.browser();
  const ask = await first.get(target(await begin(first), "/login/email"));
  await submit(first, await ask.text(), "/login/email", { email });
  const mail = await app.lastMail(email);
  const other = app.browser();
  const shown = await (await other.get(linkOf(mail))).text();
  assertStringIncludes(shown, codeOf(mail));
  assertEquals(shown.includes("/authorize"), false);
  const token = tokenOf(mail);
  const taken = await other.post("/login/email/link", { token });
  assertEquals([taken.status, taken.headers.get("Location")], [400, null]);
  const code = codeOf(mail);
  const last = await first.post("/login/email/code", { code });
  assertEquals(last.headers.get("Location"), PAGE);
});

for (
  const path of [
    "//evil.example",
    "https://evil.example/",
    "/\\evil.example",
    "\n/x",
    "javascript:x",
  ]
) {
  Deno.test(`a reset that begins with the page ${JSON.stringify(path)} forgets it`, async () => {
    const app = start();
    await app.registered();
    const browser = app.browser();
    const search = new URLSearchParams({ returnTo: path });
    await browser.post(`/login/reset?${search}`, { email });
    const mail = await app.lastMail(email);
    assertEquals(mail.text.includes("evil"), false);
    const values = { token: tokenOf(mail), password: PASSWORD };
    const done = await app.browser().post("/login/reset/link", values);
    assertEquals(done.headers.get("Location"), "/login?notice=reset");
  });
}

Deno.test("the form of a new password cannot name another page", async () => {
  const app = start();
  await app.registered();
  const browser = app.browser();
  await browser.send("/login/reset", { email });
  const token = tokenOf(await app.lastMail(email));
  const path = "/login/reset/link?returnTo=%2Fevil";
  const done = await browser.send(path, { token, password: PASSWORD });
  assertEquals(await done.json(), { next: "login", location: "/login" });
});

Deno.test("a forged path in the address of a second factor does not count", async () => {
  const app = start();
  const nextCode = await addApp(app, await app.registered());
  const browser = app.browser();
  await enterPassword(browser, await begin(browser));
  const code = await nextCode();
  const path = "/login/code?returnTo=%2Fevil";
  const last = await browser.post(path, { code });
  assertEquals(last.headers.get("Location"), PAGE);
});
