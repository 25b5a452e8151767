import { completeAuth } from "@gatehouse/web/auth";
import { auth, createSessionAuthScheme } from "@gatehouse/web/auth-middleware";
import {
  deviceBoundSessions,
  requireBoundSession,
} from "@gatehouse/web/auth/device-bound";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import {
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import {
  CHALLENGE,
  createBoundApp,
  Device,
  IN_FLIGHT,
  LIFETIME,
  REGISTRATION,
  withCopy,
} from "../_bound_app.ts";

for (const algorithm of ["ES256", "RS256"] as const) {
  Deno.test(`deviceBoundSessions() registers a key and refreshes the cookie (${algorithm})`, async () => {
    const { clock, router } = createBoundApp();
    const device = new Device(router, algorithm);
    const login = await device.logIn();
    assertMatch(
      login.headers.get(REGISTRATION) ?? "",
      /^\(ES256 RS256\);path="\/device-session\/registration";challenge="[\w.-]+"$/,
    );

    const registered = await device.register();
    assertEquals(registered.status, 200);
    const { credentials: [credential], ...instructions } = await registered
      .json();
    assertEquals(instructions, {
      session_identifier: device.id,
      refresh_url: "/device-session/refresh",
      scope: { include_site: false },
    });
    const { attributes, ...rest } = credential;
    assertEquals(rest, { type: "cookie", name: "__Host-bound" });
    assertEquals(
      attributes.split("; ").sort().join("; "),
      "HttpOnly; Path=/; SameSite=Lax; Secure",
    );
    assertMatch(registered.headers.get("Cache-Control") ?? "", /no-store/);
    // Chromium reports an error for a challenge of a session that it lacks.
    assertEquals(registered.headers.get(CHALLENGE), null);
    const [cookie] = registered.headers.getSetCookie();
    assertMatch(cookie!, /^__Host-bound=[\w.-]+;.* Max-Age=300(;|$)/);
    assertEquals(await (await device.get()).json(), "7");

    clock.time += LIFETIME + IN_FLIGHT;
    assertEquals(await (await device.get()).json(), null);
    device.challenge = "";
    const asked = await device.refresh();
    assertEquals(asked.status, 403);
    const refreshed = await device.refresh();
    assertEquals(refreshed.status, 200);
    assertNotEquals(refreshed.headers.get(CHALLENGE), null);
    assertEquals(await (await device.get()).json(), "7");
  });
}

Deno.test("deviceBoundSessions() makes requests with copied cookies anonymous, and the owner continues", async () => {
  const { clock, router } = createBoundApp();
  const owner = await new Device(router).bind();
  const jar = owner.jar;
  assertEquals(await (await withCopy(router, jar)).json(), "7");

  clock.time += LIFETIME + IN_FLIGHT;
  assertEquals(await (await withCopy(router, jar)).json(), null);
  assertEquals((await withCopy(router, jar, "/bound")).status, 403);
  const refresh = await withCopy(router, jar, "/device-session/refresh", {
    method: "POST",
    headers: { "Sec-Secure-Session-Id": `"${owner.id}"` },
  });
  assertEquals(refresh.status, 403);
  assertEquals(refresh.headers.getSetCookie(), []);

  assertEquals((await owner.renew()).status, 200);
  assertEquals(await (await owner.get()).json(), "7");
  assertEquals(await (await withCopy(router, jar)).json(), null);
});

Deno.test("deviceBoundSessions() keeps the session's own cookie from working without the bound one", async () => {
  const { clock, router } = createBoundApp();
  const owner = await new Device(router).bind();
  const [sessionOnly] = owner.jar.split("; ").filter((pair) =>
    !pair.startsWith("__Host-bound")
  );
  clock.time += IN_FLIGHT;
  assertEquals(await (await withCopy(router, sessionOnly!)).json(), null);
});

Deno.test("deviceBoundSessions() does not let a copy change the stored session", async () => {
  const { clock, router } = createBoundApp();
  const owner = await new Device(router).bind();
  const jar = owner.jar;
  clock.time += LIFETIME + IN_FLIGHT;
  for (const path of ["/write", "/rotate", "/logout"]) {
    const response = await withCopy(router, jar, path, { method: "POST" });
    assertEquals(response.headers.getSetCookie(), [], path);
  }
  assertEquals((await owner.renew()).status, 200);
  assertEquals(await (await owner.get()).json(), "7");
  assertEquals(await (await owner.get("/written")).json(), null);
});

Deno.test("deviceBoundSessions() lets a browser that lost its key log in again", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  clock.time += LIFETIME + IN_FLIGHT;
  assertEquals(await (await device.get()).json(), null);
  await device.bind("8");
  assertEquals(await (await device.get()).json(), "8");
  assertEquals(await (await device.get("/bound")).text(), "bound");
});

Deno.test("deviceBoundSessions() waits for the first bound cookie before it requires one (w3c/webappsec-dbsc#248)", async () => {
  const { clock, router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const before = device.jar;
  await device.register();
  // The browser has not received the response yet, for a minute.
  clock.time += 60_000;
  assertEquals(await (await withCopy(router, before)).json(), "7");

  assertEquals(await (await device.get()).json(), "7");
  clock.time += IN_FLIGHT - 1;
  assertEquals(await (await withCopy(router, before)).json(), "7");
  clock.time += 1;
  assertEquals(await (await withCopy(router, before)).json(), null);
});

Deno.test("deviceBoundSessions() requires the cookie after a refresh, too", async () => {
  const { clock, router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const before = device.jar;
  await device.register();
  device.challenge = "";
  await device.refresh();
  await device.refresh();
  clock.time += IN_FLIGHT;
  assertEquals(await (await withCopy(router, before)).json(), null);
});

Deno.test("deviceBoundSessions() accepts the cookie for requests in flight when it expires", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  clock.time += LIFETIME + IN_FLIGHT - 1;
  assertEquals(await (await device.get()).json(), "7");
  clock.time += 1;
  assertEquals(await (await device.get()).json(), null);
});

Deno.test("deviceBoundSessions() keeps the binding when the session's id changes", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  const jar = device.jar;
  await device.post("/rotate");
  assertNotEquals(device.jar, jar);
  assertEquals(await (await device.get("/bound")).text(), "bound");
  clock.time += LIFETIME + IN_FLIGHT;
  assertEquals(await (await device.get()).json(), null);
  device.challenge = "";
  await device.refresh();
  assertEquals((await device.refresh()).status, 200);
  assertEquals(await (await device.get()).json(), "7");
});

Deno.test("deviceBoundSessions() hides no conflict of the handler when it asks", async () => {
  const { router } = createBoundApp();
  let waiting = 10;
  const allTaken = Promise.withResolvers<void>();
  router.post("/take", async (context) => {
    context.get(Session).take("written");
    if (--waiting === 0) allTaken.resolve();
    await allTaken.promise;
    return new Response("taken");
  });
  const device = new Device(router);
  await device.logIn("7", { "Sec-Fetch-Site": "cross-site" });
  await device.post("/write", { "Sec-Fetch-Site": "cross-site" });
  const jar = device.jar;
  const responses = await Promise.all(
    Array.from(
      { length: 10 },
      () => withCopy(router, jar, "/take", { method: "POST" }),
    ),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assertEquals(statuses, [200, ...Array(9).fill(409)]);
});

Deno.test("deviceBoundSessions() refuses a store without compare-and-swap", async () => {
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    consistency: "eventual",
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const router = createRouter({
    middleware: [session({ store }), deviceBoundSessions()],
    onError: (error) => new Response(String(error), { status: 500 }),
  });
  router.get("/", () => new Response());
  const response = await router.fetch("https://example.com/");
  assertMatch(await response.text(), /only eventually consistent/);
});

Deno.test("deviceBoundSessions() ends the bound cookie at the logout", async () => {
  const { router } = createBoundApp();
  const device = await new Device(router).bind();
  const response = await device.post("/logout");
  assertEquals(
    response.headers.getSetCookie().map((line) => line.split("=")[0]),
    [
      "__Host-Http-session",
      "__Host-bound",
    ],
  );
  assertEquals(device.jar, "");
  assertEquals((await device.refresh({})).status, 400);
});

Deno.test("deviceBoundSessions() sends a challenge when half of the cookie's lifetime is over", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  clock.time += LIFETIME / 2;
  assertEquals((await device.get()).headers.get(CHALLENGE), null);
  clock.time += 1;
  const { headers } = await device.get();
  assertMatch(headers.get(CHALLENGE) ?? "", /^"[\w.-]+";id="[\w-]{43}"$/);

  clock.time += LIFETIME;
  assertEquals((await device.refresh()).status, 200);
});

Deno.test("userSessions() shows which sessions are bound", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  assertEquals(await (await device.get("/sessions")).json(), [false]);
  await device.register();
  assertEquals(await (await device.get("/sessions")).json(), [false]);
  assertEquals(await (await device.get("/sessions")).json(), [true]);
});

Deno.test("deviceBoundSessions() changes nothing for other browsers", async () => {
  const { clock, router } = createBoundApp();
  const browser = new Device(router);
  await browser.logIn();
  for (let minutes = 0; minutes < 100; minutes += 10) {
    clock.time += 600_000;
    const response = await browser.get();
    assertEquals(await response.json(), "7");
    assertEquals(response.headers.get(CHALLENGE), null);
  }
  assertEquals((await browser.get("/bound")).status, 403);
});

Deno.test("deviceBoundSessions() lets a page of another site open a page twice, so that the cookie is renewed", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  const link = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site" };
  assertEquals(await (await device.get("/", link)).json(), "7");
  clock.time += LIFETIME + IN_FLIGHT;
  const response = await device.get("/", link);
  assertEquals(response.headers.get("Refresh"), "0");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  // The second time is a request of the same origin, so there is no loop.
  const own = { ...link, "Sec-Fetch-Site": "same-origin" };
  assertEquals(await (await device.get("/", own)).json(), null);
});

Deno.test("deviceBoundSessions() does nothing over HTTP in development", async () => {
  const router = createRouter({
    middleware: [session(), deviceBoundSessions()],
  });
  router.post("/login", async (context) => {
    await completeAuth(context, 7);
    return new Response();
  });
  const { fetch } = createTestClient(router, {
    origin: "http://localhost:8000",
    remoteAddress: "127.0.0.1",
  });
  const { headers } = await fetch("/login", { method: "POST" });
  assertMatch(headers.getSetCookie()[0] ?? "", /^session=/);
  assertEquals(headers.get(REGISTRATION), null);
});

Deno.test("deviceBoundSessions() works in a mounted router", async () => {
  const { router } = createBoundApp();
  const outer = createRouter();
  outer.mount("/app", router);
  const login = await outer.fetch("https://example.com/app/login/7", {
    method: "POST",
  });
  assertMatch(
    login.headers.get(REGISTRATION) ?? "",
    /path="\/app\/device-session\/registration"/,
  );
});

Deno.test("deviceBoundSessions() works with lazy sessions", async () => {
  const { clock, router } = createBoundApp({ session: { lazy: true } });
  const device = await new Device(router).bind();
  clock.time += LIFETIME + IN_FLIGHT;
  assertEquals(await (await device.get()).json(), null);
});

Deno.test("deviceBoundSessions() refuses a wrong order and sessions in cookies", async () => {
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id: string | number) => ({ id }),
  });
  const secrets = ["a secret of more than thirty-two characters"];
  const cases = [
    [[session(), auth({ schemes: [scheme] })], /auth\(\) ran before/],
    [[session({ secrets })], /it is in cookies/],
    [[session({ cookie: { partitioned: true } })], /is partitioned/],
    [[], /there is no session/],
  ] as const;
  for (const [middleware, message] of cases) {
    const router = createRouter({
      middleware: [...middleware, deviceBoundSessions()],
      onError: (error) => new Response(String(error), { status: 500 }),
    });
    router.get("/", () => new Response());
    const response = await router.fetch("https://example.com/");
    assertMatch(await response.text(), message);
  }
});

Deno.test("deviceBoundSessions() throws for malformed options", () => {
  for (const path of ["", "/", "x", "/a/", '/a"', "/a b", "//a"]) {
    assertThrows(() => deviceBoundSessions({ path }), TypeError, "path");
  }
  for (const lifetime of [0, -1, NaN, 3_600_001]) {
    assertThrows(() => deviceBoundSessions({ lifetime }), RangeError);
  }
  const onUnbound = "/login" as never;
  assertThrows(() => requireBoundSession({ onUnbound }), TypeError);
});

Deno.test("deviceBoundSessions() fails if the store fails", async () => {
  const store = createMemorySessionStore();
  let isDown = false;
  const failing: SessionStore = {
    ...store,
    get: (id) => {
      if (isDown) throw new Error("down");
      return store.get(id);
    },
    put: (id, value, options) => store.put(id, value, options),
    delete: (id) => store.delete(id),
  };
  const { router } = createBoundApp({ session: { store: failing } });
  const device = await new Device(router).bind();
  isDown = true;
  await assertRejects(async () => {
    const response = await device.refresh({});
    // Browsers keep the key after a 5xx.
    if (response.status >= 500) throw new Error("5xx");
  });
});
