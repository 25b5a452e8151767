import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import {
  createFactorApp,
  type FactorApp,
  unlimited,
} from "../_second_factor_app.ts";

Deno.test("verifyCode() delays guesses after the fifth (ASVS 6.3.1, 6.5.5)", async () => {
  const app = createFactorApp();
  await app.enable();
  const browser = app.browser();
  await browser.login();
  const results = [];
  for (let guess = 0; guess < 6; guess++) {
    results.push(await browser.send(String(guess).padStart(6, "0")));
  }
  assertEquals(results, [...Array(5).fill("wrong"), "throttled"]);
});

Deno.test("verifyCode() does not verify a correct code while it has to wait", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.login();
  for (let guess = 0; guess < 5; guess++) await browser.send("000000");
  const code = await app.code(secret);
  assertEquals(await browser.send(code), "throttled");
  app.wait(1_000);
  assertEquals(await browser.send(code), "ok");
});

Deno.test("verifyCode() allows fewer than 100 guesses in 30 days, from any number of addresses (NIST SP 800-63B-4, 3.2.2)", async () => {
  const app = createFactorApp();
  await app.enable();
  const day = 86_400_000;
  let guesses = 0;
  // A new address for each guess, and a guess whenever one is allowed.
  for (let elapsed = 0, guess = 0; elapsed < 30 * day; guess++) {
    const browser = app.browser(`198.51.${guess >> 8 & 255}.${guess & 255}`);
    await browser.login();
    const result = await browser.send("000000");
    assert(result !== "ok");
    if (result === "wrong") guesses++;
    else {
      app.wait(day / 24);
      elapsed += day / 24;
    }
  }
  assertLess(guesses, 100);
  // Three codes are valid at a time, so fewer than 300 in a million.
  assertLess(guesses * 3 / 1_000_000, 0.0003);
});

Deno.test("verifyCode() does not exempt browsers that the throttle of passwords knows (ASVS 6.5.5)", async () => {
  const app = createFactorApp();
  await app.enable();
  let guesses = 0;
  // The password is stolen, so each new browser becomes a known device by it.
  for (let count = 0; count < 20; count++) {
    const browser = app.browser(`198.51.100.${count}`);
    await browser.post("/password/1");
    await browser.login();
    for (let guess = 0; guess < 10; guess++) {
      if (await browser.send("000000") === "wrong") guesses++;
    }
  }
  assertLess(guesses, 100);
});

for (const name of ["second-factor:1", "SECOND-FACTOR:1 "]) {
  Deno.test(`verifyCode() does not exempt a browser that logs in as "${name}" (ASVS 6.5.5)`, async () => {
    const app = createFactorApp();
    await app.enable();
    let guesses = 0;
    // The password of user 1 is stolen. The attacker has an account of this name.
    for (let round = 0; round < 20; round++) {
      const browser = app.browser(`198.51.100.${round}`);
      await browser.post(`/password/${encodeURIComponent(name)}`);
      await browser.login();
      for (let guess = 0; guess < 10; guess++) {
        if (await browser.send("000000") === "wrong") guesses++;
      }
    }
    assertLess(guesses, 100);
  });
}

Deno.test("verifyCode() counts guesses of a user together while a secret is added", async () => {
  const accounts = new Set<string | null>();
  const store = createMemorySessionStore();
  const old = "old secret of the second factors in the tests";
  for (
    const secrets of [[old], ["a new secret of the tests, of 43 letters", old]]
  ) {
    for (const userId of [1, 2]) {
      const app = createFactorApp({
        store,
        secrets,
        throttle: {
          ...unlimited,
          attempt: (context, account) => {
            accounts.add(account);
            return unlimited.attempt(context, account);
          },
        },
      });
      await app.enable(userId);
      const browser = app.browser();
      await browser.login(userId);
      await browser.send("000000");
    }
  }
  // One for each user, which an attacker can't register as the name of an account.
  assertEquals(accounts.size, 2);
  for (const account of accounts) assertMatch(account!, /^[\w-]{43}$/);
});

/** Guesses codes with the password, from a new address each time, until a delay. */
async function lockOut(app: FactorApp): Promise<void> {
  for (let guess = 0;; guess++) {
    const browser = app.browser(`198.51.100.${guess}`);
    await browser.login();
    if (await browser.send("000000") === "throttled") return;
  }
}

Deno.test("verifyCode() accepts a recovery code of an owner whom guesses of an attacker delay, and clears the count", async () => {
  const app = createFactorApp();
  const { secret, codes } = await app.enable();
  await lockOut(app);
  const browser = app.browser();
  await browser.login();
  assertEquals(await browser.send(await app.code(secret)), "throttled");
  assertEquals(await browser.send(codes[0]), "ok");
  const another = app.browser("192.0.2.2");
  await another.login();
  assertEquals(await another.send(await app.code(secret)), "ok");
});

Deno.test("verifyCode() makes the browser of a recovery code known, which an attacker cannot delay", async () => {
  const app = createFactorApp();
  const { secret, codes } = await app.enable();
  await lockOut(app);
  const browser = app.browser();
  await browser.login();
  assertEquals(await browser.send(codes[0]), "ok");
  await lockOut(app);
  await browser.login();
  assertEquals(await browser.send(await app.code(secret)), "ok");
});

Deno.test("verifyCode() never delays recovery codes, and wrong ones clear no count (NIST SP 800-63B, 5.1.2.2)", async () => {
  const app = createFactorApp();
  const { codes } = await app.enable();
  const other = await app.enable(2);
  await lockOut(app);
  const browser = app.browser();
  await browser.login();
  const wrong = [Array(4).fill("aaaaaa").join("-"), other.codes[0]];
  for (let guess = 0; guess < 60; guess++) {
    assertEquals(await browser.send(wrong[guess % 2]), "wrong");
    // No full recovery code: it counts as a guess.
    assertEquals(await browser.send(codes[0]!.slice(0, -1)), "throttled");
  }
  assertEquals(await browser.send("000000"), "throttled");
});

Deno.test("the first factor's response does not depend on the kind of second factor", async () => {
  const app = createFactorApp({ hasOtherFactor: (id) => id === 2 });
  await app.enable(1);
  const results = [];
  for (const id of [1, 2]) {
    const browser = app.browser();
    const response = await browser.post(`/login/${id}`);
    const headers = [...response.headers.keys()];
    results.push([response.status, await response.text(), headers]);
    results.push(await browser.send("123456"));
  }
  assertEquals(results.slice(0, 2), results.slice(2));
});

Deno.test("verifyCode() and requireSecondFactor() report failures to securityEvents()", async () => {
  const app = createFactorApp({ events: true });
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.login();
  await browser.send("000000");
  await browser.send(await app.code(secret));
  await app.factors.remove(1);
  await app.browser().get("/two");
  const other = app.browser();
  await other.login();
  await other.get("/two");
  assertEquals(await app.reports(), [
    "login failure second-factor 1",
    "login success  1",
    "access-denied failure unauthenticated undefined",
    "login success  1",
    "access-denied failure second-factor 1",
  ]);
});
