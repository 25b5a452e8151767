/** An own step of a login, such as new terms: no way in skips it. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AccountHooks, AccountsOptions } from "@gatehouse/web/accounts";
import { PASSWORD, tokenOf } from "../_accounts.ts";
import {
  addApp,
  assertOutside,
  email,
  sendPassword,
  startHeld,
  ways,
} from "../_ways_in.ts";

type App = ReturnType<typeof start>;

/** Starts accounts whose logins wait for `/terms` while `terms.required`. */
function start(options: Partial<AccountsOptions> = {}) {
  const terms = { required: true, accepted: new Set<string>(), asked: 0 };
  const hooks: AccountHooks = {
    beforeLogin({ account }) {
      terms.asked++;
      if (!terms.required || terms.accepted.has(account.email)) return;
      return { step: "/terms" };
    },
  };
  const app = startHeld(terms, { hooks, ...options });
  const { accounts, router } = app;
  router.get("/terms", async (context) => {
    const login = await accounts.pendingLogin(context);
    return new Response(login === null ? "nobody" : login.account.email);
  });
  router.post("/terms", async (context) => {
    const login = await accounts.pendingLogin(context);
    const isAccepted = context.url.searchParams.has("accept");
    if (login !== null && isAccepted) terms.accepted.add(login.account.email);
    return await accounts.finishStep(context);
  });
  return { ...app, terms };
}

for (const [name, logIn] of Object.entries(ways)) {
  Deno.test(`a login with ${name} waits for the own step`, async () => {
    const app = start();
    const ada = app.browser();
    const login = await logIn(app, ada);
    assertEquals(login.headers.get("Location"), "/terms");
    await login.body?.cancel();
    await assertOutside(ada);
    assertEquals(await (await ada.get("/terms")).text(), email);

    // Without the step, no number of requests completes the login.
    for (const path of ["/terms", "/terms", "/terms?x=accept"]) {
      const again = await ada.post(path);
      assertEquals(again.headers.get("Location"), "/terms");
      await assertOutside(ada);
    }
    const done = await ada.post("/terms?accept");
    assertEquals([done.status, done.headers.get("Location")], [303, "/"]);
    assertStringIncludes(done.headers.get("Cache-Control")!, "no-store");
    assertEquals(await ada.isLoggedIn(), true);
    assertEquals(await (await ada.get("/terms")).text(), "nobody");
  });
}

Deno.test("an own step keeps the page that began the login, and its lifetime", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  const values = { email, password: PASSWORD, remember: "on" };
  await ada.post("/login?returnTo=%2Ffresh", values);
  const done = await ada.post("/terms?accept");
  assertEquals(done.headers.get("Location"), "/fresh");
  app.wait(20 * 86_400_000);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("an own step does not make an old login fresh", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  app.wait(9 * 60_000);
  await ada.post("/terms?accept");
  assertEquals((await ada.get("/fresh")).status, 200);
  // The password was sent eleven minutes ago.
  app.wait(2 * 60_000);
  assertEquals((await ada.get("/fresh")).status, 302);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("guesses of others do not lock out a browser that did the own step", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  const stranger = app.browser();
  await ada.post("/terms?accept");
  await ada.post("/login/out");
  const wrong = { email, password: "wrong horse battery" };
  for (let n = 0; n < 100; n++) await app.browser().post("/login", wrong);
  assertEquals((await sendPassword(stranger)).status, 429);
  assertEquals((await sendPassword(ada)).status, 303);
});

Deno.test("an own step works as JSON", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  const login = await ada.send("/login", { email, password: PASSWORD });
  assertEquals(await login.json(), { next: "step", location: "/terms" });
  const missing = await ada.send("/terms", {});
  assertEquals(await missing.json(), { next: "step", location: "/terms" });
  const done = await ada.send("/terms?accept", {});
  assertEquals(await done.json(), { next: "done", location: "/" });
  const nothing = await app.browser().send("/terms?accept", {});
  assertEquals(await nothing.json(), { next: "login", location: "/login" });
});

Deno.test("an own step after a code remembers the browser", async () => {
  const app = start();
  const { nextCode } = await addApp(app, await app.registered());
  const ada = app.browser();
  await sendPassword(ada);
  const code = await nextCode();
  await ada.post("/login/code", { code, remember: "on" });
  await ada.post("/terms?accept");
  await ada.post("/login/out");
  const login = await sendPassword(ada);
  assertEquals(login.headers.get("Location"), "/");
});

Deno.test("the code of a held login is used up, and its page shows no other way", async () => {
  const app = start();
  const { nextCode } = await addApp(app, await app.registered());
  const ada = app.browser();
  await sendPassword(ada);
  const code = await nextCode();
  await ada.post("/login/code", { code });
  for (const value of [code, await nextCode()]) {
    await ada.post("/login/code", { code: value });
    await assertOutside(ada);
  }
});

/** The changes that end a login that waits for its step. */
const ends: Record<
  string,
  (app: App, id: string) => Promise<unknown> | unknown
> = {
  "an end of access": ({ accounts }, id) => accounts.users.endAccess(id),
  "a block": ({ accounts }, id) => accounts.users.disable(id, { reason: "x" }),
  "the end of the account": ({ accounts }, id) => accounts.users.remove(id),
  "ten minutes": ({ wait }) => wait(10 * 60_000 + 1),
  async "a reset"({ browser, lastMail }) {
    const owner = browser();
    await owner.post("/login/reset", { email });
    const token = tokenOf(await lastMail(email));
    const password = "another horse battery";
    await owner.post("/login/reset/link", { token, password });
  },
};

for (const [name, end] of Object.entries(ends)) {
  Deno.test(`${name} ends a login that waits for its own step`, async () => {
    // The session could live longer.
    const timeouts = { anonymous: 3_600_000 };
    const app = start({ sessions: { timeouts } });
    await app.registered();
    const { id } = (await app.accounts.users.findByEmail(email))!;
    const thief = app.browser();
    await sendPassword(thief);
    assertEquals(await (await thief.get("/terms")).text(), email);
    await end(app, id);
    assertEquals(await (await thief.get("/terms")).text(), "nobody");
    app.terms.required = false;
    const late = await thief.post("/terms?accept");
    assertEquals(late.headers.get("Location"), "/login");
    await assertOutside(thief);
  });
}

Deno.test("another browser cannot finish a step, and a used step works once", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  const copy = app.browser();
  for (const [name, value] of ada.client.cookies) {
    (copy.client.cookies as Map<string, string>).set(name, value);
  }
  const stranger = app.browser();
  await stranger.post("/terms?accept");
  assertEquals(await stranger.isLoggedIn(), false);
  assertEquals(app.terms.accepted.size, 0);
  await ada.post("/terms?accept");
  assertEquals(await ada.isLoggedIn(), true);
  // The old session id, which an attacker may have planted, is worthless.
  await copy.post("/terms?accept");
  assertEquals(await copy.isLoggedIn(), false);
});

Deno.test("a planted session id does not learn of a login that waits", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  // A code of an email needs a session, whose id an attacker may know.
  await ada.post("/login/email", { email: "eve@example.com" });
  const planted = new Map(ada.client.cookies);
  await sendPassword(ada);
  const thief = app.browser();
  for (const [name, value] of planted) {
    (thief.client.cookies as Map<string, string>).set(name, value);
  }
  assertEquals(await (await thief.get("/terms")).text(), "nobody");
});

Deno.test("the login of another user ends a login that waits", async () => {
  const app = start();
  await app.registered();
  await app.registered({ email: "eve@example.com", name: "Eve" });
  const shared = app.browser();
  await sendPassword(shared);
  app.terms.accepted.add("eve@example.com");
  const eve = { email: "eve@example.com", password: PASSWORD };
  await shared.post("/login", eve);
  assertEquals(await shared.isLoggedIn(), true);
  app.terms.accepted.add(email);
  await shared.post("/terms");
  const session = await (await shared.get("/account/session")).json();
  assertEquals(session.account.email, "eve@example.com");
});

Deno.test("of many requests that finish a step, one logs in, and none fails", async () => {
  const app = start();
  await app.registered();
  const ada = app.browser();
  await sendPassword(ada);
  app.terms.accepted.add(email);
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await ada.send("/terms", {});
      return [response.status, (await response.json()).next];
    }),
  );
  const done = statuses.filter(([, next]) => next === "done");
  assertEquals(done.length, 1);
  assertEquals(statuses.filter(([status]) => Number(status) >= 500), []);
});

Deno.test("a login that waits keeps a requested deletion", async () => {
  const app = start();
  const ada = await app.registered();
  await ada.post("/account/delete");
  const { id } = (await app.accounts.users.findByEmail(email))!;
  const again = app.browser();
  await sendPassword(again);
  assert((await app.accounts.users.find(id))?.deleteAt !== null);
  await again.post("/terms?accept");
  assertEquals((await app.accounts.users.find(id))?.deleteAt, null);
});

Deno.test("a confirmation of a logged-in user has no own step", async () => {
  const app = start();
  const ada = await app.registered();
  app.wait(11 * 60_000);
  const path = "/account/confirm?returnTo=%2Ffresh";
  const confirmed = await ada.post(path, { password: PASSWORD });
  assertEquals(confirmed.headers.get("Location"), "/fresh");
  assertEquals((await ada.get("/fresh")).status, 200);
});
