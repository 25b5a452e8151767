import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  authorizePath,
  browserOf,
  ORIGIN,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
} from "../_server.ts";

Deno.test("prompt=login and max_age ask for a login once", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  for (const params of [{ prompt: "login" }, { max_age: "0" }] as const) {
    await browser.fetch("/login/1", { method: "POST" });
    app.clock.now += 5_000;
    const stale = await browser.fetch(authorizePath(params));
    assertEquals(stale.status, 303);
    const location = new URL(stale.headers.get("Location")!, ORIGIN);
    assertEquals(location.pathname, "/confirm");
    const returnTo = location.searchParams.get("returnTo")!;
    // Without a login in between, the server asks again.
    assertEquals((await browser.fetch(returnTo)).status, 303);
    app.clock.now += 5_000;
    await browser.fetch("/login/1", { method: "POST" });
    await readConsent(await browser.fetch(returnTo));
    // An earlier login than that which the parameter names does not count.
    app.clock.now += 5_000_000;
    assertEquals((await browser.fetch(returnTo)).status, 303);
  }
  await browser.fetch("/login/1", { method: "POST" });
  app.clock.now += 5_000;
  const late = authorizePath({ prompt: "login", login_after: "9999999999" });
  assertEquals((await browser.fetch(late)).status, 303);
  const recent = authorizePath({ max_age: "5" });
  await readConsent(await browser.fetch(recent));
  app.clock.now += 1;
  const stale = await browser.fetch(recent);
  assertEquals(stale.status, 303);
  await browser.fetch("/login/1", { method: "POST" });
  const location = new URL(stale.headers.get("Location")!, ORIGIN);
  // The login is in the same second as the parameter.
  app.clock.now += 500;
  const returnTo = location.searchParams.get("returnTo")!;
  await readConsent(await browser.fetch(returnTo));

  const silent = targetOf(
    await browser.fetch(authorizePath({ prompt: "none", max_age: "0" })),
  );
  assertEquals(silent.searchParams.get("error"), "login_required");
});

Deno.test("prompt=login accepts a login in the same second as its request", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const path = authorizePath({ prompt: "login" });
  const { headers } = await browser.fetch(path);
  const location = new URL(headers.get("Location")!, ORIGIN);
  await browser.fetch("/login/1", { method: "POST" });
  const returnTo = location.searchParams.get("returnTo")!;
  await readConsent(await browser.fetch(returnTo));
});

/** Values of the parameter, in seconds after the login or as text. */
const LOGIN_AFTER: [value: number | string, age: number, status: number][] = [
  [0, 0, 200],
  [0, 3_600, 200],
  [0, 3_601, 303],
  [-1, 3_600, 303],
  [-1, 3_599, 200],
  [1, 10, 303],
  ["1.8e9", 0, 303],
  ["+1800000000", 0, 303],
  ["01800000000", 0, 303],
  ["0x6b49d200", 0, 303],
  ["", 0, 303],
];

for (const [value, age, status] of LOGIN_AFTER) {
  Deno.test(`prompt=login with login_after=${value}, ${age} s after the login, gets a ${status}`, async () => {
    const app = startServer();
    const browser = await browserOf(app);
    const login = app.clock.now / 1_000;
    // Requests in between keep the session.
    for (let count = 0; count < 4; count++) {
      app.clock.now += age * 250;
      await (await browser.fetch(authorizePath())).body?.cancel();
    }
    const path = authorizePath({
      prompt: "login",
      login_after: String(typeof value === "number" ? login + value : value),
    });
    const response = await browser.fetch(path);
    assertEquals(response.status, status);
    await response.body?.cancel();
  });
}

Deno.test("a scope in fresh asks for a recent login, which no parameter changes", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const params = { scope: "notes:read notes:delete" };
  const form = await readConsent(await browser.fetch(authorizePath(params)));
  app.clock.now += 599_000;
  const path = authorizePath({
    ...params,
    login_after: String(app.clock.now / 1_000 - 3_600),
  });
  const other = await readConsent(await browser.fetch(path));
  app.clock.now += 2_000;
  assertEquals((await browser.fetch(path)).status, 303);

  // The form is older than the login may be.
  const stale = await sendConsent(browser, other);
  assertEquals(stale.status, 303);
  assertStringIncludes(stale.headers.get("Location")!, "/confirm?returnTo=");
  assertEquals(app.events, []);
  assertEquals((await sendConsent(browser, form)).status, 400);
});
