/** Logins at providers, each promise as the attack that it stops. */
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import {
  createOIDCAuthProvider,
  type OIDCAuthProviderOptions,
} from "@gatehouse/web/auth";
import { createTestProvider } from "@gatehouse/web/testing";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { captureConsole } from "../_console.ts";
import {
  type Browser,
  codeOf,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "./_accounts.ts";

const email = "ada@example.com";
const ADA = { sub: "a1", name: "Ada", email, email_verified: true };
const EVE = { sub: "e1", name: "Eve", email: "eve@example.com" };
const PATH = "/login/with/example";
const redirectUri = `https://test.example${PATH}/callback`;

type App = ReturnType<typeof start>;

/** Starts accounts with a provider, whose clock is that of the accounts. */
function start(
  options: Parameters<typeof startAccounts>[0] & {
    readonly provider?: Partial<OIDCAuthProviderOptions>;
  } = {},
) {
  let time = Date.now();
  const now = () => time;
  const { provider: own, ...others } = options;
  const google = createTestProvider({ now });
  const database = createMemoryAccountStore({ now });
  const app = startAccounts({
    database,
    now,
    providers: {
      example: {
        label: "Example",
        provider: createOIDCAuthProvider({
          ...google.client,
          name: "example",
          redirectUri,
          ...own,
        }),
      },
    },
    ...others,
  });
  const logIn = (browser: Browser, user = ADA as object, path = PATH) =>
    google.logIn(browser.client, path, {
      user: user as { readonly sub: string },
    });
  /** Links the login of a user, and returns the response of the callback. */
  async function link(browser: Browser, user: object) {
    const response = await browser.post("/account/logins", {
      provider: "example",
    });
    const next = response.headers.get("Refresh")!.replace("0; url=", "");
    const callback = google.authorize(next, {
      user: user as { readonly sub: string },
    });
    return await browser.client.fetch(callback);
  }
  const wait = (milliseconds: number) => void (time += milliseconds);
  return { ...app, database, google, link, logIn, now, wait };
}

function idOf({ accounts }: App, address = email) {
  return accounts.users.findByEmail(address).then((user) => user?.id);
}

Deno.test("a first login at a provider creates an account, and the next one finds it", async () => {
  const app = start();
  const ada = app.browser();
  const page = await ada.get("/login?returnTo=%2Ffresh");
  assertStringIncludes(await page.text(), "Log in with Example");
  const first = await app.logIn(ada, ADA, `${PATH}?returnTo=%2Ffresh`);
  assertEquals([first.status, first.headers.get("Location")], [303, "/fresh"]);
  assertEquals(await ada.isLoggedIn(), true);
  const id = await idOf(app);
  assertEquals((await app.database.find(id!))?.emailVerified, true);
  const other = app.browser();
  // The identity counts, not the address, which a provider may change.
  await app.logIn(other, { ...ADA, email: "new@example.com" });
  const session = await (await other.get("/account/session")).json();
  assertEquals([session.account.id, session.account.email], [id, email]);
});

Deno.test("policy 3: a login never attaches to an account by the address", async () => {
  const app = start();
  await app.registered();
  const id = await idOf(app);
  const eve = app.browser();
  const login = await app.logIn(eve, { ...EVE, email, email_verified: true });
  assertEquals(login.status, 422);
  assertStringIncludes(await login.text(), "already has an account");
  assertEquals(await eve.isLoggedIn(), false);
  assertEquals(await app.database.waysIn(id!), []);
});

Deno.test("policy 3: an address that the provider has not verified needs its code", async () => {
  const app = start();
  await app.registered();
  for (const proof of [{}, { email_verified: false }]) {
    const eve = app.browser();
    const login = await app.logIn(eve, { ...EVE, email, ...proof });
    assertEquals(login.headers.get("Location"), "/login/address");
    assertEquals(await eve.isLoggedIn(), false);
    assertStringIncludes(
      await (await eve.get("/login/address")).text(),
      email,
    );
    const step = await eve.post("/login/address", { email });
    assertEquals(step.headers.get("Location"), "/register/code");
    // The owner gets an email without a code.
    assertEquals(/\d{6}/.test((await app.lastMail(email)).text), false);
    const guess = await eve.post("/register/code", { code: "000000" });
    assertEquals(guess.status, 422);
  }
});

Deno.test("a provider without an address leads to a step that asks for one and verifies it", async () => {
  const app = start();
  const ada = app.browser();
  const login = await app.logIn(ada, { sub: "a1", name: "Ada" });
  assertEquals(login.headers.get("Location"), "/login/address");
  assertEquals(await app.database.findWayIn("identity", "x"), null);
  assertEquals((await ada.post("/login/address", { email: "x" })).status, 422);
  await ada.post("/login/address", { email });
  // Another email belongs to the same login, not to a new registration.
  const sent = await (await ada.get("/register/code")).text();
  assertStringIncludes(sent, 'href="/login/address"');
  const code = codeOf(await app.lastMail(email));
  assertEquals((await ada.post("/register/code", { code })).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
  const again = app.browser();
  await app.logIn(again, { sub: "a1" });
  assertEquals(await again.isLoggedIn(), true);
  assertEquals((await app.accounts.users.list()).users.length, 1);
});

Deno.test("the next user of a computer does not inherit an identity that waits for an address", async () => {
  const app = start();
  const shared = app.browser();
  await app.logIn(shared, { sub: "thief" });
  app.wait(9 * 60_000);
  assertEquals((await shared.get("/login/address")).status, 200);
  app.wait(60_000);
  const page = await shared.get("/login/address");
  assertEquals(page.headers.get("Location"), "/login");
  const script = await shared.send("/login/address", { email });
  assertEquals(script.status, 400);
  assertEquals(app.accounts.mails, []);
});

Deno.test("with closed registration, an unknown identity creates no account", async () => {
  const app = start({ registration: "closed" });
  const eve = app.browser();
  for (const user of [ADA, { sub: "a2" }]) {
    assertEquals((await app.logIn(eve, user)).status, 422);
  }
  assertEquals((await eve.get("/login/address")).status, 404);
  assertEquals((await app.accounts.users.list()).users, []);
});

Deno.test("a forged, cancelled or repeated callback logs no one in", async () => {
  const app = start();
  const ada = app.browser();
  const begun = await ada.get(PATH);
  const callback = app.google.authorize(begun.headers.get("Location"), {
    user: ADA,
  });
  // The login is bound to the browser that has started it.
  const victim = app.browser();
  assertEquals((await victim.client.fetch(callback)).status, 422);
  assertEquals(await victim.isLoggedIn(), false);
  assertEquals((await ada.client.fetch(callback)).status, 303);
  assertEquals((await ada.client.fetch(callback)).status, 422);
  const eve = app.browser();
  const path = `${PATH}/callback`;
  for (const query of ["", "?code=1&state=2", "?error=x", "?state=%00"]) {
    assertEquals((await eve.get(path + query)).status, 422, query);
  }
  for (const name of ["unknown", "__proto__", "constructor", "%00"]) {
    assertEquals((await eve.get(`/login/with/${name}`)).status, 404, name);
    const unknown = await eve.get(`/login/with/${name}/callback?code=1`);
    assertEquals(unknown.status, 404, name);
  }
  const cancelled = await app.google.logIn(eve.client, PATH, {
    error: "access_denied",
  });
  assertStringIncludes(await cancelled.text(), "You cancelled");
  assertEquals(await eve.isLoggedIn(), false);
});

Deno.test("a login is linked from the account page, with a notice that removes it", async () => {
  const app = start();
  const ada = await app.registered();
  const other = app.browser();
  await other.post("/login", { email, password: PASSWORD });
  const linked = await app.link(ada, EVE);
  assertEquals(linked.headers.get("Location"), "/account/logins");
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals(await other.isLoggedIn(), false);
  const list = await (await ada.get("/account/logins")).text();
  assertStringIncludes(list, "Example: eve@example.com");
  const eve = app.browser();
  await app.logIn(eve, EVE);
  assertEquals(await eve.isLoggedIn(), true);
  const notice = await app.lastMail(email);
  assertStringIncludes(notice.text, "was linked to your account");
  const owner = app.browser();
  assertEquals((await owner.get(linkOf(notice))).status, 200);
  await owner.post("/account/not-me", { token: tokenOf(notice) });
  assertEquals(await eve.isLoggedIn(), false);
  assertEquals(await ada.isLoggedIn(), false);
  const id = await idOf(app);
  assertEquals(await app.database.waysIn(id!), []);
});

Deno.test("a login is linked only after a fresh login, by our own page", async () => {
  const app = start();
  const ada = await app.registered();
  const body = new URLSearchParams({ provider: "example" });
  const headers = { "Sec-Fetch-Site": "cross-site" };
  const options = { method: "POST", body, headers };
  const foreign = await ada.client.fetch("/account/logins", options);
  assertEquals(foreign.status, 403);
  app.wait(11 * 60_000);
  const stale = await ada.post("/account/logins", { provider: "example" });
  assertStringIncludes(stale.headers.get("Location")!, "/account/confirm");
  const remove = await ada.post("/account/logins/remove", { id: "x" });
  assertStringIncludes(remove.headers.get("Location")!, "/account/confirm");
});

Deno.test("a link that began before an end of access, a new password or another login adds nothing", async () => {
  for (const attack of ["end", "password", "other"]) {
    const app = start();
    const ada = await app.registered();
    await app.registered({ email: "bob@example.com" });
    const begun = await ada.send("/account/logins", { provider: "example" });
    const { location, next } = await begun.json();
    assertEquals(next, "provider");
    const callback = app.google.authorize(location, { user: EVE as never });
    const id = (await idOf(app))!;
    if (attack === "end") await app.accounts.users.endAccess(id);
    const address = attack === "end" ? email : "bob@example.com";
    await (attack === "password"
      ? ada.post("/account/password", { password: "another horse battery" })
      : ada.post("/login", { email: address, password: PASSWORD }));
    assert((await ada.client.fetch(callback)).status >= 400, attack);
    assertEquals(await app.database.waysIn(id), [], attack);
    const bob = await idOf(app, "bob@example.com");
    assertEquals(await app.database.waysIn(bob!), [], attack);
  }
});

Deno.test("an identity belongs to one account", async () => {
  const app = start();
  await app.logIn(app.browser(), ADA);
  const bob = await app.registered({ email: "bob@example.com" });
  const linked = await app.link(bob, ADA);
  assertEquals(linked.status, 422);
  const id = await idOf(app, "bob@example.com");
  assertEquals(await app.database.waysIn(id!), []);
});

Deno.test("many first logins of an identity at once create one account", async () => {
  const app = start();
  const callbacks = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const browser = app.browser();
      const { headers } = await browser.get(PATH);
      const user = { ...ADA, email: `ada${n}@example.com` };
      const location = headers.get("Location");
      return { browser, url: app.google.authorize(location, { user }) };
    }),
  );
  const statuses = await Promise.all(callbacks.map(async (
    { browser, url },
  ) => (await browser.client.fetch(url)).status));
  assertEquals(new Set(statuses).difference(new Set([303, 422])).size, 0);
  assertEquals((await app.accounts.users.list()).users.length, 1);
});

Deno.test("the last way in is not unlinked, not even by two requests at once", async () => {
  const app = start();
  const ada = app.browser();
  await app.logIn(ada, ADA);
  const id = (await idOf(app))!;
  await app.accounts.logInTest(ada.client, id);
  const [way] = await app.database.waysIn(id);
  const last = await ada.post("/account/logins/remove", { id: way!.id });
  assertEquals(last.status, 409);
  assertEquals((await app.link(ada, EVE)).status, 303);
  const ways = await app.database.waysIn(id);
  assertEquals(ways.length, 2);
  const removed = await Promise.all(
    ways.map((one) => ada.post("/account/logins/remove", { id: one.id })),
  );
  assertNotEquals(removed.map(({ status }) => status), [303, 303]);
  assertEquals((await app.database.waysIn(id)).length, 1);
});

Deno.test("a user unlinks only their own logins, and an unlinked login logs no one in", async () => {
  const app = start({ registration: "open" });
  const ada = await app.registered();
  await app.link(ada, EVE);
  const [way] = await app.database.waysIn((await idOf(app))!);
  const bob = await app.registered({ email: "bob@example.com" });
  const values = { id: way!.id };
  const stolen = await bob.post("/account/logins/remove", values);
  assertEquals(stolen.status, 422);
  const removed = await ada.post("/account/logins/remove", values);
  assertEquals(removed.headers.get("Location"), "/account/logins");
  const eve = app.browser();
  await app.logIn(eve, EVE);
  assertEquals(await eve.isLoggedIn(), false);
});

Deno.test("policy 4: a provider that cannot ask again does not make a login fresh", async () => {
  const provider = { canReauthenticate: false } as const;
  const app = start({ provider });
  const ada = app.browser();
  await app.logIn(ada, ADA);
  assertEquals(await ada.isLoggedIn(), true);
  const page = await ada.get("/account/password");
  assertStringIncludes(page.headers.get("Location")!, "/account/confirm");
  const confirm = await (await ada.get("/account/confirm")).text();
  assertEquals(confirm.includes("Confirm with Example"), false);
  const values = { provider: "example" };
  const forced = await ada.post("/account/confirm/provider", values);
  assertEquals(forced.status, 422);
});

Deno.test("a provider that asks again confirms a login, but only with a linked identity", async () => {
  const app = start({ provider: { canReauthenticate: true } });
  const ada = app.browser();
  await app.logIn(ada, ADA);
  app.wait(11 * 60_000);
  const page = await ada.get("/account/confirm?returnTo=%2Ffresh");
  assertStringIncludes(await page.text(), "Confirm with Example");
  const path = "/account/confirm/provider?returnTo=%2Ffresh";
  for (const user of [EVE, ADA]) {
    const begun = await ada.send(path, { provider: "example" });
    const { location } = await begun.json();
    assertStringIncludes(location, "max_age=0");
    const callback = app.google.authorize(location, { user: user as never });
    const done = await ada.client.fetch(callback);
    const isOwn = user === ADA;
    assertEquals(done.status, isOwn ? 303 : 422);
    assertEquals((await ada.get("/fresh")).status, isOwn ? 200 : 302);
  }
});

Deno.test("a confirmation or a link does not outlive an end of access during its callback", async () => {
  for (const path of ["/account/confirm/provider", "/account/logins"]) {
    let during = () => Promise.resolve(true);
    const app = start({
      provider: {
        canReauthenticate: true,
        fetch: async (url, init) => {
          if (init?.method === "POST") await during();
          return await app.google.client.fetch!(url, init);
        },
      },
    });
    const ada = app.browser();
    await app.logIn(ada, ADA);
    const id = (await idOf(app))!;
    const begun = await ada.send(path, { provider: "example" });
    const { location } = await begun.json();
    const user = path === "/account/logins" ? EVE : ADA;
    const callback = app.google.authorize(location, { user: user as never });
    during = () => app.accounts.users.endAccess(id);
    await (await ada.client.fetch(callback)).body?.cancel();
    assertEquals(await ada.isLoggedIn(), false, path);
    assertEquals((await app.database.waysIn(id)).length, 1, path);
  }
});

Deno.test("a login at a provider asks for the second factor, and a block stops it", async () => {
  const app = start();
  const ada = await app.registered();
  await app.link(ada, EVE);
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const code = await generateTOTP(key.replaceAll(" ", ""), { time: app.now() });
  await ada.post("/account/two-step", { setup, code });
  const phone = app.browser();
  const login = await app.logIn(phone, EVE);
  assertEquals(login.headers.get("Location"), "/login/code");
  assertEquals(await phone.isLoggedIn(), false);
  await app.accounts.users.disable((await idOf(app))!, { reason: "spam" });
  assertEquals((await app.logIn(phone, EVE)).status, 403);
});

Deno.test("a reset removes linked logins", async () => {
  const app = start();
  const thief = await app.registered();
  await app.link(thief, EVE);
  const owner = app.browser();
  await owner.post("/login/reset", { email });
  const token = tokenOf(await app.lastMail(email));
  const password = "another horse battery";
  await owner.post("/login/reset/link", { token, password });
  await app.logIn(thief, EVE);
  assertEquals(await thief.isLoggedIn(), false);
});

Deno.test("an unavailable provider gets a 502, and users stay logged in", async () => {
  const fetch = () => Promise.reject(new TypeError("offline"));
  const app = start({ provider: { fetch } });
  const ada = await app.registered();
  const values = { provider: "example" };
  assertEquals((await ada.post("/account/logins", values)).status, 502);
  assertEquals((await app.browser().get(PATH)).status, 502);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a response that the provider posts from its site logs in", async () => {
  const app = start({ provider: { responseMode: "form_post" } });
  const ada = app.browser();
  assertEquals((await app.logIn(ada)).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("createAccounts() refuses providers with another callback, name or label", () => {
  const { client } = createTestProvider();
  const provider = createOIDCAuthProvider({
    ...client,
    name: "example",
    redirectUri,
  });
  const label = "Example";
  for (
    const [providers, reason] of [
      [{ google: { label, provider } }, "needs the redirectUri"],
      [{ "../x": { label, provider } }, "other characters"],
      [{ example: { label: "", provider } }, "no label"],
      [{ example: { label, provider: {} } }, "needs the redirectUri"],
    ] as const
  ) {
    assertThrows(
      () => startAccounts({ providers: providers as never }),
      TypeError,
      reason,
    );
  }
});

Deno.test("without providers, their routes do not exist", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const page = await (await browser().get("/login")).text();
  assertEquals(page.includes("/login/with"), false);
  for (const path of [PATH, `${PATH}/callback`, "/account/logins"]) {
    assertEquals((await ada.get(path)).status, 404, path);
  }
});

Deno.test("an endless address or name of a provider leads to the step that asks for one", async () => {
  const { browser, logIn } = start();
  const ada = browser();
  const long = "e".repeat(10_000);
  const response = await logIn(ada, {
    ...ADA,
    name: long,
    email: `${long}@example.com`,
  });
  assertEquals(response.headers.get("Location"), "/login/address");
  const page = await (await ada.get("/login/address")).text();
  assertEquals(page.includes("e".repeat(255)), false);
});

Deno.test("a crash between an account and its identity leaves the owner a way in", async () => {
  const app = start();
  const { browser, database, lastMail, link, logIn } = app;
  const addWayIn = database.addWayIn.bind(database);
  database.addWayIn = () => Promise.reject(new Error("crash"));
  {
    using _output = captureConsole();
    assertEquals((await logIn(browser())).status, 503);
  }
  database.addWayIn = addWayIn;
  const ada = browser();
  const taken = await logIn(ada);
  assertEquals(taken.status, 422);
  assertStringIncludes(await taken.text(), "already has an account");
  await ada.post("/login/email", { email });
  const code = codeOf(await lastMail(email));
  await ada.post("/login/email/code", { code });
  assertEquals(await ada.isLoggedIn(), true);
  await link(ada, ADA);
  const other = browser();
  await logIn(other);
  assertEquals(await other.isLoggedIn(), true);
});
