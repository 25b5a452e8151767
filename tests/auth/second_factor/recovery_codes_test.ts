import { assert, assertEquals, assertMatch } from "@std/assert";
import { createFactorApp, unlimited } from "../_second_factor_app.ts";

Deno.test("enableTOTP() creates ten different recovery codes of 120 bits (ASVS 6.5.2, 6.5.3)", async () => {
  const { codes } = await createFactorApp().enable();
  assertEquals(new Set(codes).size, 10);
  for (const code of codes) {
    assertMatch(code, /^[a-z2-7]{6}(?:-[a-z2-7]{6}){3}$/);
  }
});

Deno.test("verifyCode() accepts each recovery code once, and returns the number left (ASVS 6.4.4, 6.5.1)", async () => {
  const app = createFactorApp();
  const { codes } = await app.enable();
  for (const [index, code] of codes.entries()) {
    const browser = app.browser();
    await browser.login();
    assertEquals(await browser.send(code), "ok");
    assertEquals((await app.factors.status(1)).recoveryCodes, 9 - index);
    const again = app.browser();
    await again.login();
    assertEquals(await again.send(code), "wrong");
  }
});

Deno.test("verifyCode() records a recovery code as the method, and not otp", async () => {
  const app = createFactorApp();
  const { codes } = await app.enable();
  const browser = app.browser();
  await browser.login();
  await browser.send(codes[3]);
  const { authMethods } = await (await browser.get("/session")).json();
  assertEquals(Object.keys(authMethods), ["pwd", "recovery", "mfa"]);
  assertEquals((await browser.get("/fresh")).status, 401);
});

Deno.test("verifyCode() gives one of 100 concurrent requests with one recovery code the login", async () => {
  const app = createFactorApp({ throttle: unlimited });
  const { codes } = await app.enable();
  const browsers = Array.from({ length: 100 }, () => app.browser());
  await Promise.all(browsers.map((browser) => browser.login()));
  const results = await Promise.all(
    browsers.map((one) => one.send(codes[0])),
  );
  assertEquals(results.filter((result) => result === "ok").length, 1);
  assertEquals((await app.factors.status(1)).recoveryCodes, 9);
});

Deno.test("verifyCode() accepts a recovery code with spaces, in upper case, and with similar digits", async () => {
  const app = createFactorApp();
  const { codes } = await app.enable();
  const typed = codes[0]!.toUpperCase().replaceAll("-", " ")
    .replaceAll("O", "0").replaceAll("L", "1").replaceAll("B", "8");
  const browser = app.browser();
  await browser.login();
  assertEquals(await browser.send(typed), "ok");
});

Deno.test("createRecoveryCodes() replaces all codes together", async () => {
  const app = createFactorApp();
  const old = await app.enable();
  const browser = app.browser();
  await browser.login();
  const fresh = await app.own(
    1,
    (context) => app.factors.createRecoveryCodes(context),
  );
  assert(fresh !== null);
  assertEquals(fresh.length, 10);
  for (const code of old.codes.slice(0, 3)) {
    assertEquals(await browser.send(code), "wrong");
  }
  assertEquals(await browser.send(fresh[9]), "ok");
});

Deno.test("a recovery code belongs to its user", async () => {
  const app = createFactorApp();
  const { codes } = await app.enable(1);
  await app.enable(2);
  const browser = app.browser();
  await browser.login(2);
  assertEquals(await browser.send(codes[0]), "wrong");
  assertEquals((await app.factors.status(1)).recoveryCodes, 10);
});

Deno.test("a login does not wait for a user who has only recovery codes", async () => {
  const app = createFactorApp();
  await app.own(1, (context) => app.factors.createRecoveryCodes(context));
  assert(await app.browser().login());
});
