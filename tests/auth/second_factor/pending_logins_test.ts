/** The cookies between the first and the second factor are not a login. */
import {
  auth,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals, assertNotEquals } from "@std/assert";
import { createFactorApp, type FactorApp } from "../_second_factor_app.ts";

const cookieSecrets = ["a secret of the cookie sessions in these tests"];

/** Sends a request with exactly these cookies. */
async function replay(
  app: FactorApp,
  cookie: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const method = body === undefined ? "GET" : "POST";
  const init = { method, headers: { cookie } };
  return await app.fetch(
    new Request(`https://test.example${path}`, {
      ...init,
      body: body === undefined ? null : JSON.stringify(body),
    }),
  );
}

for (const options of [{}, { cookieSecrets }]) {
  const kind = "cookieSecrets" in options ? "in a cookie" : "in a store";

  Deno.test(`a pending login ${kind} gives no scheme a user`, async () => {
    const app = createFactorApp(options);
    await app.enable();
    const browser = app.browser();
    await browser.login();
    for (const path of ["/user", "/two", "/fresh"]) {
      assertEquals((await browser.get(path)).status, 401, path);
    }
    assertEquals(await (await browser.get("/session")).json(), {
      userId: null,
      authMethods: null,
    });
  });

  Deno.test(`the cookies of a pending login ${kind} do not complete a second login`, async () => {
    const app = createFactorApp(options);
    const { secret, codes } = await app.enable();
    const browser = app.browser();
    await browser.login();
    const stolen = browser.cookie();
    assertEquals(await browser.send(await app.code(secret)), "ok");

    assertEquals((await replay(app, stolen, "/user")).status, 401);
    assertEquals(await (await replay(app, stolen, "/pending")).json(), null);
    for (const code of [await app.code(secret, 1), codes[0]]) {
      const response = await replay(app, stolen, "/code", { code });
      assertEquals(await response.json(), { ok: false, reason: "missing" });
    }
    const passkey = await replay(app, stolen, "/passkey", {});
    assertEquals(await passkey.json(), null);
    // The code was not used up by it.
    assertEquals((await app.factors.status(1)).recoveryCodes, 10);
  });

  Deno.test(`the cookies of a pending login ${kind} expire after ten minutes`, async () => {
    const app = createFactorApp(options);
    const { secret } = await app.enable();
    const browser = app.browser();
    await browser.login();
    const stolen = browser.cookie();
    app.wait(600_000);
    const code = await app.code(secret);
    assertEquals(await browser.send(code), "missing");
    const response = await replay(app, stolen, "/code", { code });
    assertEquals((await response.json()).reason, "missing");
  });

  Deno.test(`a pending login ${kind} belongs to the browser of the first factor`, async () => {
    const app = createFactorApp(options);
    const { secret } = await app.enable();
    await app.browser().login();
    const other = app.browser();
    assertEquals(await other.send(await app.code(secret)), "missing");
    assertEquals(await (await other.get("/pending")).json(), null);
  });

  Deno.test(`revoke() ends pending logins ${kind}`, async () => {
    const app = createFactorApp(options);
    const { secret } = await app.enable();
    const browser = app.browser();
    await browser.login();
    await app.factors.revoke(1);
    assertEquals(await browser.send(await app.code(secret)), "missing");
  });

  Deno.test(`a pending login ${kind} replaces the one before it`, async () => {
    const app = createFactorApp(options);
    await app.enable(1);
    const second = await app.enable(2);
    const browser = app.browser();
    await browser.login(1);
    await browser.login(2);
    assertEquals((await (await browser.get("/pending")).json()).userId, 2);
    assertEquals(await browser.send(await app.code(second.secret)), "ok");
    assertEquals((await (await browser.get("/session")).json()).userId, 2);
  });
}

Deno.test("a planted session does not learn of the first factor", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  await app.enable(2);
  const victim = app.browser();
  // The attacker's session, pending for another user, is planted in the browser.
  await victim.login(2);
  const planted = victim.cookie();
  await victim.login(1);
  assertNotEquals(victim.cookie(), planted);
  const response = await replay(app, planted, "/code", {
    code: await app.code(secret),
  });
  assertEquals((await response.json()).reason, "missing");
});

Deno.test("a pending login does not log out another user of the session, nor log in", async () => {
  const app = createFactorApp();
  await app.enable(2);
  const browser = app.browser();
  await browser.login(1);
  assertEquals(await browser.login(2), false);
  assertEquals((await (await browser.get("/session")).json()).userId, 1);
});

Deno.test("token schemes ignore the cookies of a pending login", async () => {
  const app = createFactorApp();
  await app.enable();
  const browser = app.browser();
  await browser.login();
  const seen: unknown[] = [];
  const verify = (token: string) => {
    seen.push(token);
    return null;
  };
  const router = createRouter({
    middleware: [
      session(),
      auth({
        schemes: [
          createBearerTokenAuthScheme({ name: "tokens", verify }),
          createAPIAuthScheme({ name: "keys", header: "X-API-Key", verify }),
        ],
      }),
    ],
  });
  router.get("/", (context) => {
    return Response.json(context.get(Session).userId ?? null);
  });
  const response = await router.fetch("https://test.example/", {
    headers: { cookie: browser.cookie() },
  });
  assertEquals(await response.json(), null);
  assertEquals(seen, []);
});

Deno.test("two codes in concurrent requests of one browser complete one login", async () => {
  const app = createFactorApp();
  const { secret, codes } = await app.enable();
  const browser = app.browser();
  await browser.login();
  const cookie = browser.cookie();
  const results = await Promise.all(
    [await app.code(secret), codes[0]].map((code) =>
      replay(app, cookie, "/code", { code })
    ),
  );
  const bodies = await Promise.all(results.map((one) => one.json()));
  assertEquals(bodies.filter(({ ok }) => ok).length, 1);
});

Deno.test("verifyCode() reports a code that was used before as token-reuse", async () => {
  const app = createFactorApp({ events: true });
  const { secret } = await app.enable();
  const code = await app.code(secret);
  const [first, second] = [app.browser(), app.browser()];
  await first.login();
  assertEquals(await first.send(code), "ok");
  await second.login();
  assertEquals(await second.send(code), "wrong");
  const reports = await app.reports();
  assertEquals(reports.slice(-2), [
    "token-reuse failure otp 1",
    "login failure second-factor 1",
  ]);
});

Deno.test("verifyCode() reports a wrong code as a failed login only", async () => {
  const app = createFactorApp({ events: true });
  await app.enable();
  const browser = app.browser();
  await browser.login();
  await browser.send("000000");
  const reports = await app.reports();
  assertEquals(reports.filter((one) => one.startsWith("token-reuse")), []);
});
