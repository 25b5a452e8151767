// The record of a user: factors, logins that wait, and failures.
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import { createFactorApp, unlimited } from "../_second_factor_app.ts";
import { slow } from "../_slow_store.ts";

/** Returns the key of the only record. */
async function recordKey(store: SessionStore): Promise<string> {
  const { keys } = await store.keys!();
  const own = keys.filter((key) => /^second-factor:[\w-]{43}$/.test(key));
  assertEquals(own.length, 1);
  return own[0]!;
}

/** Changes the stored record of the only user. */
async function tamper(
  store: SessionStore,
  change: (record: Record<string, unknown>) => unknown,
): Promise<void> {
  const key = await recordKey(store);
  const { value, version } = (await store.get(key))!;
  const next = change(JSON.parse(value));
  const text = typeof next === "string" ? next : JSON.stringify(next);
  assert(await store.put(key, text, { ttl: 1e9, ifVersion: version }));
}

const malformed: unknown[] = [
  "x",
  7,
  {},
  [null],
  ["x"],
  [[]],
  [["hash"]],
  [["hash", null]],
  [["hash", {}]],
  [["hash", { expiresAt: 9e15 }]],
  [["hash", { expiresAt: 9e15, methods: [1] }]],
  [["hash", { expiresAt: 9e15, methods: [], devices: "x" }]],
  [["hash", { expiresAt: 9e15, methods: [], data: {} }]],
  [[1, { expiresAt: 9e15, methods: [] }]],
];

for (const waiting of malformed) {
  Deno.test(`a malformed login that waits leaves the factors as they are: ${JSON.stringify(waiting)}`, async () => {
    const app = createFactorApp();
    const { secret } = await app.enable();
    await tamper(app.store, (record) => ({ ...record, waiting }));
    assertEquals((await app.factors.status(1)).totp, true);
    const browser = app.browser();
    assertEquals(await browser.login(), false);
    assertEquals(await browser.send(await app.code(secret)), "ok");
  });
}

for (
  const counts of [
    null,
    7,
    "x",
    [],
    { account: "x", pairs: "x", devices: "x" },
    { account: [[1]], pairs: [null, [], ["x"]], devices: [null, [], ["x"]] },
    { account: [[["x", 1]], 0], pairs: [[1, [[], "x"]]], devices: [[1, 2]] },
  ]
) {
  Deno.test(`malformed counts of a user count as no failures: ${JSON.stringify(counts)}`, async () => {
    const app = createFactorApp();
    const { secret } = await app.enable();
    const browser = app.browser();
    await browser.login();
    await tamper(app.store, (record) => ({ ...record, counts }));
    assertEquals(await browser.send("000000"), "wrong");
    assertEquals(await browser.send(await app.code(secret)), "ok");
  });
}

for (const record of ["null", "{", "7", "[]", "{}", '{"id":"a"}', ""]) {
  Deno.test(`a user whose factors are malformed in the store does not log in without them: ${record}`, async () => {
    const app = createFactorApp();
    await app.enable();
    await tamper(app.store, () => record);
    const response = await app.browser().post("/login/1").catch(() => null);
    assert(response === null || response.status === 500);
  });
}

Deno.test("factors that an earlier version has stored keep working, with their hashes", async () => {
  const app = createFactorApp();
  const { secret, codes } = await app.enable();
  await tamper(app.store, ({ id, totp, recovery }) => ({ id, totp, recovery }));
  for (const code of [await app.code(secret), codes[0]]) {
    const browser = app.browser();
    assertEquals(await browser.login(), false);
    assertEquals(await browser.send(code), "ok");
  }
  assertEquals((await app.factors.status(1)).recoveryCodes, 9);
});

Deno.test("a session that an earlier version has stored has no pending login", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.post("/plant");
  assertEquals(await browser.send(await app.code(secret)), "missing");
});

// Pauses between tries grow with the time of a try, which is long on a busy machine.
Deno.test(
  "verifyCode() counts 200 concurrent guesses at one account from 20 addresses",
  { timeout: 300_000 },
  async () => {
    const app = createFactorApp({ store: slow(createMemorySessionStore()) });
    await app.enable();
    const guesses = [];
    for (let n = 0; n < 20; n++) {
      const browser = app.browser(`198.51.100.${n}`);
      await browser.login();
      guesses.push(...Array(10).fill(() => browser.send("000000")));
    }
    const results = await Promise.all(
      // A request that is overtaken each time gets a 409, and no verdict.
      guesses.map((guess) => guess().catch(() => "409")),
    );
    const wrong = results.filter((result) => result === "wrong");
    assert(wrong.length > 0 && wrong.length <= 40, `${wrong.length} guesses`);
  },
);

Deno.test("verifyCode() gives no verdict before the attempt is stored", async () => {
  const memory = createMemorySessionStore();
  let fails = false;
  const app = createFactorApp({
    store: {
      get: (key) => memory.get(key),
      put(key, value, options) {
        if (fails) throw new Error("down");
        return memory.put(key, value, options);
      },
      delete: (key) => memory.delete(key),
    },
  });
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.login();
  fails = true;
  for (const code of ["000000", await app.code(secret)]) {
    assertEquals(await browser.send(code).catch(() => "503"), "503");
    assertEquals(await browser.user(), "401");
  }
  fails = false;
  assertEquals(await browser.send(await app.code(secret)), "ok");
});

Deno.test("verifyCode() does not let concurrent correct codes pass the limit of their address", async () => {
  const memory = createMemorySessionStore();
  const gate = Promise.withResolvers<void>();
  let isGated = false;
  let decided = 0;
  // No code is used up before each of the five requests is refused or wants to.
  const decide = () => {
    if (++decided === 5) gate.resolve();
  };
  const app = createFactorApp({
    store: {
      get: (key) => memory.get(key),
      async put(key, value, options) {
        if (isGated && key.startsWith("second-factor:")) {
          decide();
          await gate.promise;
        }
        return memory.put(key, value, options);
      },
      delete: (key) => memory.delete(key),
    },
  });
  const logins = [];
  for (let id = 1; id <= 5; id++) {
    const { secret } = await app.enable(id);
    const browser = app.browser();
    await browser.login(id);
    logins.push({ browser, secret });
  }
  // 99 of 100 failures of the address, with other accounts.
  for (let n = 0; n < 99; n++) {
    const id = 10 + Math.floor(n / 5);
    if (n % 5 === 0) await app.enable(id);
    const browser = app.browser();
    await browser.login(id);
    assertEquals(await browser.send("000000"), "wrong");
  }
  isGated = true;
  const results = await Promise.all(
    logins.map(async ({ browser, secret }) => {
      const result = await browser.send(await app.code(secret));
      if (result === "throttled") decide();
      return result;
    }),
  );
  assertEquals(results.toSorted(), ["ok", ...Array(4).fill("throttled")]);
});

Deno.test("100 concurrent logins of a user all wait for their codes", async () => {
  const app = createFactorApp({
    store: slow(createMemorySessionStore()),
    throttle: unlimited,
  });
  await app.enable();
  const browsers = Array.from({ length: 100 }, () => app.browser());
  const results = await Promise.all(browsers.map((one) => one.login()));
  assertEquals(results.filter((isIn) => isIn), []);
  const pending = await Promise.all(
    browsers.map(async (one) => (await one.get("/pending")).json()),
  );
  assertEquals(pending.filter((one) => one !== null).length, 20);
});

Deno.test("large data of logins that wait does not keep the user from logging in", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  for (let n = 0; n < 20; n++) {
    assertEquals((await app.browser().post("/large/1")).status, 200);
  }
  const { value } = (await app.store.get(await recordKey(app.store)))!;
  assert(value.length < 40_000, `${value.length}`);
  const browser = app.browser();
  await browser.login();
  assertEquals(await browser.send(await app.code(secret)), "ok");
});
