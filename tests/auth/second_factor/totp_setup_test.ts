import type { TOTPConfirmation } from "@gatehouse/web/auth/second-factor";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { createFactorApp } from "../_second_factor_app.ts";

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

Deno.test("createTOTP() does not throw on an account with a lone surrogate", async () => {
  const { factors, own } = createFactorApp();
  const { setup, uri } = await factors.createTOTP(1, "ada\ud800@a.test");
  assertStringIncludes(uri, "/Example:ada%EF%BF%BD%40a.test?");
  const form = { setup, code: "none" };
  const wrong = await own(1, (context) => factors.enableTOTP(context, form));
  assert(!wrong.ok && wrong.reason === "wrong");
  assertEquals(wrong.setup.uri, uri);
});
