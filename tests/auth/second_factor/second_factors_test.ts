import {
  createSecondFactors,
  type TOTPConfirmation,
} from "@gatehouse/web/auth/second-factor";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { createFactorApp, SECRET, unlimited } from "../_second_factor_app.ts";

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

const codes: [string, unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["a number", 123456],
  ["an array", ["123456"]],
  ["an object", {}],
  ["an empty string", ""],
  ["five digits", "12345"],
  ["seven digits", "1234567"],
  ["letters", "abcdef"],
  ["full-width digits", "１２３４５６"],
  ["a sign", "-12345"],
  ["an exponent", "1e5000"],
  ["a NUL", "12345\0"],
  ["a lone surrogate", "\ud800"],
  ["a long string", "1".repeat(1_000_000)],
  ["__proto__", "__proto__"],
];

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

Deno.test("enableTOTP() requires a code of the app, and keeps the set-up for the next try", async () => {
  const { factors, code, own } = createFactorApp();
  const first = await factors.createTOTP(1, "ada@example.com");
  const enable = (form: TOTPConfirmation) =>
    own(1, (context) => factors.enableTOTP(context, form));
  const wrong = await enable({ ...first, code: "000000" });
  assert(!wrong.ok && wrong.reason === "wrong");
  assertEquals(wrong.setup, first);
  assertEquals((await factors.status(1)).totp, false);
  const form = { ...wrong.setup, code: await code(first.secret) };
  assert((await enable(form)).ok);
  const { totp, recoveryCodes } = await factors.status(1);
  assertEquals([totp, recoveryCodes], [true, 10]);
});

Deno.test("enableTOTP() refuses an old set-up, and that of another user", async () => {
  const app = createFactorApp();
  const { secret, setup } = await app.factors.createTOTP(1, "ada");
  const expired = { ok: false, reason: "expired" } as const;
  const enable = async (userId: number, setup: unknown) => {
    const form = { setup, code: await app.code(secret) };
    return await app.own(
      userId,
      (context) => app.factors.enableTOTP(context, form),
    );
  };
  assertEquals(await enable(2, setup), expired);
  for (const bad of [undefined, null, 7, "", "x", `${setup}x`, [setup]]) {
    assertEquals(await enable(1, bad), expired);
  }
  app.wait(15 * 60_000);
  assertEquals(await enable(1, setup), expired);
});

Deno.test("createTOTP() creates a URI that authenticator apps read", async () => {
  const { factors } = createFactorApp({ issuer: "Ada & Söhne" });
  const { secret, uri } = await factors.createTOTP(1, "ada+1:x@example.com");
  assertMatch(secret, /^[A-Z2-7]{32}$/);
  assertEquals(
    uri,
    "otpauth://totp/Ada%20%26%20S%C3%B6hne:ada%2B1%20x%40example.com" +
      `?secret=${secret}&issuer=Ada%20%26%20S%C3%B6hne` +
      "&algorithm=SHA1&digits=6&period=30",
  );
  const other = await factors.createTOTP(1, "ada");
  assertNotEquals(other.secret, secret);
});

for (const method of ["disable", "remove"] as const) {
  Deno.test(`${method}() removes the second factor`, async () => {
    const app = createFactorApp();
    const { secret } = await app.enable();
    const pending = app.browser();
    await pending.login();
    if (method === "remove") await app.factors.remove(1);
    else assert(await app.own(1, (context) => app.factors.disable(context)));
    assertEquals(await app.factors.status(1), {
      totp: false,
      totpSince: undefined,
      recoveryCodes: 0,
    });
    assertEquals(await pending.send(await app.code(secret)), "missing");
    assert(await app.browser().login());
  });
}

Deno.test("createSecondFactors() keeps no secret and no code in the store (ASVS 6.5.2)", async () => {
  const values: string[] = [];
  const memory = createMemorySessionStore();
  const app = createFactorApp({
    store: {
      get: (key) => memory.get(key),
      put(key, value, options) {
        values.push(key, value);
        return memory.put(key, value, options);
      },
      delete: (key) => memory.delete(key),
      byIndex: (name) => memory.byIndex!(name),
    },
  });
  const { secret, codes } = await app.enable();
  const browser = app.browser();
  await browser.login();
  await browser.send(codes[0]);
  const stored = values.join("\n").toLowerCase();
  for (
    const code of [
      ...codes,
      ...codes.map((one) => one.replaceAll("-", "")),
    ]
  ) {
    assert(!stored.includes(code));
  }
  assert(!stored.includes(secret.toLowerCase()));
  assertStringIncludes(stored, "second-factor:");
});

Deno.test("reencrypt() moves a secret to the first of the keys", async () => {
  const store = createMemorySessionStore();
  const fresh = "second secret of the second factors in tests";
  const old = createFactorApp({ store });
  const { secret } = await old.enable();
  const both = createFactorApp({ store, secrets: [fresh, SECRET] });
  const browser = both.browser();
  await browser.login();
  assertEquals(await browser.send(await both.code(secret)), "ok");
  await both.factors.reencrypt(1);
  await both.factors.reencrypt(2);

  const later = createFactorApp({ store, secrets: [fresh] });
  const next = later.browser();
  await next.login();
  assertEquals(await next.send(await later.code(secret, 1)), "ok");
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

Deno.test("createSecondFactors() throws for invalid options", () => {
  const store = createMemorySessionStore();
  const valid = { issuer: "Example", store, secrets: [SECRET] };
  const eventual = { ...store, consistency: "eventual" } as const;
  const cases: [object, string][] = [
    [{ issuer: "" }, "issuer"],
    [{ issuer: "a:b" }, "colon"],
    [{ secrets: [] }, "Cannot encrypt second factors: there is no secret"],
    [{ secrets: ["short"] }, "fewer than 32"],
    [{ secrets: ["a".repeat(40)] }, "too easy to guess"],
    [{ store: eventual }, "who uses a code first"],
    [{ pendingTimeout: 0 }, "pendingTimeout"],
    [{ pendingTimeout: 3_600_001 }, "pendingTimeout"],
    [{ rememberFor: NaN }, "rememberFor"],
    [{ storeTimeout: 0 }, "storeTimeout"],
  ];
  for (const [change, message] of cases) {
    assertThrows(
      () => createSecondFactors({ ...valid, ...change }),
      Error,
      message,
    );
  }
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

Deno.test("createTOTP() does not throw on an account with a lone surrogate", async () => {
  const { factors, own } = createFactorApp();
  const { setup, uri } = await factors.createTOTP(1, "ada\ud800@a.test");
  assertStringIncludes(uri, "/Example:ada%EF%BF%BD%40a.test?");
  const form = { setup, code: "none" };
  const wrong = await own(1, (context) => factors.enableTOTP(context, form));
  assert(!wrong.ok && wrong.reason === "wrong");
  assertEquals(wrong.setup.uri, uri);
});
