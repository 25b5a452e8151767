import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { clientOf } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";
import { fetchBy, SECRET, seenBy, TokenApp, tokenOf } from "../_token_app.ts";

Deno.test("get() returns none to a visitor and to a user without a login at the provider", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  assert((await tokenOf(browser)).ok);
  await browser.fetch("/logout", { method: "POST" });
  assertEquals(await seenBy(browser), "none");
  await browser.fetch("/password/ada", { method: "POST" });
  assertEquals(await seenBy(browser), "none");
});

Deno.test("get() returns the token of the login until it is about to expire", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const first = await tokenOf(browser);
  assert(first.ok);
  assertEquals(first.expiresAt, app.time + 3_600_000);
  app.wait(3_570_000);
  assertEquals(await tokenOf(browser), first);
  app.wait(1);
  const second = await tokenOf(browser);
  assert(second.ok);
  assertNotEquals(second.accessToken, first.accessToken);
  assertEquals(app.refreshes, 1);
  assertEquals(await tokenOf(browser), second);
});

Deno.test("get() keeps the tokens when the session gets a new id or the user logs in again", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const token = await seenBy(browser);
  await browser.fetch("/renew", { method: "POST" });
  assertEquals(await seenBy(browser), token);
  const user = encodeURIComponent(`user of ${app.provider.user.sub}`);
  app.wait(10_000_000);
  await browser.fetch(`/password/${user}`, { method: "POST" });
  assert((await tokenOf(browser)).ok);
  app.wait(39_000_000);
  // The session began anew, and its tokens live as long as it does.
  assert((await tokenOf(browser)).ok);
});

Deno.test("get() returns a token that is still valid if the provider fails", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const token = await seenBy(browser);
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token" ? new Response(null, { status: 503 }) : undefined,
  };
  app.wait(3_580_000);
  assertEquals(await seenBy(browser), token);
  app.wait(20_000);
  assertEquals(await seenBy(browser), "unavailable");
});

Deno.test("get() ends the connection if the new ID token is about another user (OpenID Connect Core 1.0, section 12.2)", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = { claims: (claims) => ({ ...claims, sub: "eve" }) };
  app.expire();
  assertEquals(await seenBy(browser), "ended");
  app.provider.faults = {};
  assertEquals(await seenBy(browser), "ended");
  assertEquals(app.refreshes, 1);
});

Deno.test("get() takes a token without expires_in as valid until it is rejected", async () => {
  const app = await TokenApp.create();
  app.provider.faults = { token: ({ expires_in: _, ...token }) => token };
  const browser = await app.logIn();
  const rejected = await seenBy(browser);
  app.wait(20_000_000);
  assertEquals(await tokenOf(browser), { ok: true, accessToken: rejected });
  app.get = { rejected };
  const results = await Promise.all(
    Array.from({ length: 50 }, () => seenBy(browser)),
  );
  assertEquals(new Set(results).size, 1);
  assertNotEquals(results[0], rejected);
  assertEquals(app.refreshes, 1);
  // An API that rejects each token must not cause a refresh for each request.
  app.get = { rejected: results[0] };
  assertEquals(await seenBy(browser), results[0]);
  assertEquals(app.refreshes, 1);
  app.wait(30_000);
  assertNotEquals(await seenBy(browser), results[0]);
});

Deno.test("get() waits for another process only for waitTimeout", async () => {
  const app = await TokenApp.create({ keep: { waitTimeout: 100 } });
  const browser = await app.logIn();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  app.provider.faults = {
    respond: ({ path }) => path === "/token" ? promise : undefined,
  };
  app.expire();
  const holder = fetchBy(browser, app.first);
  await app.hasRefreshed(1);
  const other = app.start({ waitTimeout: 100 });
  assertEquals(await fetchBy(browser, other), {
    ok: false,
    reason: "unavailable",
    retryAfter: 1,
  });
  resolve(undefined);
  assert((await holder).ok);
  assert((await fetchBy(browser, other)).ok);
  assertEquals(app.refreshes, 1);
});

Deno.test("keepTokens() rejects a store without compare-and-swap, an index or a good secret", async () => {
  const provider = clientOf(await TestProvider.create());
  const store = createMemorySessionStore();
  const secrets = [SECRET];
  const { byIndex: _, ...rest } = {
    get: store.get,
    put: store.put,
    delete: store.delete,
    byIndex: store.byIndex,
  };
  const weak = { ...rest, byIndex: store.byIndex! };
  assertThrows(
    () => keepTokens(provider, { store: rest, secrets }),
    TypeError,
    "byIndex",
  );
  assertThrows(
    () =>
      keepTokens(provider, {
        store: { ...weak, consistency: "eventual" },
        secrets,
      }),
    TypeError,
    "eventually consistent",
  );
  assertThrows(
    () => keepTokens(provider, { store, secrets: ["short"] }),
    RangeError,
    "Cannot encrypt tokens",
  );
  assertThrows(
    () => keepTokens(provider, { store, secrets, waitTimeout: 0 }),
    RangeError,
    "waitTimeout",
  );
});

Deno.test("get() throws if the session is in another store", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const other = app.start({ store: createMemorySessionStore() });
  await assertRejects(() => fetchBy(browser, other));
});

Deno.test("get() never returns the token that the API rejected, even if the provider fails", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const rejected = await seenBy(browser);
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token" ? new Response(null, { status: 503 }) : undefined,
  };
  app.wait(60_000);
  app.get = { rejected };
  assertEquals(await seenBy(browser), "unavailable");
  app.get = {};
  assertEquals(await seenBy(browser), rejected);
});
