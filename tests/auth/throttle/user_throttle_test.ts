import { completeAuth, createThrottle } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "@std/assert";
import {
  answerOf,
  contextOf,
  createThrottledLogin,
} from "../_throttled_login.ts";

const day = 86_400_000;

/** Returns a different address for each number, in different IPv4 networks. */
function address(n: number): string {
  return `${20 + (n >> 16)}.${n >> 8 & 255}.${n & 255}.1`;
}

/** Returns the first address of a /64 in 2001:db8:1::/48. */
function subnet(n: number): string {
  return `2001:db8:1:${n.toString(16)}::1`;
}

Deno.test("createThrottle() lets the networks of one /48 guess at one account at most 100 times in a row (NIST SP 800-63B 5.2.2)", async () => {
  const { throttle } = createThrottledLogin();
  let allowed = 0;
  // Every eighth of the 65,536.
  for (let n = 0; n < 65_536; n += 8) {
    const attempt = await throttle.attempt(contextOf(subnet(n)), "ada");
    if (attempt.allowed) allowed++;
  }
  assertEquals(allowed, 40);
});

Deno.test("createThrottle() lets a botnet guess at one account at most 100 times within 30 days (NIST SP 800-63B 5.2.2)", async () => {
  const { throttle, pass } = createThrottledLogin();
  const guesses: number[] = [];
  let time = 0;
  for (let n = 0; time < 90 * day && n < 2_000; n++) {
    const attempt = await throttle.attempt(contextOf(address(n)), "ada");
    if (attempt.allowed) guesses.push(time);
    const wait = attempt.allowed ? 0 : attempt.retryAfter * 1000;
    time += wait;
    pass(wait);
  }
  const most = Math.max(
    ...guesses.map((from) =>
      guesses.filter((at) => at >= from && at < from + 30 * day).length
    ),
  );
  // And ten guesses with a stolen device cookie.
  assertEquals(most, 85);
});

Deno.test("createThrottle() lets 200 concurrent requests from 200 addresses guess at one account at most 40 times", async () => {
  const { throttle } = createThrottledLogin();
  const attempts = await Promise.all(
    Array.from(
      { length: 200 },
      (_, n) => throttle.attempt(contextOf(address(n)), "ada"),
    ),
  );
  // Fewer if some requests give up because of concurrent changes.
  const { length } = attempts.filter(({ allowed }) => allowed);
  assert(length > 0 && length <= 40, `${length}`);
});

Deno.test("createThrottle() lets one /48 fail 1,000 times at different accounts", async () => {
  const { throttle } = createThrottledLogin();
  let allowed = 0;
  for (let n = 0; n < 3_000; n++) {
    const attempt = await throttle.attempt(contextOf(subnet(n)), `user${n}`);
    if (attempt.allowed) allowed++;
  }
  assertEquals(allowed, 1_000);
  const neighbor = contextOf("2001:db8:2::1");
  assert((await throttle.attempt(neighbor, "bob")).allowed);
});

Deno.test("createThrottle() lets the owner log in from a known device during a distributed attack", async () => {
  const { guess, knownDevice, throttle } = createThrottledLogin();
  const home = "198.51.100.1";
  const cookie = await knownDevice({ address: home });
  for (let n = 0; n < 1_000; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  assertEquals((await guess({ address: home })).allowed, false);
  const owner = await guess({ address: home, cookie, right: true });
  assert(owner.allowed, "the known device is exempt");
  // Even from an address that has reached its limits.
  for (let n = 0; n < 200; n++) {
    await throttle.attempt(contextOf(home), `user${n}`);
    await throttle.attempt(contextOf(home), "ada");
  }
  assert((await guess({ address: home, cookie })).allowed);
});

Deno.test("createThrottle() does not lock out a known device after a few typos during an attack", async () => {
  const { guess, knownDevice, throttle } = createThrottledLogin();
  const cookie = await knownDevice();
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  for (let n = 0; n < 9; n++) assert((await guess({ cookie })).allowed);
  assert((await guess({ cookie, right: true })).allowed);
  for (let n = 0; n < 9; n++) {
    assert((await guess({ cookie })).allowed, "the login cleared the count");
  }
});

Deno.test("createThrottle() limits the guesses with a stolen device cookie to ten", async () => {
  const { guess, knownDevice, throttle } = createThrottledLogin();
  const cookie = await knownDevice();
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  let allowed = 0;
  for (let n = 0; n < 500; n++) {
    if ((await guess({ cookie, address: address(n) })).allowed) allowed++;
  }
  assertEquals(allowed, 10);
});

Deno.test("createThrottle() counts 100 concurrent guesses with a stolen device cookie", async () => {
  const { guess, knownDevice, throttle } = createThrottledLogin();
  const cookie = await knownDevice();
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => guess({ cookie })),
  );
  assertEquals(answers.filter(({ allowed }) => allowed).length, 10);
});

Deno.test("createThrottle() replaces a used up device cookie at the next login", async () => {
  const { guess, knownDevice } = createThrottledLogin();
  const spent = await knownDevice();
  for (let n = 0; n < 10; n++) await guess({ cookie: spent });
  const { allowed, cookie } = await guess({ cookie: spent, right: true });
  assert(allowed, "as an unknown device");
  assertNotEquals(cookie, spent);
  // The thief's copy does not become a known device again.
  for (let n = 0; n < 5; n++) await guess({ cookie: spent });
  assertEquals((await guess({ cookie: spent })).allowed, false);
  assert((await guess({ cookie })).allowed);
});

Deno.test("createThrottle() exempts a device only for the account that logged in on it", async () => {
  const { guess, knownDevice } = createThrottledLogin();
  const cookie = await knownDevice({ account: "mallory" });
  let allowed = 0;
  for (let n = 0; n < 1_000; n++) {
    const answer = await guess({ cookie, address: address(n) });
    if (answer.allowed) allowed++;
  }
  assertEquals(allowed, 40);
});

Deno.test("createThrottle() knows a browser of several accounts", async () => {
  const { guess, knownDevice, throttle } = createThrottledLogin();
  let cookie = await knownDevice({ account: "ada" });
  cookie = await knownDevice({ account: "bob", cookie });
  for (const account of ["ada", "bob"]) {
    for (let n = 0; n < 100; n++) {
      await throttle.attempt(contextOf(address(n)), account);
    }
    assert((await guess({ account, cookie, address: "192.0.2.1" })).allowed);
  }
});

Deno.test("createThrottle() remembers the last five accounts of a browser", async () => {
  const { knownDevice } = createThrottledLogin();
  let cookie: string | undefined;
  for (let n = 0; n < 8; n++) {
    cookie = await knownDevice({ account: `user${n}`, cookie });
  }
  assertMatch(cookie!, /^__Host-Http-device=[\w-]{22}(?:\.[\w-]{22}){4}$/);
});

Deno.test("createThrottle() knows ten devices of an account and forgets the least recently used one", async () => {
  const { guess, knownDevice, pass, throttle } = createThrottledLogin();
  const cookies: string[] = [];
  for (let n = 0; n < 10; n++) {
    pass(1_000);
    cookies.push(await knownDevice());
  }
  pass(1_000);
  assert((await guess({ cookie: cookies[0], right: true })).allowed);
  pass(1_000);
  cookies.push(await knownDevice());
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  const known = await Promise.all(
    cookies.map(async (cookie) =>
      (await guess({ cookie, address: "203.0.113.7" })).allowed
    ),
  );
  assertEquals(known, [true, false, ...Array(9).fill(true)]);
});

Deno.test("createThrottle() forgets a device after a year", async () => {
  const { guess, knownDevice, pass, throttle } = createThrottledLogin();
  const cookie = await knownDevice();
  pass(365 * day + 1);
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  assertEquals((await guess({ cookie })).allowed, false);
});

Deno.test("createThrottle() sets a device cookie that scripts, other hosts and plain HTTP cannot read", async () => {
  const { guess } = createThrottledLogin();
  const { setCookies } = await guess({ right: true });
  assertEquals(setCookies.length, 1);
  assertMatch(setCookies[0], /^__Host-Http-device=[\w-]{22};/);
  const attributes = setCookies[0].split("; ").slice(1).sort();
  assertEquals(attributes, [
    "HttpOnly",
    "Max-Age=31536000",
    "Path=/",
    "SameSite=Lax",
    "Secure",
  ]);
});

Deno.test("createThrottle() follows the session's cookie on localhost, and in SameSite", async () => {
  const { middleware, throttle } = createThrottledLogin({}, {
    cookie: { sameSite: "Strict", domain: "example.com" },
  });
  const router = createRouter({ middleware: [middleware] });
  router.post("/", async (context) => {
    const attempt = await throttle.attempt(context, "ada");
    if (attempt.allowed) await attempt.succeed();
    await completeAuth(context, 7);
    return new Response("ok");
  });
  const cookieOf = async (url: string) => {
    const request = new Request(url, { method: "POST" });
    const info = { remoteAddr: { hostname: "127.0.0.1" } };
    const response = await router.fetch(request, info);
    assertEquals(response.headers.get("Cache-Control"), "private, no-store");
    return response.headers.getSetCookie()
      .find((cookie) => cookie.includes("device="))!;
  };
  const local = await cookieOf("http://localhost/");
  assertMatch(local, /^device=[\w-]{22};/);
  assert(!local.includes("Secure"));
  const host = await cookieOf("https://example.com/");
  assertMatch(host, /^__Host-Http-device=[\w-]{22};.*SameSite=Strict/);
  assert(!host.includes("Domain"), "no subdomain gets the cookie");
});

Deno.test("createThrottle() sets no device cookie for failed or cancelled attempts, or without a session", async () => {
  const { guess, throttle } = createThrottledLogin();
  assertEquals((await guess()).setCookies, []);
  const attempt = await throttle.attempt(contextOf("192.0.2.1"), "ada");
  assert(attempt.allowed);
  await attempt.succeed();
});

Deno.test("createThrottle() stores device ids only as hashes", async () => {
  const { knownDevice, store } = createThrottledLogin();
  const written: string[] = [];
  const spy = createThrottledLogin({
    store: {
      get: (key) => store.get(key),
      put(key, value, options) {
        written.push(key, value);
        return store.put(key, value, options);
      },
      delete: (key) => store.delete(key),
    },
  });
  const cookie = await spy.knownDevice();
  const [, id] = cookie.split("=");
  assert(written.length > 0);
  for (const text of written) assert(!text.includes(id), text);
  assertNotEquals(await knownDevice(), cookie);
});

const hostile = [
  "__Host-Http-device=",
  "__Host-Http-device=.",
  "__Host-Http-device=....",
  `__Host-Http-device=${"a".repeat(22)}`,
  `__Host-Http-device=${"a".repeat(8000)}`,
  `__Host-Http-device=${Array(1000).fill("a".repeat(22)).join(".")}`,
  "__Host-Http-device=%00",
  "__Host-Http-device=__proto__",
  "__Host-Http-device=\u00e4\u00f6",
  "device=aaaaaaaaaaaaaaaaaaaaaa",
];

for (const cookie of hostile) {
  Deno.test(`createThrottle() ignores the device cookie ${JSON.stringify(cookie.slice(0, 50))} (${cookie.length})`, async () => {
    const { guess, knownDevice } = createThrottledLogin();
    await knownDevice();
    for (let n = 0; n < 5; n++) assert((await guess({ cookie })).allowed);
    assertEquals((await guess({ cookie })).allowed, false);
    const answer = await guess({ cookie, address: "192.0.2.9", right: true });
    assertMatch(answer.cookie!, /^__Host-Http-device=[\w-]{22}(?:\.a{22})?$/);
  });
}

Deno.test("createThrottle() ignores invalid devices in the store", async () => {
  const values = ["", "{", "null", "[1]", '["a"]', '[["a","b"]]', "[[]]"];
  for (const value of values) {
    const memory = createMemorySessionStore();
    const { guess, knownDevice } = createThrottledLogin({
      store: {
        async get(key) {
          const found = await memory.get(key);
          return found !== null && key.includes("device")
            ? { ...found, value }
            : found;
        },
        put: (key, text, options) => memory.put(key, text, options),
        delete: (key) => memory.delete(key),
      },
    });
    const cookie = await knownDevice();
    for (let n = 0; n < 5; n++) assert((await guess({ cookie })).allowed);
    assertEquals((await guess({ cookie })).allowed, false, value);
  }
});

Deno.test("createThrottle() lets an owner with an emailed link add a known device", async () => {
  const { guess, middleware, throttle } = createThrottledLogin();
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  assertEquals((await guess()).allowed, false);
  const router = createRouter({ middleware: [middleware] });
  router.post("/reset", async (context) => {
    await throttle.trustDevice(context, "ada");
    return Response.json({ allowed: true, retryAfter: 0 });
  });
  const request = new Request("https://example.com/reset", { method: "POST" });
  const info = { remoteAddr: { hostname: "203.0.113.7" } };
  const { cookie } = await answerOf(await router.fetch(request, info));
  assert((await guess({ cookie })).allowed);
  assert((await guess()).allowed, "the account's failures are forgotten");
});

Deno.test("createThrottle() allows at most 3 of 1,000 concurrent reset emails, and 13 in a day", async () => {
  const { pass, throttle } = createThrottledLogin({
    name: "reset-email",
    perAccount: { attempts: 3, delay: 60_000 },
  });
  let mails = 0;
  const request = async (n: number) => {
    const attempt = await throttle.attempt(contextOf(address(n)), "ada");
    if (attempt.allowed) mails++;
  };
  for (let n = 0; n < 1_000; n++) await request(n);
  assertEquals(mails, 3);
  for (let minute = 1; minute < 24 * 60; minute++) {
    pass(60_000);
    for (let n = 0; n < 3; n++) await request(3 * minute + n);
  }
  assertEquals(mails, 13);
});

Deno.test("createThrottle() lets the owner request a reset email from a known device after others reached the limit", async () => {
  const login = createThrottledLogin();
  const { store, now } = login;
  const cookie = await login.knownDevice();
  const reset = createThrottledLogin({
    name: "reset-email",
    store,
    now,
    perAccount: { attempts: 3 },
  });
  for (let n = 0; n < 100; n++) await reset.guess({ address: address(n) });
  assertEquals((await reset.guess()).allowed, false);
  assert((await reset.guess({ cookie })).allowed);
});

Deno.test("createThrottle() limits registrations by address only with the account null", async () => {
  const throttle = createThrottle({
    name: "registration",
    perAddress: { attempts: 10, delay: 60_000 },
  });
  const answers = [];
  for (let n = 0; n < 12; n++) {
    const attempt = await throttle.attempt(contextOf("203.0.113.7"), null);
    answers.push(attempt.allowed);
  }
  assertEquals(answers, [...Array(10).fill(true), false, false]);
  const other = await throttle.attempt(contextOf("203.0.113.8"), null);
  assert(other.allowed);
});

const sessions: Record<string, SessionOptions> = {
  "a lazy session": { lazy: true },
  "a session in cookies": {
    secrets: ["4QlUCu0Wc5N3bmdGIVGOyCvOnDBEGnQX7SsvHvt1QCQ"],
  },
};

for (const [name, options] of Object.entries(sessions)) {
  Deno.test(`createThrottle() knows devices with ${name}`, async () => {
    const { throttle } = createThrottledLogin();
    const router = createRouter({ middleware: [session(options)] });
    router.post("/login/:right", async (context) => {
      const attempt = await throttle.attempt(context, "ada");
      const isRight = context.params.right === "right";
      if (attempt.allowed && isRight) {
        await attempt.succeed();
        await completeAuth(context, 7);
      }
      return Response.json({ allowed: attempt.allowed, retryAfter: 0 });
    });
    const info = { remoteAddr: { hostname: "203.0.113.7" } };
    const login = async (right: string, cookie = "") => {
      const url = `https://example.com/login/${right}`;
      const init = { method: "POST", headers: { cookie } };
      return await answerOf(await router.fetch(new Request(url, init), info));
    };
    const { cookie } = await login("right");
    for (let n = 0; n < 5; n++) await login("wrong");
    assertEquals((await login("right")).allowed, false);
    assert((await login("right", cookie)).allowed);
  });
}

Deno.test("createThrottle() sets one cookie for two throttles in a request", async () => {
  const { guess, middleware, store, throttle, now } = createThrottledLogin();
  const reset = createThrottle({ name: "reset", store, now });
  const router = createRouter({ middleware: [middleware] });
  router.post("/reset", async (context) => {
    await throttle.trustDevice(context, "ada");
    await reset.trustDevice(context, "ada");
    return Response.json({ allowed: true, retryAfter: 0 });
  });
  const request = new Request("https://example.com/reset", { method: "POST" });
  const answer = await answerOf(await router.fetch(request));
  assertEquals(answer.setCookies.length, 1);
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(address(n)), "ada");
  }
  assert((await guess({ cookie: answer.cookie })).allowed);
});
