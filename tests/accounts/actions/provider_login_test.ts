import { assertEquals, assertStringIncludes } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { codeOf } from "../_accounts.ts";
import { ADA, email, EVE, idOf, PATH, start } from "../_providers.ts";

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

Deno.test("a response that the provider posts from its site logs in", async () => {
  const app = start({ provider: { responseMode: "form_post" } });
  const ada = app.browser();
  assertEquals((await app.logIn(ada)).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
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

for (const isCrash of [false, true]) {
  const name = isCrash
    ? "a crash between an account and its identity leaves the owner a way in"
    : "an outage between an account and its identity leaves no account";
  Deno.test(name, async () => {
    const app = start();
    const { browser, database, lastMail, link, logIn } = app;
    const addWayIn = database.addWayIn.bind(database);
    const remove = database.remove.bind(database);
    const fail = () => Promise.reject(new Error("The database is down"));
    database.addWayIn = fail;
    if (isCrash) database.remove = fail;
    {
      using _output = captureConsole();
      assertEquals((await logIn(browser())).status, 503);
    }
    Object.assign(database, { addWayIn, remove });
    const ada = browser();
    const second = await logIn(ada);
    assertEquals(second.status, isCrash ? 422 : 303);
    if (isCrash) {
      assertStringIncludes(await second.text(), "already has an account");
      await ada.post("/login/email", { email });
      const code = codeOf(await lastMail(email));
      await ada.post("/login/email/code", { code });
      await link(ada, ADA);
    }
    assertEquals(await ada.isLoggedIn(), true);
    const other = browser();
    await logIn(other);
    assertEquals(await other.isLoggedIn(), true);
  });
}

Deno.test("a flood of registrations at a provider from one address has to wait", async () => {
  const app = start();
  const eve = app.browser();
  const statuses: number[] = [];
  for (let n = 0; n < 21; n++) {
    const user = { sub: `e${n}`, name: "Eve", email: `eve${n}@example.com` };
    const response = await app.logIn(eve, { ...user, email_verified: true });
    statuses.push(response.status);
    if (response.status === 429) {
      assertEquals(response.headers.get("Retry-After"), "60");
    }
    await eve.post("/login/out");
  }
  assertEquals(statuses, [...Array(20).fill(303), 429]);
  // An address that the provider has not verified counts as well.
  await app.logIn(eve, { sub: "new", name: "Eve" });
  const late = await eve.send("/login/address", { email: "new@example.com" });
  assertEquals(late.status, 429);
  assertEquals((await app.accounts.users.list()).users.length, 20);
});

const profiles: [profile: object, name: string][] = [
  [{ email: "ada@work.example", name: "Ada" }, "ada@work.example"],
  [{ email: "", preferred_username: "x", name: "Ada" }, "Ada"],
  [{ name: 7 }, "Example"],
  [{}, "Example"],
  [{ name: "a".repeat(101) }, "a".repeat(100)],
];

for (const [profile, name] of profiles) {
  Deno.test(`a linked login with ${JSON.stringify(profile).slice(0, 60)} has the name ${name.slice(0, 20)}`, async () => {
    const app = start();
    const ada = await app.registered();
    await app.link(ada, { sub: "e1", ...profile });
    const json = { Accept: "application/json" };
    const { logins } = await (await ada.get("/account/logins", json)).json();
    assertEquals(logins.map((one: { name: string }) => one.name), [name]);
  });
}

Deno.test("a linked login shows its last use, and counts it", async () => {
  const app = start();
  const ada = await app.registered();
  await app.link(ada, EVE);
  const [linked] = await app.database.waysIn((await idOf(app))!);
  assertEquals([linked?.usedAt, linked?.counter], [null, 0]);
  for (const count of [1, 2]) {
    app.wait(1_000);
    await app.logIn(app.browser(), EVE);
    const [way] = await app.database.waysIn((await idOf(app))!);
    assertEquals(way, { ...linked!, usedAt: app.now(), counter: count });
  }
});

Deno.test("a hook decides about a registration at a provider, and about its address", async () => {
  const asked: unknown[] = [];
  const app = start({
    hooks: {
      beforeRegister: ({ email, name, fields, provider }) => {
        asked.push({ email, name, fields, provider });
        return { refuse: "Only members" };
      },
    },
  });
  const ada = app.browser();
  assertEquals((await app.logIn(ada, ADA)).status, 422);
  await app.logIn(ada, { sub: "a1" });
  const response = await ada.send("/login/address", { email });
  assertEquals(response.status, 422);
  assertStringIncludes(await response.text(), "Only members");
  const common = { email, fields: {}, provider: "example" };
  assertEquals(asked, [
    { ...common, name: "Ada" },
    { ...common, name: "Example" },
  ]);
  assertEquals((await app.accounts.users.list()).users, []);
  assertEquals(app.accounts.mails, []);
});

Deno.test("the page to return to survives each step of a registration at a provider", async () => {
  const app = start();
  const ada = app.browser();
  const path = `${PATH}?returnTo=%2Ffresh`;
  const login = await app.logIn(ada, { sub: "a1", name: "Ada" }, path);
  const address = "/login/address?returnTo=%2Ffresh";
  assertEquals(login.headers.get("Location"), address);
  const wrong = await ada.send(address, { email: "ada" });
  assertEquals(Object.keys((await wrong.json()).errors), ["email"]);
  const step = await ada.post(address, { email });
  const code = "/register/code?returnTo=%2Ffresh";
  assertEquals(step.headers.get("Location"), code);
  const given = { code: codeOf(await app.lastMail(email)) };
  const done = await ada.post(code, given);
  assertEquals(done.headers.get("Location"), "/fresh");
  assertEquals((await app.accounts.users.findByEmail(email))?.name, "Ada");
});

Deno.test("a passkey lets a user without a password unlink the last login", async () => {
  const app = start();
  const ada = app.browser();
  await app.logIn(ada, ADA);
  const id = (await idOf(app))!;
  await app.accounts.logInTest(ada.client, id);
  const [way] = await app.database.waysIn(id);
  const values = { id: way!.id };
  const last = await ada.send("/account/logins/remove", values);
  assertEquals(last.status, 409);
  const { version } = (await app.database.find(id))!;
  const passkey = { ...way!, kind: "passkey", id: "p1" };
  await app.database.addWayIn(passkey, version);
  const removed = await ada.send("/account/logins/remove", values);
  assertEquals(removed.status, 200);
  const left = await app.database.waysIn(id);
  assertEquals(left.map(({ kind }) => kind), ["passkey"]);
});

Deno.test("a user who cancels at the provider can try again with the same page", async () => {
  const app = start();
  const ada = app.browser();
  for (const error of ["access_denied", "server_error"]) {
    const path = `${PATH}?returnTo=%2Ffresh`;
    const response = await app.google.logIn(ada.client, path, { error });
    assertEquals(response.status, 422);
    const page = await response.text();
    assertEquals(page.includes("You cancelled"), error === "access_denied");
    assertStringIncludes(page, "returnTo=%2Ffresh");
  }
});

Deno.test("an outage between an account and its identity leaves no account, after the step of the address too", async () => {
  const app = start();
  const { database, lastMail } = app;
  const ada = app.browser();
  await app.logIn(ada, { sub: "a1", name: "Ada" });
  await ada.post("/login/address", { email });
  const code = codeOf(await lastMail(email));
  const addWayIn = database.addWayIn.bind(database);
  database.addWayIn = () => Promise.reject(new Error("The database is down"));
  {
    using _output = captureConsole();
    const failed = await ada.post("/register/code", { code });
    assertEquals(failed.status, 503);
  }
  assertEquals(await idOf(app), undefined);
  database.addWayIn = addWayIn;
  await app.logIn(ada, { sub: "a1", name: "Ada" });
  await ada.post("/login/address", { email });
  const again = codeOf(await lastMail(email));
  await ada.post("/register/code", { code: again });
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals((await database.waysIn((await idOf(app))!)).length, 1);
});
