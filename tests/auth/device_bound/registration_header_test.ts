import { assert, assertEquals, assertNotEquals } from "@std/assert";
import {
  createBoundApp,
  Device,
  IN_FLIGHT,
  REGISTRATION,
  withCopy,
} from "../_bound_app.ts";

Deno.test("deviceBoundSessions() asks for a new key at each login", async () => {
  const { router } = createBoundApp();
  const device = await new Device(router).bind();
  const oldId = device.id;
  const login = await device.logIn();
  assert(login.headers.has(REGISTRATION));
  assertEquals(await (await device.get("/sessions")).json(), [false]);
  device.id = oldId;
  // The browser forgets the session before.
  assertEquals((await device.refresh({})).status, 400);
  assertEquals((await device.register()).status, 200);
  assertNotEquals(device.id, oldId);
});

Deno.test("deviceBoundSessions() asks in the next request of the same origin after a login from another site", async () => {
  for (const site of ["cross-site", "same-site"]) {
    const { router } = createBoundApp();
    const device = new Device(router);
    const link = { "Sec-Fetch-Site": site };
    const own = { "Sec-Fetch-Site": "same-origin" };
    const asks = async (headers: HeadersInit) =>
      (await device.get("/", headers)).headers.has(REGISTRATION);
    const login = await device.logIn("7", link);
    assertEquals(login.headers.has(REGISTRATION), false);
    assertEquals(await asks(link), false);
    assertEquals(await asks(own), true);
    assertEquals(await asks(own), false);
    assertEquals((await device.register()).status, 200);
    assertEquals(await (await device.get("/bound")).text(), "bound");
  }
});

Deno.test("deviceBoundSessions() asks one of concurrent requests after a login from another site", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  await device.logIn("7", { "Sec-Fetch-Site": "cross-site" });
  const jar = device.jar;
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => withCopy(router, jar, "/", { headers })),
  );
  const asking = responses.filter(({ headers }) => headers.has(REGISTRATION));
  assertEquals(asking.length, 1);
  for (const response of responses) assertEquals(await response.json(), "7");
});

Deno.test("deviceBoundSessions() asks for a minute at most after a login from another site", async () => {
  for (const [wait, isAsked] of [[59_999, true], [60_000, false]] as const) {
    const { clock, router } = createBoundApp();
    const device = new Device(router);
    await device.logIn("7", { "Sec-Fetch-Site": "cross-site" });
    clock.time += wait;
    const { headers } = await device.get();
    assertEquals(headers.has(REGISTRATION), isAsked);
  }
});

for (const lazy of [false, true]) {
  Deno.test(`deviceBoundSessions() asks in the next request if the handler of the login throws (lazy: ${lazy})`, async () => {
    const { clock, router } = createBoundApp({ session: { lazy } });
    const device = new Device(router);
    const login = await device.logInWithError();
    assertEquals(login.status, 500);
    assertEquals(login.headers.has(REGISTRATION), false);
    const link = { "Sec-Fetch-Site": "cross-site" };
    const asks = async (headers: HeadersInit = {}) =>
      (await device.get("/", headers)).headers.has(REGISTRATION);
    assertEquals(await asks(link), false);
    assertEquals([await asks(), await asks()], [true, false]);
    const old = device.jar;
    assertEquals((await device.register()).status, 200);
    assertEquals(await (await device.get("/bound")).text(), "bound");
    clock.time += IN_FLIGHT;
    assertEquals(await (await withCopy(router, old)).json(), null);
    assertEquals(await (await device.get()).json(), "7");
  });
}

Deno.test("deviceBoundSessions() asks one of concurrent requests if the handler of the login throws", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  await device.logInWithError();
  const jar = device.jar;
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => withCopy(router, jar)),
  );
  const asking = responses.filter(({ headers }) => headers.has(REGISTRATION));
  assertEquals(asking.length, 1);
  for (const response of responses) assertEquals(await response.json(), "7");
});

Deno.test("deviceBoundSessions() asks for a minute at most if the handler of the login throws", async () => {
  for (const [wait, isAsked] of [[59_999, true], [60_000, false]] as const) {
    const { clock, router } = createBoundApp();
    const device = new Device(router);
    await device.logInWithError();
    clock.time += wait;
    const { headers } = await device.get();
    assertEquals(headers.has(REGISTRATION), isAsked);
  }
});

Deno.test("deviceBoundSessions() asks no visitor and no session that logs out", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  await device.post("/write");
  assertEquals((await device.get()).headers.has(REGISTRATION), false);
  await device.logInWithError();
  const { headers } = await device.post("/logout");
  assertEquals(headers.has(REGISTRATION), false);
});

Deno.test("deviceBoundSessions() asks only after a login", async () => {
  const { router } = createBoundApp();
  const device = new Device(router);
  const asks = async (response: Promise<Response>) =>
    (await response).headers.has(REGISTRATION);
  assertEquals(await asks(device.get()), false);
  assertEquals(await asks(device.post("/write")), false);
  assertEquals(await asks(device.logIn()), true);
  assertEquals(await asks(device.get()), false);
  assertEquals(await asks(device.post("/write")), false);
  assertEquals(await asks(device.post("/rotate")), false);
});
