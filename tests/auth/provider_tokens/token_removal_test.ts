// The ends of sessions that remove and revoke kept tokens.
import { endAllSessions, endUserSessions } from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { ORIGIN } from "../_login.ts";
import { LogoutApp } from "../_provider_logout.ts";
import { USER } from "../_test_provider.ts";
import { seenBy, TokenApp, tokenKeys, withLateTokens } from "../_token_app.ts";

const USER_ID = `user of ${USER.sub}`;

type End = (app: TokenApp, browser: Browser) => unknown;
type Browser = Awaited<ReturnType<TokenApp["logIn"]>>;

const post = (path: string): End => async (_, browser) => {
  const response = await browser.fetch(path, { method: "POST" });
  assert(response.ok);
};

/** Each way to end a session, and the logins of the user that stay. */
const ENDS: readonly (readonly [string, End, readonly string[]])[] = [
  ["a logout", post("/logout"), ["other"]],
  ["a login of another user", post("/password/eve"), ["other"]],
  ["the removal of userId", post("/unset"), ["other"]],
  ["endAll()", post("/end-all"), []],
  ["endUserSessions()", ({ store }) => endUserSessions(store, USER_ID), []],
  ["endAllSessions()", ({ store, time }) => {
    return endAllSessions(store, { before: time });
  }, []],
  [
    "a back-channel logout of the session",
    (app) => app.logOut({ sid: "own" }),
    ["other"],
  ],
  [
    "a back-channel logout of the user",
    (app) => app.logOut({ sub: USER.sub }),
    [],
  ],
];

for (const [name, end, kept] of ENDS) {
  Deno.test(`${name} removes and revokes the tokens (RFC 7009, section 2)`, async () => {
    const app = await TokenApp.create();
    const own = await app.logIn({ sid: "own" });
    const other = await app.logIn({ sid: "other" });
    const stranger = await app.logIn({ sid: "stranger", sub: "stranger" });
    const tokens = await Promise.all([own, other].map(seenBy));
    await end(app, own);
    assertEquals(await seenBy(own), "none");
    const isRevoked = tokens.map((token) => app.revoked.includes(token));
    assertEquals(isRevoked, [true, !kept.includes("other")]);
    // The refresh token and the access token of each login.
    const all = name === "endAllSessions()" ? 6 : kept.length === 0 ? 4 : 2;
    assertEquals(app.revoked.length, all);
    assertEquals(
      await seenBy(other),
      kept.includes("other") ? tokens[1] : "none",
    );
    if (all < 6) assertNotEquals(await seenBy(stranger), "none");
    const left = (await tokenKeys(app, `user:${USER_ID}`)).length;
    assertEquals(left, kept.length);
  });
}

Deno.test("endAll() with except keeps the tokens of this session", async () => {
  const app = await TokenApp.create();
  const [own, other] = [await app.logIn(), await app.logIn()];
  const token = await seenBy(own);
  await own.fetch("/renew", { method: "POST" });
  await own.fetch("/end-others", { method: "POST" });
  assertEquals([await seenBy(own), await seenBy(other)], [token, "none"]);
  assertEquals(app.revoked.length, 2);
});

Deno.test("end() removes and revokes the tokens, and the user stays logged in", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const disconnect = async () =>
    await (await browser.fetch("/disconnect", { method: "POST" })).json();
  assertEquals([await disconnect(), await disconnect()], [true, false]);
  assertEquals(await seenBy(browser), "none");
  assertEquals(app.revoked.length, 2);
});

Deno.test("a logout succeeds if the provider can't revoke the tokens", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/revoke" ? new Response(null, { status: 503 }) : undefined,
  };
  await browser.fetch("/logout", { method: "POST" });
  assertEquals(await seenBy(browser), "none");
  assertEquals(app.errors.at(-1)!.code, "revocation_failed");
});

Deno.test("a logout reports no error if the provider has no revocation endpoint", async () => {
  const app = await TokenApp.create();
  app.provider.faults = {
    metadata: ({ revocation_endpoint: _, ...metadata }) => metadata,
  };
  const browser = await app.logIn();
  await browser.fetch("/logout", { method: "POST" });
  assertEquals(await seenBy(browser), "none");
  assertEquals(app.errors, []);
});

Deno.test("a logout with revoke: false removes the tokens only", async () => {
  const app = await TokenApp.create({ keep: { revoke: false } });
  const browser = await app.logIn();
  await browser.fetch("/logout", { method: "POST" });
  assertEquals(app.revoked, []);
  assertEquals(await tokenKeys(app, `user:${USER_ID}`), []);
});

Deno.test("a logout during a refresh revokes the refreshed tokens", async () => {
  const { app, arrive, browser, late } = await withLateTokens();
  await browser.fetch("/logout", { method: "POST" });
  assertEquals(app.revoked.length, 2);
  arrive();
  assertEquals(await late, { ok: false, reason: "none" });
  assertEquals(new Set(app.revoked).size, 4);
});

Deno.test("tokens per user are shared by the user's sessions and survive a logout", async () => {
  const app = await TokenApp.create({ keep: { owner: "user" } });
  const own = await app.logIn();
  const other = await app.logIn();
  const stranger = await app.logIn({ sub: "stranger" });
  const token = await seenBy(own);
  assertEquals(await seenBy(other), token);
  assertNotEquals(await seenBy(stranger), token);
  await own.fetch("/logout", { method: "POST" });
  assertEquals(await seenBy(own), "none");
  assertEquals(await seenBy(other), token);
  assertEquals(app.revoked, []);
});

for (
  const [name, end] of [
    ["endAll()", post("/end-all")],
    ["endUserSessions()", ({ store }) => endUserSessions(store, USER_ID)],
    ["a back-channel logout of the user", (app) => {
      return app.logOut({ sub: USER.sub });
    }],
  ] satisfies [string, End][]
) {
  Deno.test(`${name} removes and revokes the tokens of a user`, async () => {
    const app = await TokenApp.create({ keep: { owner: "user" } });
    const browser = await app.logIn();
    await end(app, browser);
    assertEquals(app.revoked.length, 2);
    assertEquals(await tokenKeys(app, `user:${USER_ID}`), []);
  });
}

Deno.test("endUserSessions() removes tokens that were saved in the millisecond of the option before", async () => {
  const app = await TokenApp.create({ keep: { owner: "user" } });
  const browser = await app.logIn();
  await endUserSessions(app.store, USER_ID, { before: app.time });
  assertEquals(await tokenKeys(app, `user:${USER_ID}`), []);
  assertEquals(await seenBy(browser), "none");
});

Deno.test("a replayed logout token does not remove the tokens of a later login", async () => {
  const app = await TokenApp.create({ keep: { owner: "user" } });
  const signer = new LogoutApp(app.provider, app.store);
  const token = await signer.logoutToken({ sub: USER.sub });
  app.wait(100_000);
  const browser = await app.logIn();
  await app.sendLogout(token);
  assertNotEquals(await seenBy(browser), "none");
  assertEquals(app.revoked, []);
});

Deno.test("the end of an anonymous session looks for no tokens", async () => {
  const keys: string[] = [];
  const app = await TokenApp.create({
    store: (memory) => ({
      get(key) {
        keys.push(key);
        return memory.get(key);
      },
      put: (...args) => memory.put(...args),
      delete: (key) => memory.delete(key),
      byIndex: (name) => memory.byIndex!(name),
    }),
  });
  const browser = createTestClient(app.first.router, { origin: ORIGIN });
  await browser.fetch("/login");
  await browser.fetch("/logout", { method: "POST" });
  assertEquals(keys.filter((key) => key.startsWith("token")), []);

  const user = await app.logIn();
  keys.length = 0;
  await user.fetch("/logout", { method: "POST" });
  assertEquals(keys.filter((key) => key.startsWith("token")).length > 0, true);
});
