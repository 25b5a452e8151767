import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { createFactorApp, unlimited } from "../_second_factor_app.ts";
import { codes } from "./_codes.ts";

Deno.test("completeFirstFactor() logs in a user without a second factor", async () => {
  const browser = createFactorApp().browser();
  assert(await browser.login());
  assertEquals(await browser.user(), "200");
  assertEquals((await browser.get("/two")).status, 401);
});

Deno.test("verifyCode() completes the login with the code of the app (ASVS 6.3.3)", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  assertEquals(await browser.login(), false);
  assertEquals(await browser.user(), "401");
  assertEquals(await browser.send(await app.code(secret)), "ok");
  assertEquals(await browser.user(), "200");
  assertEquals(await (await browser.get("/session")).json(), {
    userId: 1,
    authMethods: { pwd: app.now(), otp: app.now(), mfa: app.now() },
  });
  assertEquals((await browser.get("/two")).status, 200);
  assertEquals(await browser.send(await app.code(secret)), "missing");
});

Deno.test("completeFirstFactor() ends the oldest login that waits for a code if a user has 20 of them", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable(1);
  await app.enable(2);
  const other = app.browser();
  await other.login(2);
  const browsers = [];
  for (let count = 0; count < 25; count++) {
    const browser = app.browser();
    await browser.login(1);
    browsers.push(browser);
    app.wait(1);
  }
  const pending = await Promise.all(
    browsers.map(async (browser) => (await browser.get("/pending")).json()),
  );
  assertEquals(pending.map((one) => one !== null), [
    ...Array(5).fill(false),
    ...Array(20).fill(true),
  ]);
  assert(await (await other.get("/pending")).json() !== null);
  assertEquals(await browsers[0]!.send(await app.code(secret)), "missing");
  assertEquals(await browsers[5]!.send(await app.code(secret)), "ok");
});

Deno.test("completeFirstFactor() bounds concurrent logins of a user", async () => {
  const app = createFactorApp();
  await app.enable(1);
  const keys = async () => {
    const all: string[] = [];
    for (const key of (await app.store.keys!()).keys) {
      if (key.startsWith("one-time:")) all.push(key);
    }
    return all.length;
  };
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      Array.from({ length: 40 }, () => app.browser().login(1)),
    );
  }
  await app.browser().login(1);
  assert(await keys() <= 20);
});

Deno.test("pendingLogin() returns the user, the methods and the data", async () => {
  const app = createFactorApp();
  await app.enable();
  const browser = app.browser();
  assertEquals(await (await browser.get("/pending")).json(), null);
  await browser.login();
  assertEquals(await (await browser.get("/pending")).json(), {
    userId: 1,
    methods: ["pwd"],
    data: "/inbox",
  });
});

for (
  const [offset, result] of [
    [-2, "wrong"],
    [-1, "ok"],
    [0, "ok"],
    [1, "ok"],
    [2, "wrong"],
  ] as const
) {
  Deno.test(`verifyCode() finds a code of ${offset} steps ${result} (RFC 6238, section 5.2; ASVS 6.5.5)`, async () => {
    const app = createFactorApp();
    const { secret } = await app.enable();
    app.wait(120_000);
    const browser = app.browser();
    await browser.login();
    assertEquals(await browser.send(await app.code(secret, offset)), result);
  });
}

Deno.test("verifyCode() accepts a code once, in any browser (RFC 6238, section 5.2; ASVS 6.5.1)", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const code = await app.code(secret);
  const first = app.browser();
  await first.login();
  assertEquals(await first.send(code), "ok");
  const second = app.browser();
  await second.login();
  assertEquals(await second.send(code), "wrong");
  // An earlier step does not work after a later one.
  assertEquals(await second.send(await app.code(secret, -1)), "wrong");
  assertEquals(await second.send(await app.code(secret, 1)), "ok");
});

Deno.test("verifyCode() does not accept the code of the set-up again", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.login();
  assertEquals(await browser.send(await app.code(secret, -1)), "wrong");
});

Deno.test("verifyCode() gives one of 100 concurrent requests with one code the login", async () => {
  const app = createFactorApp({ throttle: unlimited });
  const { secret } = await app.enable();
  const code = await app.code(secret);
  const browsers = Array.from({ length: 100 }, () => app.browser());
  await Promise.all(browsers.map((browser) => browser.login()));
  const results = await Promise.all(browsers.map((one) => one.send(code)));
  assertEquals(results.filter((result) => result === "ok").length, 1);
  // A completed login ends the others of the user that wait for a code.
  const others = results.filter((result) => result !== "ok");
  assert(others.every((one) => one === "wrong" || one === "missing"));
});

for (const [what, code] of codes) {
  Deno.test(`verifyCode() finds ${what} wrong, and never throws`, async () => {
    const app = createFactorApp();
    await app.enable();
    const browser = app.browser();
    await browser.login();
    assertEquals(await browser.send(code), "wrong");
    assertEquals(await browser.user(), "401");
  });
}

Deno.test("verifyCode() ignores spaces and hyphens in a code", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.login();
  const code = await app.code(secret);
  const typed = ` ${code.slice(0, 3)} ${code.slice(3)}\n`;
  assertEquals(await browser.send(typed), "ok");
});

Deno.test("confirmCode() renews the proof of a logged-in user (ASVS 7.5.3)", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  assertEquals(await browser.send("123456", "/confirm"), "missing");
  await browser.login();
  await browser.send(await app.code(secret));
  assertEquals((await browser.get("/fresh")).status, 200);
  app.wait(90_000);
  assertEquals((await browser.get("/fresh")).status, 401);
  assertEquals(await browser.send("000000", "/confirm"), "wrong");
  const before = browser.cookie();
  assertEquals(await browser.send(await app.code(secret), "/confirm"), "ok");
  assertNotEquals(browser.cookie(), before);
  assertEquals((await browser.get("/fresh")).status, 200);
});

Deno.test("completeSecondFactor() completes a login with a passkey of the application", async () => {
  const app = createFactorApp({ hasOtherFactor: (id) => id === 2 });
  const browser = app.browser();
  assertEquals(await (await browser.post("/passkey")).json(), null);
  assertEquals(await browser.login(2), false);
  assertEquals(await browser.user(), "401");
  assertEquals(await browser.send("123456"), "wrong");
  assertEquals(await (await browser.post("/passkey")).json(), 2);
  const times = { pwd: app.now(), hwk: app.now(), mfa: app.now() };
  assertEquals(
    (await (await browser.get("/session")).json()).authMethods,
    times,
  );
  assertEquals(await (await browser.post("/passkey")).json(), null);
});

Deno.test("verifyCode() fails if no secret decrypts the factor, and logs no user in", async () => {
  const store = createMemorySessionStore();
  const { secret } = await createFactorApp({ store }).enable();
  const secrets = ["another secret of the second factors in tests"];
  const app = createFactorApp({ store, secrets });
  const browser = app.browser();
  assertEquals(await browser.login(), false);
  const response = await browser.send(await app.code(secret)).catch(() =>
    "500"
  );
  assertEquals(response, "500");
  assertEquals(await browser.user(), "401");
});

Deno.test("completeFirstFactor() rejects if the store fails, and logs no user in", async () => {
  const memory = createMemorySessionStore();
  let fails = false;
  const app = createFactorApp({
    store: {
      get(key) {
        if (fails) throw new Error("down");
        return memory.get(key);
      },
      put: (key, value, options) => memory.put(key, value, options),
      delete: (key) => memory.delete(key),
    },
  });
  await app.enable();
  fails = true;
  await assertRejects(() => app.factors.status(1), Error, "the store failed");
  const response = await app.fetch(
    new Request("https://test.example/login/1", { method: "POST" }),
  );
  assertEquals(response.status, 503);
  assertEquals(response.headers.getSetCookie(), []);
});
