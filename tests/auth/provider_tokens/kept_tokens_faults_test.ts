// Kept tokens with stores and providers that fail.
import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { endUserSessions, type SessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { until } from "../../_wait.ts";
import { clientOf, ORIGIN } from "../_login.ts";
import { TestProvider, USER } from "../_test_provider.ts";
import { fetchBy, SECRET, seenBy, TokenApp, tokenKeys } from "../_token_app.ts";

const USER_ID = `user of ${USER.sub}`;

Deno.test("a back-channel logout removes the other tokens if the store fails for one user", async () => {
  const faults = { key: "" };
  const app = await TokenApp.create({
    keep: { owner: "user" },
    store: (memory) => ({
      ...storeOf(memory),
      put: (key, ...rest) => {
        if (key === faults.key) throw new Error("The store fails");
        return memory.put(key, ...rest);
      },
    }),
  });
  const keys = await connectUsers(app, 3);
  faults.key = keys[0]!;
  await app.logOut({ sub: USER.sub });
  assertEquals(await connectedKeys(app), [keys[0]]);
  assertEquals(app.revoked.length, 4);
});

Deno.test("a back-channel logout waits for the provider once, not for each user", async () => {
  const app = await TokenApp.create({ keep: { owner: "user" } });
  await connectUsers(app, 3);
  const gate = Promise.withResolvers<Response>();
  let left: Promise<string[]> | undefined;
  app.provider.faults = {
    respond: ({ path }) => {
      if (path !== "/revoke") return undefined;
      // Before the first wait, all tokens are removed.
      left ??= connectedKeys(app);
      return gate.promise.then((one) => one.clone());
    },
  };
  await app.logOut({ sub: USER.sub });
  assertEquals(await left, []);
  gate.resolve(new Response());
  await until(() => app.revoked.length === 6);
});

Deno.test("endUserSessions() sends no token to another provider", async () => {
  const app = await TokenApp.create({ keep: { owner: "user" } });
  const other = await TestProvider.create("https://other.example");
  other.now = app.provider.now;
  const { store } = app;
  const client = clientOf(other, { name: "other", now: other.now });
  const keep = { store, secrets: [SECRET], owner: "user" } as const;
  const tokens = keepTokens(client, keep);
  const browser = await app.logIn();
  app.first.router.post("/save", async (context) => {
    await tokens.save(context, {
      ok: true,
      issuer: other.issuer,
      subject: "1",
      profile: {},
      claims: {},
      returnTo: "/",
      data: {},
      tokens: { accessToken: "of the other provider" },
    });
    return new Response();
  });
  assert((await browser.fetch("/save", { method: "POST" })).ok);
  const own = await seenBy(browser);
  await endUserSessions(store, USER_ID);
  assertEquals(app.revoked.length, 2);
  assert(app.revoked.includes(own));
  const revoked = other.requests.filter(({ path }) => path === "/revoke")
    .map(({ form }) => form.get("token"));
  assertEquals(revoked, ["of the other provider"]);
});

Deno.test("keepTokens() stops if the store refuses each write", async () => {
  const faults = { refuses: false };
  const app = await TokenApp.create({
    store: (memory) => ({
      ...storeOf(memory),
      put: (key, ...rest) => {
        if (!faults.refuses || !key.startsWith("tokens:")) {
          return memory.put(key, ...rest);
        }
        return false;
      },
    }),
    keep: { waitTimeout: 200 },
  });
  const browser = await app.logIn();
  faults.refuses = true;
  // A new login, the end of the tokens, and a refresh without a lease.
  await assertRejects(() => app.logIn(), Error);
  const end = await browser.fetch("/disconnect", { method: "POST" });
  assertEquals(end.status, 500);
  app.expire();
  assertEquals(await seenBy(browser), "unavailable");
  assertEquals(app.refreshes, 0);
});

for (
  const [name, respond, seen] of [
    ["tokens", undefined, "500"],
    ["a failure", () => new Response(null, { status: 503 }), "unavailable"],
    ["an end", () => {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }, "ended"],
  ] as const
) {
  Deno.test(`get() stops if the store refuses each write after a refresh with ${name}`, async () => {
    const faults = { refuses: false };
    const app = await TokenApp.create({
      store: (memory) => ({
        ...storeOf(memory),
        put: (key, ...rest) => {
          const isRefused = faults.refuses && key.startsWith("tokens:");
          return isRefused ? false : memory.put(key, ...rest);
        },
      }),
    });
    const browser = await app.logIn();
    app.provider.faults = {
      respond: ({ path }) => {
        if (path !== "/token") return undefined;
        faults.refuses = true;
        return respond?.();
      },
    };
    app.expire();
    const result = await fetchBy(browser, app.first)
      .then((one) => one.ok ? "ok" : one.reason, (error) => error.message);
    assertEquals(result, seen);
    assertEquals(app.refreshes, 1);
  });
}

Deno.test("get() keeps the rotated refresh token if the token type is wrong", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = { token: (token) => ({ ...token, token_type: "mac" }) };
  app.expire();
  assertEquals(await seenBy(browser), "unavailable");
  app.provider.faults = {};
  app.wait(1_000);
  assert((await fetchBy(browser, app.first)).ok);
});

function storeOf(memory: SessionStore): SessionStore {
  return {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
}

/** Connects the same account of the provider to several users. */
async function connectUsers(app: TokenApp, count: number): Promise<string[]> {
  for (let user = 1; user <= count; user++) {
    const browser = createTestClient(app.first.router, { origin: ORIGIN });
    await browser.fetch(`/password/${user}`, { method: "POST" });
    await app.logInAgain(browser, {}, "/connect");
  }
  const keys = await connectedKeys(app);
  assertEquals(keys.length, count);
  return keys;
}

async function connectedKeys(app: TokenApp): Promise<string[]> {
  return [...await tokenKeys(app, `sub:${app.provider.issuer}|${USER.sub}`)];
}

Deno.test("get() returns ended if the provider has another issuer now, and sends it no token", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.expire();
  const other = await TestProvider.create("https://other.example");
  const { now } = app.provider;
  const client = clientOf(other, { now });
  const { store } = app;
  const tokens = keepTokens(client, { store, secrets: [SECRET] });
  const router = createRouter({
    middleware: [session({ store, now, timeouts: { idle: 43_200_000 } })],
  });
  router.get("/token", async (context) => {
    return Response.json(await tokens.get(context));
  });
  const result = await fetchBy(browser, { router, tokens });
  assertEquals([result.ok, !result.ok && result.reason], [false, "ended"]);
  assertEquals(other.count("/token"), 0);
});

Deno.test("get() frees no lease of another process if the provider's keys are unavailable", async () => {
  const gate = Promise.withResolvers<void>();
  const app: TokenApp = await TokenApp.create({
    keep: { waitTimeout: 100 },
    client: {
      timeout: 60_000,
      fetch: async (url, init) => {
        const response = await app.provider.fetch(url, init);
        if (url.endsWith("/token") && app.refreshes === 1) await gate.promise;
        return response;
      },
    },
  });
  const browser = await app.logIn();
  app.expire();
  const refreshing = fetchBy(browser, app.first);
  await app.hasRefreshed(1);

  app.provider.faults = { keys: () => "no object" };
  const failed = await fetchBy(browser, app.start());
  assertEquals(!failed.ok && failed.error?.code, "keys_failed");
  app.provider.faults = {};
  // The pause after the failure is over, and the lease is not.
  app.wait(2_000);
  const waiting = await fetchBy(browser, app.start());
  assertEquals(!waiting.ok && waiting.reason, "unavailable");
  assertEquals(app.refreshes, 1);
  gate.resolve();
  assert((await refreshing).ok);
});

Deno.test("get() stores the end of a connection although another request was faster once", async () => {
  let refusals = 0;
  const app = await TokenApp.create({
    store: (memory) => ({
      ...storeOf(memory),
      put: (key, ...rest) => {
        const isRefused = refusals > 0 && key.startsWith("tokens:");
        return isRefused && refusals-- > 0 ? false : memory.put(key, ...rest);
      },
    }),
  });
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) => {
      if (path !== "/token") return undefined;
      refusals = 1;
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    },
  };
  app.expire();
  assertEquals(await seenBy(browser), "ended");
  assertEquals(await seenBy(browser), "ended");
  assertEquals([app.refreshes, refusals], [1, 0]);
});
