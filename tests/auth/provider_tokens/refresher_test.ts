import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { fetchBy, seenBy, TokenApp, tokenOf } from "../_token_app.ts";

Deno.test("get() refreshes a token that is valid for less than minimumValidity", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.get = { minimumValidity: 1_000_000 };
  app.wait(2_599_000);
  await tokenOf(browser);
  assertEquals(app.refreshes, 0);
  app.wait(2_000);
  await tokenOf(browser);
  assertEquals(app.refreshes, 1);
  // A token lives for an hour, so no later request can get two hours.
  app.get = { minimumValidity: 7_200_000 };
  await tokenOf(browser);
  assertEquals(app.refreshes, 1);
  // A token is never returned at its expiry.
  app.get = { minimumValidity: 0 };
  app.expire();
  await tokenOf(browser);
  assertEquals(app.refreshes, 2);
  for (const minimumValidity of [-1, NaN]) {
    app.get = { minimumValidity };
    await assertRejects(() => tokenOf(browser), Error, "500");
  }
});

Deno.test("get() sends one token request for 100 requests to each of three processes", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const processes = [app.first, app.start(), app.start()];
  for (let round = 1; round <= 3; round++) {
    app.expire();
    const results = await Promise.all(
      processes.flatMap((one) =>
        Array.from({ length: 100 }, () => fetchBy(browser, one))
      ),
    );
    assert(results.every(({ ok }) => ok));
    assertEquals(new Set(results.map((one) => JSON.stringify(one))).size, 1);
    assertEquals(app.refreshes, round);
  }
});

Deno.test("get() sends one token request if the provider returns the same access token", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const first = await tokenOf(browser);
  assert(first.ok);
  app.provider.faults = {
    token: (token) => ({ ...token, access_token: first.accessToken }),
    claims: ({ at_hash: _, ...claims }) => claims,
  };
  app.expire();
  const other = app.start();
  const results = await Promise.all(
    [app.first, other, app.first, other].map((one) => fetchBy(browser, one)),
  );
  assert(results.every(({ ok }) => ok));
  assertEquals(app.refreshes, 1);
});

Deno.test("get() returns ended if the provider refuses the refresh token, and asks it only once", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token"
        ? Response.json({
          error: "invalid_grant",
          error_description: "grant was revoked",
        }, { status: 400 })
        : undefined,
  };
  app.expire();
  const result = await tokenOf(browser);
  assert(!result.ok);
  assertEquals(result.reason, "ended");
  const { providerError, providerErrorDescription, status } = app.errors[0]!;
  assertEquals(
    [providerError, providerErrorDescription, status],
    ["invalid_grant", "grant was revoked", 400],
  );
  for (let count = 0; count < 5; count++) {
    assertEquals(await seenBy(browser), "ended");
  }
  assertEquals(app.refreshes, 1);
  app.provider.faults = {};
  await app.logInAgain(browser);
  assert((await tokenOf(browser)).ok);
});

Deno.test("get() returns unavailable while the provider fails, with pauses that grow", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token" ? new Response(null, { status: 503 }) : undefined,
  };
  app.expire();
  for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    const { error: _, ...result } = await tokenOf(browser) as {
      error: unknown;
    };
    assertEquals<unknown>(result, {
      ok: false,
      reason: "unavailable",
      retryAfter: seconds,
    });
    await tokenOf(browser);
    assertEquals(app.refreshes, index + 1);
    app.wait(seconds * 1_000);
  }
  app.provider.faults = {};
  assert((await tokenOf(browser)).ok);
});

Deno.test("get() returns ended if the provider refuses the refresh token of a token that is still valid", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token"
        ? Response.json({ error: "invalid_grant" }, { status: 400 })
        : undefined,
  };
  app.wait(3_580_000);
  assertEquals(await seenBy(browser), "ended");
});

Deno.test("get() keeps a rotated refresh token if the new ID token can't be checked", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    idToken: (idToken) => idToken.slice(0, -8) + "AAAAAAAA",
  };
  app.expire();
  const failed = await tokenOf(browser);
  assert(!failed.ok && failed.reason === "unavailable");
  assertEquals(failed.error?.code, "id_token_invalid");
  app.provider.faults = {};
  app.wait(1_000);
  assert((await tokenOf(browser)).ok);
  const [old, rotated] = app.provider.requests.filter(({ form }) =>
    form.get("grant_type") === "refresh_token"
  ).map(({ form }) => form.get("refresh_token"));
  assertNotEquals(rotated, old);
});

Deno.test("get() returns ended after the expiry if there is no refresh token", async () => {
  const app = await TokenApp.create();
  app.provider.faults = { token: ({ refresh_token: _, ...token }) => token };
  const browser = await app.logIn();
  assert((await tokenOf(browser)).ok);
  app.expire();
  assertEquals(await seenBy(browser), "ended");
  assertEquals(app.refreshes, 0);
});

Deno.test("get() does not refresh a short-lived token with each request", async () => {
  const app = await TokenApp.create();
  app.provider.faults = { token: (token) => ({ ...token, expires_in: 10 }) };
  const browser = await app.logIn();
  await tokenOf(browser);
  app.wait(5_000);
  await tokenOf(browser);
  assertEquals(app.refreshes, 0);
  app.wait(1);
  await tokenOf(browser);
  assertEquals(app.refreshes, 1);
});

Deno.test("get() returns the scopes that a refresh narrowed (RFC 6749, section 6)", async () => {
  const app = await TokenApp.create();
  app.provider.faults = { token: (token) => ({ ...token, scope: "a b" }) };
  const browser = await app.logIn();
  const first = await tokenOf(browser);
  assertEquals(first.ok && first.scope, "a b");
  app.provider.faults = { token: (token) => ({ ...token, scope: "a" }) };
  app.expire();
  const second = await tokenOf(browser);
  assertEquals(second.ok && second.scope, "a");
});

Deno.test("get() keeps the refresh token if the provider does not rotate it", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  let next = 0;
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/token"
        ? Response.json({
          access_token: `token ${++next}`,
          token_type: "Bearer",
          expires_in: 3600,
        })
        : undefined,
  };
  app.expire();
  assertEquals(await seenBy(browser), "token 1");
  app.expire();
  assertEquals(await seenBy(browser), "token 2");
});

Deno.test("get() ends the wait if the signal is aborted, and the tokens are stored", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  const first = await seenBy(browser);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  app.provider.faults = {
    respond: ({ path }) => path === "/token" ? promise : undefined,
  };
  app.expire();
  const controller = new AbortController();
  app.get = { signal: controller.signal };
  const waiting = browser.fetch("/token");
  await app.hasRefreshed(1);
  controller.abort();
  assertEquals((await waiting).status, 500);
  app.get = {};
  resolve(undefined);
  const second = await tokenOf(browser);
  assert(second.ok);
  assertNotEquals(second.accessToken, first);
  assertEquals(app.refreshes, 1);
});

Deno.test("get() refreshes a token at its expiry, also with minimumValidity 0", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.get = { minimumValidity: 0 };
  app.wait(3_599_999);
  assert((await tokenOf(browser)).ok);
  assertEquals(app.refreshes, 0);
  app.wait(1);
  assert((await tokenOf(browser)).ok);
  assertEquals(app.refreshes, 1);
});

Deno.test("get() does not wait for a refresh if its signal is aborted already", async () => {
  const gate = Promise.withResolvers<Response>();
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) => path === "/token" ? gate.promise : undefined,
  };
  app.expire();
  app.get = { signal: AbortSignal.abort() };
  const answer = tokenOf(browser).then(
    () => "waited",
    ({ message }) => message,
  );
  await app.hasRefreshed(1);
  gate.resolve(new Response(null, { status: 503 }));
  assertEquals(await answer, "500");
  // The refresh itself continues, and the next request waits for its end.
  app.get = {};
  assertEquals(await seenBy(browser), "unavailable");
  assertEquals([app.errors.length, app.refreshes], [1, 1]);
});

Deno.test("get() ends the connection if the refreshed tokens are too large to keep", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    token: (token) => ({ ...token, scope: "s".repeat(50_000) }),
  };
  app.expire();
  const result = await tokenOf(browser);
  assert(!result.ok && result.reason === "ended");
  assertEquals(result.error?.code, "token_response_invalid");
  app.provider.faults = {};
  assertEquals(await seenBy(browser), "ended");
  assertEquals(app.refreshes, 1);
});
