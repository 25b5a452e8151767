/** Accounts that must have a second factor: no way in skips it. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { adoptSessions } from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { generateTOTP, importFactors } from "@gatehouse/web/auth/second-factor";
import { createRouter } from "@gatehouse/web/fetch-router";
import { type SecurityEvent, securityEvents } from "@gatehouse/web/middleware";
import {
  createTestAuthenticator,
  createTestClient,
} from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import {
  Browser,
  codeOf,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";
import {
  addApp,
  addPasskey,
  assertOutside,
  email,
  sendPassword,
  startHeld,
  ways,
} from "../_ways_in.ts";

const SETUP = "/login/two-step";
const PASSKEY = "/login/two-step/passkey";
const OPTIONS = "/login/two-step/passkey/options";

/** The ways in whose login has proved a second factor. */
const PROVED = [
  "a passkey",
  "the code of an app",
  "a recovery code",
  "a remembered browser",
];

type App = ReturnType<typeof start>;

/** Starts accounts that all need a second factor while `rule.required`. */
function start(options: Partial<AccountsOptions> = {}) {
  const rule = { required: true };
  const app = startHeld(rule, {
    secondFactorRequired: () => rule.required,
    ...options,
  });
  return { ...app, rule };
}

/** Returns the form that sets up an app, with the code of the app. */
async function appForm(app: App, browser: Browser) {
  const page = await (await browser.get(SETUP)).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page) ?? [];
  const [, key = ""] = /class="key">([^<]+)</.exec(page) ?? [];
  const secret = key.replaceAll(" ", "");
  assert(secret !== "", page);
  const code = await generateTOTP(secret, { time: app.now() });
  return { setup, code };
}

/** Finishes a login with a new app, and returns the response. */
async function setUpApp(app: App, browser: Browser) {
  return await browser.post(SETUP, await appForm(app, browser));
}

const newAuthenticator = () =>
  createTestAuthenticator({ origin: "https://test.example" });

/** Sends a new passkey, or the proof of one, to finish a login. */
async function sendPasskey(
  browser: Browser,
  authenticator = newAuthenticator(),
) {
  const options = await (await browser.post(OPTIONS)).json();
  const passkey = "user" in options
    ? await authenticator.register(options)
    : await authenticator.authenticate(options);
  const response = await browser.send(PASSKEY, { name: "Key", passkey });
  return { authenticator, response };
}

for (const [name, logIn] of Object.entries(ways)) {
  if (PROVED.includes(name)) {
    Deno.test(`a login with ${name} has its second factor`, async () => {
      const app = start();
      const ada = app.browser();
      const login = await logIn(app, ada);
      assertEquals(login.headers.get("Location"), "/");
      await login.body?.cancel();
      assertEquals(await ada.isLoggedIn(), true);
    });
    continue;
  }
  Deno.test(`a login with ${name} waits for a second factor`, async () => {
    const app = start();
    const ada = app.browser();
    const login = await logIn(app, ada);
    assertEquals(login.headers.get("Location"), SETUP);
    await login.body?.cancel();
    await assertOutside(ada);
    // Nothing but the second factor completes the login.
    for (const path of [SETUP, PASSKEY, "/login/code", "/login/passkey"]) {
      await (await ada.post(path)).body?.cancel();
      await assertOutside(ada);
    }
    const done = await setUpApp(app, ada);
    assertEquals(done.status, 200);
    assertStringIncludes(await done.text(), 'href="/"');
    assertEquals(await ada.isLoggedIn(), true);
    assertStringIncludes((await app.lastMail(email)).text, "new auth");
  });
}

Deno.test("the second factor of a login works as JSON, with an app (ASVS 6.3.3)", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  const login = await ada.send("/login?returnTo=%2Ffresh", {
    email,
    password: PASSWORD,
  });
  const location = `${SETUP}?returnTo=%2Ffresh`;
  assertEquals(await login.json(), { next: "second-factor-setup", location });
  const json = { Accept: "application/json" };
  const choice = await (await ada.get(location, json)).json();
  assertEquals(choice.factors, ["app", "passkey"]);
  const { secret, setup } = choice.app;
  const wrong = await ada.send(location, { setup, code: "000000" });
  assertEquals([wrong.status, Object.keys((await wrong.json()).errors)], [
    422,
    ["code"],
  ]);
  await assertOutside(ada);
  const code = await generateTOTP(secret, { time: app.now() });
  const done = await (await ada.send(location, { setup, code })).json();
  assertEquals([done.next, done.location], ["done", "/fresh"]);
  assertEquals(done.recoveryCodes.length, 10);
  assertEquals((await ada.get("/fresh")).status, 200);
  // The next login needs the code, and a recovery code works.
  await ada.post("/login/out");
  const again = await sendPassword(ada);
  assertEquals(again.headers.get("Location"), "/login/code");
  await ada.post("/login/code", { code: done.recoveryCodes[0] });
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a passkey that finishes a login is asked for at the next one", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada, "?returnTo=%2Ffresh");
  const { authenticator, response } = await sendPasskey(ada);
  assertEquals(await response.json(), { next: "done", location: "/fresh" });
  assertEquals((await ada.get("/fresh")).status, 200);
  assertStringIncludes((await app.lastMail(email)).text, "passkey");

  const thief = app.browser();
  const login = await sendPassword(thief);
  assertEquals(login.headers.get("Location"), SETUP);
  const page = await (await thief.get(SETUP)).text();
  assertStringIncludes(page, "Use your passkey");
  assertStringIncludes(page, 'href="/login"');
  assertEquals(page.includes('name="setup"'), false);
  const json = { Accept: "application/json" };
  const choice = await (await thief.get(SETUP, json)).json();
  assertEquals(choice, { factors: ["passkey"] });
  const { id } = (await app.accounts.users.findByEmail(email))!;
  // Not even with the correct code of an own app.
  const form = await otherForm(app);
  const refused = await thief.send(SETUP, form);
  assertEquals([refused.status, id.length > 0], [403, true]);
  const other = await sendPasskey(thief, await otherPasskey(app));
  assertEquals(other.response.status, 422);
  await assertOutside(thief);

  const mine = app.browser();
  await sendPassword(mine);
  const done = await sendPasskey(mine, authenticator);
  assertEquals((await done.response.json()).next, "done");
  assertEquals(await mine.isLoggedIn(), true);
});

/** Returns the form of a new app of another user. */
async function otherForm(app: App) {
  const other = "bob@example.com";
  await app.registered({ email: other, name: "Bob" });
  const bob = app.browser();
  await bob.post("/login", { email: other, password: PASSWORD });
  return await appForm(app, bob);
}

/** Returns the authenticator of another user, without credentials of this one. */
async function otherPasskey(app: App) {
  const eve = await app.registered({ email: "eve@example.com", name: "Eve" });
  const authenticator = newAuthenticator();
  app.rule.required = false;
  const options = await (await eve.post("/account/passkeys/options")).json();
  const passkey = JSON.stringify(await authenticator.register(options));
  await eve.post("/account/passkeys", { name: "E", passkey });
  app.rule.required = true;
  return {
    ...authenticator,
    authenticate: (options: Parameters<typeof authenticator.authenticate>[0]) =>
      authenticator.authenticate({ ...options, allowCredentials: [] }),
  };
}

Deno.test("the setup of one user's app does not finish the login of another", async () => {
  const app = start();
  await app.registered();
  const form = await otherForm(app);
  const ada = app.browser();
  await sendPassword(ada);
  assertEquals((await ada.send(SETUP, form)).status, 400);
  await assertOutside(ada);
});

Deno.test("a passkey of an earlier login in the same browser does not finish that of another user", async () => {
  const app = start();
  await app.registered();
  const bob = { email: "bob@example.com", name: "Bob" };
  await app.registered(bob);
  const shared = app.browser();
  await sendPassword(shared);
  const options = await (await shared.post(OPTIONS)).json();
  const passkey = await newAuthenticator().register(options);
  await shared.post("/login", { email: bob.email, password: PASSWORD });
  const response = await shared.send(PASSKEY, { passkey });
  assertEquals(response.status, 422);
  await assertOutside(shared);
  const ada = (await app.accounts.users.findByEmail(email))!;
  assertEquals(await app.database.waysIn(ada.id), []);
});

Deno.test("a passkey that another user proves in the same browser does not finish a login", async () => {
  const app = start();
  await app.registered();
  const bob = { email: "bob@example.com", name: "Bob" };
  await app.registered(bob);
  const values = { email: bob.email, password: PASSWORD };
  const hers = app.browser();
  await sendPassword(hers);
  await sendPasskey(hers);
  const his = app.browser();
  await his.post("/login", values);
  const { authenticator } = await sendPasskey(his);

  const shared = app.browser();
  await shared.post("/login", values);
  const options = await (await shared.post(OPTIONS)).json();
  const passkey = await authenticator.authenticate(options);
  await sendPassword(shared);
  const response = await shared.send(PASSKEY, { passkey });
  assertEquals(response.status, 422);
  await assertOutside(shared);
});

Deno.test("of many browsers that set up a passkey, one keeps it", async () => {
  const app = start();
  await app.registered();
  const requests = await Promise.all(Array.from({ length: 5 }, async () => {
    const browser = app.browser();
    await sendPassword(browser);
    const options = await (await browser.post(OPTIONS)).json();
    const passkey = await newAuthenticator().register(options);
    return () => browser.send(PASSKEY, { passkey });
  }));
  const responses = await Promise.all(requests.map((send) => send()));
  assertEquals(responses.filter(({ ok }) => ok).length, 1);
  const { id } = (await app.accounts.users.findByEmail(email))!;
  assertEquals((await app.database.waysIn(id)).length, 1);
});

Deno.test("a login does not replace an app that was imported in the meantime", async () => {
  const secrets = ["5Tq8vN5kR1tY7wB4zP9cH3mJ6fL0sD-aB7"];
  const app = start({ secrets });
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  const form = await appForm(app, ada);
  const { id } = (await app.accounts.users.findByEmail(email))!;
  const store = app.database.values;
  const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  await importFactors(id, { secret }, { store, secrets });
  assertEquals((await ada.send(SETUP, form)).status, 400);
  await assertOutside(ada);
  const login = await sendPassword(ada);
  assertEquals(login.headers.get("Location"), "/login/code");
  app.wait(61_000);
  const code = await generateTOTP(secret, { time: app.now() });
  await ada.post("/login/code", { code });
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("of two browsers with the password, one sets up the second factor", async () => {
  for (const second of ["app", "passkey"]) {
    const app = start();
    await app.registered();
    const [ada, eve] = [app.browser(), app.browser()];
    await sendPassword(ada);
    await sendPassword(eve);
    const form = await appForm(app, eve);
    await setUpApp(app, ada);
    assertEquals(await ada.isLoggedIn(), true);
    const late = second === "app"
      ? await eve.send(SETUP, form)
      : await eve.send(PASSKEY, { passkey: {} });
    assertEquals(late.status, 400);
    await assertOutside(eve);
  }
});

Deno.test("of many requests that set up a second factor, one logs in, and none fails", async () => {
  const app = start();
  await app.registered();
  const logins = await Promise.all(Array.from({ length: 10 }, async () => {
    const browser = app.browser();
    await sendPassword(browser);
    return { browser, form: await appForm(app, browser) };
  }));
  const passkeys = app.browser();
  await sendPassword(passkeys);
  const options = await (await passkeys.post(OPTIONS)).json();
  const passkey = await newAuthenticator().register(options);
  const forms = logins.map(({ browser, form }) => browser.send(SETUP, form));
  const responses = await Promise.all([
    ...forms,
    passkeys.send(PASSKEY, { passkey }),
  ]);
  assert(responses.every(({ status }) => status < 500));
  const browsers = [...logins.map(({ browser }) => browser), passkeys];
  const inside = await Promise.all(browsers.map((one) => one.isLoggedIn()));
  assertEquals(inside.filter(Boolean).length, 1);
  const { id } = (await app.accounts.users.findByEmail(email))!;
  const ways = await app.database.waysIn(id);
  assert(ways.length === 0 || await passkeys.isLoggedIn());
});

Deno.test("the last second factor cannot be removed, in a form or as JSON", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  await setUpApp(app, ada);
  const remove = "/account/two-step/remove";
  const form = await ada.post(remove);
  assertEquals(form.status, 409);
  assertStringIncludes(await form.text(), "Add another passkey or app");
  const json = await ada.send(remove, {});
  assertStringIncludes((await json.json()).detail, "second step");

  // With an app, the only passkey is not the last factor.
  const { id: accountId } = (await app.accounts.users.findByEmail(email))!;
  await addPasskey(app, ada);
  const [first] = await app.database.waysIn(accountId);
  const removed = await ada.send("/account/passkeys/remove", { id: first!.id });
  assertEquals(removed.status, 200);
  await addPasskey(app, ada);
  assertEquals((await ada.post(remove)).status, 303);
  const [way] = await app.database.waysIn(accountId);
  const last = await ada.send("/account/passkeys/remove", { id: way!.id });
  assertEquals(last.status, 409);
  assertEquals((await app.database.waysIn(accountId)).length, 1);
  assertEquals(await ada.isLoggedIn(), true);
  // Without the rule, it can.
  app.rule.required = false;
  const free = await ada.send("/account/passkeys/remove", { id: way!.id });
  assertEquals(free.status, 200);
  assertEquals(await app.database.waysIn(accountId), []);
});

Deno.test("concurrent requests never remove the last two factors", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  await setUpApp(app, ada);
  await addPasskey(app, ada);
  const { id: accountId } = (await app.accounts.users.findByEmail(email))!;
  const [way] = await app.database.waysIn(accountId);
  const statuses = await Promise.all([
    ada.send("/account/two-step/remove", {}),
    ada.send("/account/passkeys/remove", { id: way!.id }),
  ].map(async (response) => (await response).status));
  assert(statuses.every((status) => status < 500), statuses.join());
  const login = await sendPassword(app.browser());
  const { length } = await app.database.waysIn(accountId);
  const hasApp = login.headers.get("Location") === "/login/code";
  assertEquals(hasApp || length === 1, true);
});

const failures: Record<
  string,
  { readonly required: () => unknown; readonly status: number }
> = {
  "that throws": {
    required: () => {
      throw new Error("the directory is down");
    },
    status: 500,
  },
  "that rejects": {
    required: () => Promise.reject(new Error("the directory is down")),
    status: 500,
  },
  "that never returns": { required: () => new Promise(() => {}), status: 503 },
  "that returns undefined": { required: () => undefined, status: 500 },
  'that returns "yes"': { required: () => "yes", status: 500 },
};

for (const [name, { required, status }] of Object.entries(failures)) {
  Deno.test(`a function ${name} fails the login`, async () => {
    using _output = captureConsole();
    let fails = false;
    const app = startAccounts({
      hookTimeout: 50,
      secondFactorRequired: () => fails ? required() as boolean : false,
    });
    const old = await app.registered();
    fails = true;
    const ada = app.browser();
    const login = await ada.send("/login", { email, password: PASSWORD });
    assertEquals(login.status, status);
    await login.body?.cancel();
    assertEquals((await old.get("/")).status, status);
    fails = false;
    assertEquals(await ada.isLoggedIn(), false);
    assertEquals(await old.isLoggedIn(), true);
  });
}

Deno.test("a new role that needs a second factor counts at the next request", async () => {
  const definition = defineAccounts({ scopes: ["notes:read"] });
  const { accounts, browser, registered, router } = startAccounts({
    definition: definition as never,
    secondFactorRequired: ({ role }) => role === "admin",
  });
  router.get(
    "/notes",
    accounts.requireScope("notes:read" as never),
    () => new Response("notes"),
  );
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  const created = await ada.send("/account/keys", {
    name: "CI",
    scopes: ["notes:read"],
  });
  const { key } = await created.json();
  await accounts.users.setRole(id, "admin");
  await assertOutside(ada);
  assertEquals((await ada.get("/login")).status, 200);
  const login = await sendPassword(ada);
  assertEquals(login.headers.get("Location"), SETUP);
  // API keys are not logins.
  const headers = { Authorization: `Bearer ${key}` };
  assertEquals((await browser().get("/notes", headers)).status, 200);
  assertEquals((await ada.get("/notes")).status, 401);
});

Deno.test("a team may require a second factor of its owners", async () => {
  const definition = defineAccounts({ teamRoles: ["owner", "reader"] });
  const { accounts, browser, registered } = startAccounts({
    definition: definition as never,
    async secondFactorRequired({ id }, { teams }) {
      const memberships = await teams.list(id);
      return memberships.some(({ role }) => role === "owner" as never);
    },
  });
  const ada = await registered();
  assertEquals(await ada.isLoggedIn(), true);
  await ada.post("/teams", { name: "Engines" });
  assertEquals(await ada.isLoggedIn(), false);
  const login = await sendPassword(browser());
  assertEquals(login.headers.get("Location"), SETUP);
  await accounts.flush();
});

Deno.test("administrators without a second factor cannot act as a user who needs one", async () => {
  const definition = defineAccounts({
    roles: ["user", "owner", "admin"],
    paths: { admin: "/staff" },
  });
  const app = startHeld({ required: true }, {
    definition: definition as never,
    admins: ["root@example.com"],
    secondFactorRequired: ({ role }) => role === "owner" as never,
  });
  const { accounts, router } = app;
  router.map(accounts.adminRoutes, accounts.adminController);
  const ada = await accounts.users.create({
    email,
    name: "Ada",
    role: "owner" as never,
  });
  const root = await app.registered({ email: "root@example.com" });
  const path = accounts.adminRoutes.user.action.href({ user: ada!.id });
  const act = () => root.send(path, { do: "act", reason: "Ticket 12" });
  assert((await act()).status >= 400);
  assertEquals(
    await (await root.get("/")).text(),
    "Hello Ada".replace("Ada", "Ada"),
  );
  const name = async () => {
    const { account } = await (await root.get("/account/session")).json();
    return account.email;
  };
  assertEquals(await name(), "root@example.com");
  await addApp({ ...app, rule: { required: true } }, root);
  assertEquals((await act()).status, 200);
  assertEquals(await name(), email);
});

Deno.test("an adopted session of an account that needs a second factor has no user", async () => {
  for (const required of [true, false]) {
    const store = createMemoryAccountStore();
    const accounts = testAccounts({
      database: store,
      secondFactorRequired: () => required,
    });
    const ada = await accounts.users.create({ email, name: "Ada" });
    const [protection, session, auth] = accounts.middleware;
    const take = () => ({ userId: ada!.id, createdAt: Date.now() });
    const router = createRouter({
      middleware: [protection, session, adoptSessions({ store, take }), auth],
    });
    router.map(accounts.routes, accounts.controller);
    const client = new Browser(createTestClient(router), {});
    await client.get("/login");
    const { account } = await (await client.get("/account/session")).json();
    assertEquals(account?.email, required ? undefined : email);
  }
});

Deno.test("a fresh login of an account with a passkey needs the passkey, not the password", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  const { authenticator } = await sendPasskey(ada);
  app.wait(11 * 60_000);
  const page = await (await ada.get("/account/confirm")).text();
  assertEquals(page.includes('type="password"'), false);
  await ada.post("/account/confirm", { password: PASSWORD });
  assertEquals((await ada.get("/fresh")).status, 302);
  const options = await ada.post("/account/confirm/passkey/options");
  const passkey = await authenticator.authenticate(await options.json());
  await ada.send("/account/confirm/passkey", { passkey });
  assertEquals((await ada.get("/fresh")).status, 200);
});

Deno.test("an own step comes after the second factor", async () => {
  const asked: (readonly string[])[] = [];
  const accepted = new Set<string>();
  const app = start({
    hooks: {
      beforeLogin({ account, methods }) {
        asked.push(methods);
        if (!accepted.has(account.email)) return { step: "/terms" };
      },
    },
  });
  const { accounts, router } = app;
  router.post("/terms", async (context) => {
    const login = await accounts.pendingLogin(context);
    if (login !== null) accepted.add(login.account.email);
    return await accounts.finishStep(context);
  });
  accepted.add(email);
  await app.registered();
  accepted.clear();
  asked.length = 0;
  const ada = app.browser();
  await sendPassword(ada);
  // The step neither learns of the login nor completes it.
  const early = await ada.send("/terms", {});
  const location = SETUP;
  assertEquals(await early.json(), { next: "second-factor-setup", location });
  assertEquals([accepted.size, asked.length], [0, 0]);
  const done = await setUpApp(app, ada);
  assertStringIncludes(await done.text(), 'href="/terms"');
  await assertOutside(ada);
  assertEquals(asked, [["pwd", "otp", "mfa"]]);
  assertEquals((await ada.get(SETUP)).status, 302);
  const end = await ada.post("/terms");
  assertEquals(end.headers.get("Location"), "/");
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a refusal after the second factor fails the login", async () => {
  let refuses = false;
  const app = start({
    hooks: {
      beforeLogin: () => refuses ? { refuse: "Not today" } : undefined,
    },
  });
  await app.registered();
  refuses = true;
  const ada = app.browser();
  await sendPassword(ada);
  const refused = await ada.send(SETUP, await appForm(app, ada));
  assertEquals((await refused.json()).detail, "Not today");
  await assertOutside(ada);
});

const ends: Record<string, (app: App, id: string) => unknown> = {
  "an end of access": ({ accounts }, id) => accounts.users.endAccess(id),
  "a block": ({ accounts }, id) => accounts.users.disable(id, { reason: "x" }),
  "the end of the account": ({ accounts }, id) => accounts.users.remove(id),
  "ten minutes": ({ wait }) => wait(10 * 60_000 + 1),
};

for (const [name, end] of Object.entries(ends)) {
  Deno.test(`${name} ends a login that waits for a second factor`, async () => {
    const app = start({ sessions: { timeouts: { anonymous: 3_600_000 } } });
    await app.registered();
    const { id } = (await app.accounts.users.findByEmail(email))!;
    const thief = app.browser();
    await sendPassword(thief);
    const form = await appForm(app, thief);
    await end(app, id);
    const late = await thief.send(SETUP, form);
    assertEquals(late.status, 400);
    assertEquals((await thief.post(OPTIONS)).status, 400);
    assertEquals((await thief.get(SETUP)).headers.get("Location"), "/login");
    await assertOutside(thief);
  });
}

/** Resets the password, and returns the response to the next login. */
async function loginAfterReset({ browser, lastMail }: App) {
  const ada = browser();
  await ada.post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const password = "another horse battery";
  await ada.post("/login/reset/link", { token, password });
  const login = await ada.post("/login", { email, password });
  assertEquals(login.headers.get("Location"), SETUP);
  return ada;
}

Deno.test("a reset does not replace the passkey of an account that must have one (ASVS 6.4.3)", async () => {
  const app = start();
  const { id, version } = await registeredWithPasskey(app);
  const { database } = app;
  for (const kind of ["identity", "key", "a kind of tomorrow"]) {
    await database.addWayIn({
      ...{ kind, id: kind, accountId: id, name: kind, createdAt: 0 },
      ...{ usedAt: null, counter: 0, data: null },
    }, version);
  }
  const ada = await loginAfterReset(app);
  const kinds = (await database.waysIn(id)).map(({ kind }) => kind);
  assertEquals(kinds, ["passkey"]);
  assertStringIncludes((await app.lastMail(email)).text, "were removed: 3");
  assertStringIncludes(await (await ada.get(SETUP)).text(), "Use your passkey");
  await assertOutside(ada);
});

/** Registers a user whose second factor is a passkey. */
async function registeredWithPasskey(app: App) {
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  await sendPasskey(ada);
  assertEquals(await ada.isLoggedIn(), true);
  return (await app.database.findByEmail(email))!;
}

Deno.test("a reset that keeps the passkey removes a way in that another request adds meanwhile", async () => {
  const database = createMemoryAccountStore();
  let isDue = false;
  const change = database.change.bind(database);
  database.change = async (id, version, ...args) => {
    if (isDue) {
      isDue = false;
      await database.addWayIn({
        ...{ kind: "key", id: "k1", accountId: id, name: "Key" },
        ...{ createdAt: 0, usedAt: null, counter: 0, data: null },
      }, version);
    }
    return await change(id, version, ...args);
  };
  const app = start({ database });
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  await sendPasskey(ada);
  await ada.post("/login/reset", { email });
  const token = tokenOf(await app.lastMail(email));
  isDue = true;
  const values = { token, password: "another horse battery" };
  const reset = await ada.post("/login/reset/link", values);
  assertEquals([reset.status, isDue], [303, false]);
  const { id } = (await database.findByEmail(email))!;
  const kinds = (await database.waysIn(id)).map(({ kind }) => kind);
  assertEquals(kinds, ["passkey"]);
});

Deno.test("a reset that stops after its change has removed all ways in but the passkey", async () => {
  using _output = captureConsole();
  const database = createMemoryAccountStore();
  const app = start({ database });
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  await sendPasskey(ada);
  const { id, version } = (await database.findByEmail(email))!;
  await database.addWayIn({
    ...{ kind: "identity", id: "i1", accountId: id, name: "Ada" },
    ...{ createdAt: 0, usedAt: null, counter: 0, data: null },
  }, version);
  await ada.post("/login/reset", { email });
  const token = tokenOf(await app.lastMail(email));
  const change = database.change.bind(database);
  database.change = async (...args) => {
    await change(...args);
    throw new Error("The process stops");
  };
  const values = { token, password: "another horse battery" };
  const reset = await ada.send("/login/reset/link", values);
  assert(reset.status >= 500);
  const kinds = (await database.waysIn(id)).map(({ kind }) => kind);
  assertEquals(kinds, ["passkey"]);
});

Deno.test("one of two passkeys can be removed", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  await sendPasskey(ada);
  await addPasskey(app, ada);
  const { id } = (await app.accounts.users.findByEmail(email))!;
  const [first, second] = await app.database.waysIn(id);
  const remove = async (way: { readonly id: string }) =>
    (await ada.send("/account/passkeys/remove", { id: way.id })).status;
  assertEquals([await remove(first!), await remove(second!)], [200, 409]);
});

Deno.test("a script whose login needs no second factor gets a 400", async () => {
  const app = start();
  const json = { Accept: "application/json" };
  for (const path of [SETUP, `${SETUP}?returnTo=%2Ffresh`]) {
    assertEquals((await app.browser().get(path, json)).status, 400);
  }
  assertEquals((await app.browser().send(SETUP, {})).status, 400);
  assertEquals((await app.browser().send(PASSKEY, {})).status, 400);
});

Deno.test("a login that waits for a second factor is not a failed login, and its end is a login", async () => {
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  const accounts = testAccounts({ secondFactorRequired: () => true });
  const router = createRouter({
    middleware: [onEvent, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  await accounts.users.create({ email, name: "Ada" });
  const ada = new Browser(
    createTestClient(router, { remoteAddress: "192.0.2.7" }),
    {},
  );
  await ada.post("/login/email", { email });
  const code = codeOf(accounts.mails.at(-1)!);
  await ada.post("/login/email/code", { code });
  await onEvent.flush();
  assertEquals(events, []);
  await sendPasskey(ada);
  await onEvent.flush();
  assertEquals(
    events.map(({ event: { action, outcome } }) => [action, outcome]),
    [["factor-add", "success"], ["login", "success"]],
  );
});

Deno.test("a reset removes the passkey of an account that has an app, or needs no factor", async () => {
  for (const hasApp of [true, false]) {
    const app = start();
    await app.registered();
    const ada = app.browser();
    await sendPassword(ada);
    await setUpApp(app, ada);
    await addPasskey(app, ada);
    if (!hasApp) await ada.post("/account/two-step/remove");
    app.rule.required = hasApp;
    const { id } = (await app.database.findByEmail(email))!;
    assertEquals((await app.database.waysIn(id)).length, 1);
    const owner = app.browser();
    await owner.post("/login/reset", { email });
    const token = tokenOf(await app.lastMail(email));
    const values = { token, password: "another horse battery" };
    await owner.post("/login/reset/link", values);
    assertEquals(await app.database.waysIn(id), []);
  }
});

Deno.test("an administrator removes the factors of a user who lost them", async () => {
  const app = start();
  const { id } = await registeredWithPasskey(app);
  const { users } = app.accounts;
  assertEquals(await users.removeFactors(id), true);
  assertEquals(await app.database.waysIn(id), []);
  assertEquals(await users.removeFactors("unknown"), false);
  const ada = app.browser();
  await sendPassword(ada);
  const done = await setUpApp(app, ada);
  assertEquals(done.status, 200);
  // The same for an app.
  await users.removeFactors(id);
  assertEquals(await ada.isLoggedIn(), false);
  const again = await sendPassword(ada);
  assertEquals(again.headers.get("Location"), SETUP);
});

Deno.test("the email about a factor that a thief set up removes it again", async () => {
  const app = start();
  await app.registered();
  const thief = app.browser();
  await sendPassword(thief);
  await setUpApp(app, thief);
  const mail = await app.lastMail(email);
  const ada = app.browser();
  await ada.post(linkOf(mail).split("?")[0]!, { token: tokenOf(mail) });
  assertEquals(await thief.isLoggedIn(), false);
  await ada.post("/login/email", { email });
  const code = codeOf(await app.lastMail(email));
  const login = await ada.post("/login/email/code", { code });
  assertEquals(login.headers.get("Location"), SETUP);
});

Deno.test("the pages of a required second factor are in German", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser({ "Accept-Language": "de" });
  await sendPassword(ada);
  const page = await (await ada.get(SETUP)).text();
  assertStringIncludes(page, "Schützen Sie Ihr Konto");
  assertStringIncludes(page, 'lang="de"');
  await sendPasskey(ada);
  await ada.post("/login/out");
  await sendPassword(ada);
  const proof = await (await ada.get(SETUP)).text();
  assertStringIncludes(proof, "Benutzen Sie Ihren Passkey");
});
