import {
  completeAuth,
  createCredentialsAuthProvider,
  createThrottle,
  credentialsAuthResult,
  type ThrottleOptions,
} from "@gatehouse/web/auth";
import {
  createSecondFactors,
  generateTOTP,
} from "@gatehouse/web/auth/second-factor";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  endUserSessions,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { runAs } from "../_second_factor_app.ts";

const ADA = "ada@example.com";
const PASSWORD = "correct horse";

/** Creates an application whose only user has a password and an app. */
async function createApp(options: ThrottleOptions = {}) {
  let time = 1_700_000_000_000;
  const now = () => time;
  const store = createMemorySessionStore({ now });
  const loginThrottle = createThrottle({ store, now, ...options });
  const factors = createSecondFactors({
    issuer: "Example",
    store,
    secrets: ["a secret of more than thirty-two characters"],
    now,
    loginThrottle,
  });
  const provider = createCredentialsAuthProvider({
    name: "password",
    parse: ({ url }) => url.searchParams.get("password"),
    verify: (password) => password === PASSWORD ? { id: 7 } : null,
    account: () => ADA,
    throttle: loginThrottle,
  });
  const sessions = createMemorySessionStore({ now });
  const router = createRouter({
    middleware: [session({ store: sessions, now })],
  });
  router.post("/password", async (context) => {
    const result = await credentialsAuthResult(provider, context);
    if (!result.ok) return new Response(result.reason);
    const methods = ["pwd"];
    const login = await factors.completeFirstFactor(context, 7, { methods });
    return new Response(login === null ? "code" : "in");
  });
  router.post("/code", async (context) => {
    const code = context.url.searchParams.get("code");
    const result = await factors.verifyCode(context, code);
    return new Response(result.ok ? "in" : result.reason);
  });
  const { secret, setup } = await factors.createTOTP(7, ADA);
  const first = await generateTOTP(secret, { time: time - 30_000 });
  const form = { setup, code: first };
  await runAs(7, (context) => factors.enableTOTP(context, form), { now });
  return {
    wait: (passed: number) => void (time += passed),
    code: () => generateTOTP(secret, { time }),
    browser(remoteAddress: string) {
      const { fetch, cookies } = createTestClient(router, { remoteAddress });
      const post = async (path: string) =>
        await (await fetch(path, { method: "POST" })).text();
      return {
        cookies,
        password: (password = PASSWORD) =>
          post(`/password?password=${encodeURIComponent(password)}`),
        code: (code: string) => post(`/code?code=${code}`),
      };
    },
  };
}

Deno.test("who knows only the password does not push out the owner's device, and does not lock it out", async () => {
  const app = await createApp();
  const owner = app.browser("192.0.2.1");
  assertEquals(await owner.password(), "code");
  assertEquals(await owner.code(await app.code()), "in");

  for (let n = 0; n < 20; n++) {
    app.wait(1000);
    const attacker = app.browser(`198.51.100.${n}`);
    assertEquals(await attacker.password(), "code");
    assert(![...attacker.cookies.keys()].some((name) => /device/.test(name)));
  }
  for (let n = 0; n < 100; n++) {
    await app.browser(`203.0.113.${n}`).password("wrong");
  }
  assertEquals(await app.browser("192.0.2.2").password(), "throttled");
  assertEquals(await owner.password(), "code");
  app.wait(30_000);
  assertEquals(await owner.code(await app.code()), "in");
});

Deno.test("a device becomes known when the code is typed, also in another request", async () => {
  const app = await createApp();
  const owner = app.browser("192.0.2.1");
  await owner.password();
  assert(!owner.cookies.has("__Host-Http-device"));
  await owner.code("000000");
  assert(!owner.cookies.has("__Host-Http-device"));
  await owner.code(await app.code());
  assert(owner.cookies.has("__Host-Http-device"));
});

Deno.test("a device keeps its cookie when the code of a later login is typed", async () => {
  const app = await createApp();
  const owner = app.browser("192.0.2.1");
  await owner.password();
  await owner.code(await app.code());
  const first = owner.cookies.get("__Host-Http-device");
  app.wait(60_000);
  await owner.password();
  await owner.code(await app.code());
  assertEquals(owner.cookies.get("__Host-Http-device"), first);
});

Deno.test("who knows only the password does not end the owner's login that waits for its code", async () => {
  const app = await createApp();
  const owner = app.browser("192.0.2.1");
  await owner.password();
  for (let n = 0; n < 19; n++) {
    app.wait(1000);
    await app.browser(`198.51.100.${n}`).password();
  }
  assertEquals(await owner.code(await app.code()), "in");
});

Deno.test("a device does not become known at a login that is refused because all access has ended", async () => {
  const store = createMemorySessionStore();
  const throttle = createThrottle({ store });
  const router = createRouter({ middleware: [session({ store })] });
  router.post("/:version", async (context) => {
    const attempt = await throttle.attempt(context, ADA);
    assert(attempt.allowed);
    await attempt.succeed();
    const version = Number(context.params.version);
    await completeAuth(context, 7, { version });
    return new Response();
  });
  const { cookies, fetch } = createTestClient(router);
  await endUserSessions(store, 7, { version: 2 });
  const refused = await fetch("/1", { method: "POST" });
  assertEquals(refused.status, 409);
  assert(!cookies.has("__Host-Http-device"));
  const { keys } = await store.keys!();
  assertEquals(keys.filter((key) => key.startsWith("throttle:device")), []);
  assertEquals((await fetch("/2", { method: "POST" })).status, 200);
  assert(cookies.has("__Host-Http-device"));
});

/** Creates an application with two throttles, and an attack that locks an account. */
function createTwoThrottles(
  stores: readonly SessionStore[],
  cookies: readonly string[] = [],
) {
  const [first, second] = stores.map((store, index) =>
    createThrottle({
      store,
      name: `throttle-${index}`,
      deviceCookie: cookies[index],
    })
  );
  const throttles = [first!, second!];
  const router = createRouter({
    middleware: [session({ store: createMemorySessionStore() })],
  });
  router.post("/trust", async (context) => {
    for (const throttle of throttles) await throttle.trustDevice(context, ADA);
    return new Response();
  });
  router.post("/log-in-and-trust", async (context) => {
    const attempt = await throttles[0]!.attempt(context, ADA);
    if (attempt.allowed) await attempt.succeed();
    await throttles[0]!.trustDevice(context, ADA);
    return new Response();
  });
  router.post("/attempt", async (context) => {
    const attempts = throttles.map((throttle) =>
      throttle.attempt(context, ADA)
    );
    return Response.json(
      (await Promise.all(attempts)).map(({ allowed }) => allowed),
    );
  });
  const browserAt = (remoteAddress: string) => {
    const { cookies, fetch } = createTestClient(router, { remoteAddress });
    const post = (path: string) => fetch(path, { method: "POST" });
    return { cookies, post };
  };
  const attack = async () => {
    for (let n = 0; n < 100; n++) {
      const attempt = await browserAt(`203.0.113.${n}`).post("/attempt");
      await attempt.body?.cancel();
    }
  };
  return { attack, browserAt };
}

Deno.test("throttles with one store give a browser one new ID in a request", async () => {
  const store = createMemorySessionStore();
  const { attack, browserAt } = createTwoThrottles([store, store]);
  const written: string[] = [];
  const put = store.put.bind(store);
  store.put = (key, ...others) => {
    written.push(key.split(":").slice(0, 2).join(":"));
    return put(key, ...others);
  };
  const browser = browserAt("192.0.2.1");
  await browser.post("/trust");
  assertEquals(written.filter((key) => key === "throttle:device").length, 1);
  await attack();
  assertEquals(await (await browser.post("/attempt")).json(), [true, true]);
});

Deno.test("throttles with different stores know a browser after the same request", async () => {
  const stores = [1, 2].map(() => createMemorySessionStore());
  const { attack, browserAt } = createTwoThrottles(stores);
  const browser = browserAt("192.0.2.1");
  await browser.post("/trust");
  await attack();
  assertEquals(
    await (await browserAt("192.0.2.2").post("/attempt")).json(),
    [false, false],
  );
  assertEquals(await (await browser.post("/attempt")).json(), [true, true]);
});

Deno.test("throttles with one store and different cookies know a browser after the same request", async () => {
  const store = createMemorySessionStore();
  const { attack, browserAt } = createTwoThrottles([store, store], ["a", "b"]);
  const browser = browserAt("192.0.2.1");
  await browser.post("/trust");
  await attack();
  assertEquals(await (await browser.post("/attempt")).json(), [true, true]);
});

Deno.test("a browser whose login kept its ID gets a new one when it is trusted in the same request", async () => {
  const store = createMemorySessionStore();
  const { browserAt } = createTwoThrottles([store, store]);
  const browser = browserAt("192.0.2.1");
  await browser.post("/trust");
  const first = browser.cookies.get("__Host-Http-device")!;
  await browser.post("/log-in-and-trust");
  assertNotEquals(browser.cookies.get("__Host-Http-device"), first);
});
