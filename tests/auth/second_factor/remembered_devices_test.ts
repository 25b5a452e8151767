import type { RememberedDevice } from "@gatehouse/web/auth/second-factor";
import { assert, assertEquals, assertFalse } from "@std/assert";
import {
  createFactorApp,
  type FactorApp,
  type FactorBrowser,
} from "../_second_factor_app.ts";

const DAY = 86_400_000;

/** Logs in with a code, and remembers the browser. */
async function remembered(
  app: FactorApp,
  secret: string,
): Promise<FactorBrowser> {
  const browser = app.browser();
  await browser.login();
  const response = await app.fetch(
    new Request("https://test.example/code", {
      method: "POST",
      headers: { cookie: browser.cookie(), "User-Agent": "Test/1" },
      body: JSON.stringify({
        code: await app.code(secret),
        rememberDevice: true,
      }),
    }),
  );
  assert((await response.json()).ok);
  const cookies = response.headers.getSetCookie()
    .filter((cookie) => cookie.includes("trusted-device="));
  assertEquals(cookies.length, 1);
  assert(/; HttpOnly/.test(cookies[0]!) && /; Secure/.test(cookies[0]!));
  const cookie = cookies[0]!.split(";")[0]!;
  return withCookie(app, cookie);
}

/** Creates a browser that has only this cookie. */
function withCookie(app: FactorApp, cookie: string): FactorBrowser {
  const send = (path: string, method: string) =>
    app.fetch(
      new Request(`https://test.example${path}`, {
        method,
        headers: { cookie },
      }),
    );
  return {
    ...app.browser(),
    login: async (userId = 1) =>
      await (await send(`/login/${userId}`, "POST")).json() !== null,
    get: (path) => send(path, "GET"),
    cookie: () => cookie,
  };
}

async function devicesOf(
  browser: FactorBrowser,
): Promise<RememberedDevice[]> {
  return await (await browser.get("/devices/1")).json();
}

Deno.test("a remembered device needs no code for 30 days", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = await remembered(app, secret);
  assert(await browser.login());
  app.wait(30 * DAY - 1);
  assert(await browser.login());
  app.wait(1);
  assertFalse(await browser.login());
});

Deno.test("a device is only remembered if the user chose it", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = app.browser();
  await browser.login();
  await browser.send(await app.code(secret));
  assertEquals(await devicesOf(browser), []);
  assertFalse(await browser.login());
});

Deno.test("devices() lists the remembered devices, and removeDevice() forgets one", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const first = await remembered(app, secret);
  const since = app.now();
  app.wait(60_000);
  const second = await remembered(app, secret);
  const devices = await devicesOf(first);
  assertEquals(devices.map(({ current }) => current), [false, true]);
  const [, own] = devices;
  assertEquals(own!.userAgent, "Test/1");
  assertEquals([own!.since, own!.expiresAt], [since, since + 30 * DAY]);
  assertFalse(first.cookie().includes(own!.id));

  await app.own(1, (context) => app.factors.removeDevice(context, own!.id));
  assertFalse(await first.login());
  assert(await second.login());
  assertEquals((await devicesOf(second)).length, 1);
  await app.own(1, (context) => app.factors.removeDevice(context, "unknown"));
  await app.factors.revoke(1);
  assertFalse(await second.login());
});

Deno.test("a remembered device of one user is unknown to another user", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable(1);
  await app.enable(2);
  const browser = await remembered(app, secret);
  assertFalse(await browser.login(2));
});

Deno.test("a new authenticator app, and a new set-up, forget all devices", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const browser = await remembered(app, secret);
  await app.enable();
  assertFalse(await browser.login());
  await app.factors.remove(1);
  await app.enable();
  assertFalse(await browser.login());
});

for (
  const forged of ["", "x", "a".repeat(22), ".".repeat(40), "a".repeat(5_000)]
) {
  Deno.test(`a forged device cookie of ${forged.length} characters is ignored`, async () => {
    const app = createFactorApp();
    await app.enable();
    const browser = withCookie(app, `__Host-Http-trusted-device=${forged}`);
    assertFalse(await browser.login());
  });
}

Deno.test("a login on a remembered device records the method device", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const { cookie } = await remembered(app, secret);
  const response = await app.fetch(
    new Request("https://test.example/login/1", {
      method: "POST",
      headers: { cookie: cookie() },
    }),
  );
  const [login] = response.headers.getSetCookie();
  const browser = withCookie(app, login!.split(";")[0]!);
  const { authMethods } = await (await browser.get("/session")).json();
  assertEquals(Object.keys(authMethods), ["mfa", "pwd", "device"]);
  assertEquals((await browser.get("/fresh")).status, 401);
});

Deno.test("a login on a remembered device is not a fresh mfa, and does not undo one", async () => {
  const app = createFactorApp();
  const { secret } = await app.enable();
  const { cookie } = await remembered(app, secret);
  const typedAt = app.now();
  app.wait(DAY);
  const login = async (cookie: string) => {
    const response = await app.fetch(
      new Request("https://test.example/login/1", {
        method: "POST",
        headers: { cookie },
      }),
    );
    const [session] = response.headers.getSetCookie();
    return withCookie(app, session!.split(";")[0]!);
  };
  const timesOf = async (browser: FactorBrowser) =>
    (await (await browser.get("/session")).json()).authMethods;
  const browser = await login(cookie());
  assertEquals(await timesOf(browser), {
    mfa: typedAt,
    pwd: app.now(),
    device: app.now(),
  });
  assertEquals((await browser.get("/two")).status, 200);
  assertEquals((await browser.get("/mfa")).status, 401);

  const request = new Request("https://test.example/confirm", {
    method: "POST",
    headers: { cookie: browser.cookie() },
    body: JSON.stringify({ code: await app.code(secret) }),
  });
  const confirmed = await app.fetch(request);
  const [session] = confirmed.headers.getSetCookie();
  const fresh = withCookie(app, session!.split(";")[0]!);
  assertEquals((await fresh.get("/mfa")).status, 200);
  const again = await login(`${fresh.cookie()}; ${cookie()}`);
  assertEquals((await timesOf(again)).mfa, app.now());
});

Deno.test("a device that a login with a version remembered is in the list and can be forgotten, without the option version", async () => {
  const app = createFactorApp({ loginVersion: 1 });
  const { secret } = await app.enable();
  const browser = await remembered(app, secret);
  assertEquals(await browser.login(), true);
  const list = async () => await (await browser.get("/devices/1")).json();
  assertEquals((await list()).length, 1);
  await app.factors.revoke(1);
  assertEquals(await list(), []);
  assertEquals(await browser.login(), false);
});
