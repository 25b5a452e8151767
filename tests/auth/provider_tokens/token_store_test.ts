import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { turns } from "../../_wait.ts";
import { clientOf } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";
import {
  fetchBy,
  SECRET,
  seenBy,
  TokenApp,
  tokenKeys,
  tokenOf,
  withLateTokens,
} from "../_token_app.ts";

Deno.test("get() takes the lease of a process that died after it expires", async () => {
  const app = await TokenApp.create({ client: { timeout: 1_000 } });
  const browser = await app.logIn();
  app.expire();
  // Dies before its request reaches the provider.
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token" ? new Promise<undefined>(() => {}) : undefined,
  };
  const dead = app.start();
  const hung = fetchBy(browser, dead);
  await app.hasRefreshed(1);
  app.provider.faults = {};
  const waiting = fetchBy(browser, app.first);
  await turns(50);
  assertEquals(app.refreshes, 1);
  app.wait(7_000);
  assert((await waiting).ok);
  assertEquals(app.refreshes, 2);
  await hung;
});

Deno.test("get() stores tokens that arrive after another process has taken the lease", async () => {
  const { app, arrive, browser, late } = await withLateTokens();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  app.provider.faults = {
    respond: ({ path }) => path === "/token" ? promise : undefined,
  };
  // The second process uses the old refresh token, which the provider refuses.
  const second = fetchBy(browser, app.start());
  await app.hasRefreshed(2);
  arrive();
  const stored = await late;
  assert(stored.ok);
  resolve(undefined);
  assertEquals(await second, stored);
  assertEquals(await tokenOf(browser), stored);
});

Deno.test("get() stores tokens that arrive after another process has ended the connection", async () => {
  const { app, arrive, browser, late } = await withLateTokens();
  const second = await fetchBy(browser, app.start());
  assertEquals(!second.ok && second.reason, "ended");
  arrive();
  assert((await late).ok);
  assertEquals(await tokenOf(browser), await late);
});

Deno.test("save() stores the tokens encrypted, and a connection of another session can't replace it", async () => {
  const app = await TokenApp.create();
  const [ada, bob] = [await app.logIn({ sub: "ada" }), await app.logIn()];
  const token = await seenBy(ada);
  const keys = await tokenKeys(app, "user:user of ada");
  const others = await tokenKeys(
    app,
    `user:user of ${app.provider.user.sub}`,
  );
  assertEquals([keys.length, others.length], [1, 1]);
  const stored = (await app.store.get(keys[0]!))!;
  assert(!stored.value.includes(token));
  const { version } = (await app.store.get(others[0]!))!;
  await app.store.put(others[0]!, stored.value, {
    ttl: 1_000_000,
    ifVersion: version,
  });
  assertEquals(await seenBy(bob), "ended");
});

Deno.test("get() decrypts with an old secret, and ends the connection without it", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const next = "YW5vdGhlciBzZWNyZXQgb2YgdGhlIHRlc3RzIDk4NzY1";
  const rotated = app.start({ secrets: [next, SECRET] });
  assert((await fetchBy(browser, rotated)).ok);
  const without = app.start({ secrets: [next] });
  assertEquals(await fetchBy(browser, without), { ok: false, reason: "ended" });
});

Deno.test("save() throws for a visitor and for the result of another provider", async () => {
  const app = await TokenApp.create();
  const other = await TestProvider.create("https://other.example");
  const { store } = app;
  const tokens = keepTokens(clientOf(other), { store, secrets: [SECRET] });
  app.first.router.post("/save/:issuer", async (context) => {
    const issuer = decodeURIComponent(context.params.issuer);
    const rest = { subject: "1", profile: {}, claims: {}, returnTo: "/" };
    const result = { ...rest, issuer, data: {}, tokens: { accessToken: "a" } };
    await assertRejects(
      () => tokens.save(context, { ok: true, ...result }),
      TypeError,
      "Cannot keep tokens",
    );
    return new Response("refused");
  });
  const browser = await app.logIn();
  const issuer = encodeURIComponent(app.provider.issuer);
  const saved = await browser.fetch(`/save/${issuer}`, { method: "POST" });
  assertEquals(await saved.text(), "refused");
  await browser.fetch("/logout", { method: "POST" });
  const again = await browser.fetch("/save/x", { method: "POST" });
  assertEquals(await again.text(), "refused");
});

Deno.test("save() rejects tokens that are too large, and omits a large ID token", async () => {
  const app = await TokenApp.create();
  app.provider.faults = {
    token: (token) => ({ ...token, access_token: "a".repeat(41_000) }),
    claims: ({ at_hash: _, ...claims }) => claims,
    respond: ({ path }) =>
      path === "/userinfo" ? Response.json(app.provider.user) : undefined,
  };
  await assertRejects(() => app.logIn());
  app.provider.faults = {
    claims: (claims) => ({ ...claims, groups: "g".repeat(31_000) }),
  };
  const browser = await app.logIn();
  assert((await tokenOf(browser)).ok);
});
