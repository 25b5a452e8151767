import { checkPositive } from "../../router/internal.ts";
import { checkedCaller } from "../store/checked_caller.ts";
import { UserThrottle } from "../throttle/user_throttle.ts";
import { CodeCheck } from "./_code_check.ts";
import { FactorChanges } from "./_factor_changes.ts";
import { FactorLogin } from "./_factor_login.ts";
import { FactorStore } from "./_factor_store.ts";
import { PendingLogins } from "./_pending_logins.ts";
import { RememberedDevices } from "./_remembered_devices.ts";
import { TOTPSetups } from "./_totp_setup.ts";
import {
  type CompleteProvedLogin,
  createCompleteProvedLogin,
  type LoginFactors,
} from "./proved_login.ts";
import type { SecondFactorsOptions } from "./options.ts";
import type { SecondFactors } from "./second_factors.ts";

/**
 * Creates the second factors of an application: codes of authenticator apps
 * (TOTP), recovery codes and remembered devices.
 *
 * A code works once, even if a hundred requests send it at the same time. The
 * codes of the previous and the next step work too. Secrets are encrypted in
 * the store, and recovery codes hashed.
 *
 * @example A login with a code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createSecondFactors,
 *   generateTOTP,
 * } from "@gatehouse/web/auth/second-factor";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
 *
 * const factors = createSecondFactors({
 *   issuer: "Example",
 *   store: createMemorySessionStore(),
 *   secrets: ["from the environment: 32 random characters or more"],
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login", async (context) => {
 *   // After the password was verified:
 *   const methods = ["pwd"];
 *   const user = await factors.completeFirstFactor(context, 7, { methods });
 *   return new Response(user === null ? "Your code?" : "Welcome");
 * });
 * router.post("/login/:code", async (context) => {
 *   const { ok } = await factors.verifyCode(context, context.params.code);
 *   return new Response(ok ? "Welcome" : "Wrong code");
 * });
 * router.post("/account/app", async (context) => {
 *   const form = await context.request.json();
 *   const { ok } = await factors.enableTOTP(context, form);
 *   return new Response(null, { status: ok ? 204 : 422 });
 * });
 *
 * const { fetch } = createTestClient(router);
 * const post = { method: "POST" };
 * await fetch("/login", post);
 * const { secret, setup } = await factors.createTOTP(7, "ada@example.com");
 * const time = Date.now() - 30_000;
 * const code = await generateTOTP(secret, { time });
 * const body = JSON.stringify({ setup, code });
 * await fetch("/account/app", { ...post, body });
 *
 * assertEquals(await (await fetch("/login", post)).text(), "Your code?");
 * const login = await fetch(`/login/${await generateTOTP(secret)}`, post);
 * assertEquals(await login.text(), "Welcome");
 * ```
 *
 * @param options The name of the application, the store and the secrets.
 * @returns The second factors.
 * @throws {TypeError} If the issuer is empty or contains a colon, the secrets are
 * not an array of strings, or the store is only eventually consistent.
 * @throws {RangeError} If a secret is too short or easy to guess, or a time is not
 * within its limits.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6238 | RFC 6238, TOTP}
 * @see {@link https://pages.nist.gov/800-63-4/sp800-63b.html | NIST SP 800-63B-4, 3.1.4}
 */
export function createSecondFactors(
  options: SecondFactorsOptions,
): SecondFactors {
  const complete = createCompleteProvedLogin(options.loginThrottle);
  return createSecondFactorsWith(options, complete);
}

/**
 * Creates second factors whose logins end with a given function. It may let a login
 * wait. The session that it returns then has no user.
 */
export function createSecondFactorsWith(
  options: SecondFactorsOptions,
  complete: CompleteProvedLogin,
): LoginFactors {
  const { changes, devices, factors, login, pending, setups } = partsOf(
    options,
    complete,
  );
  const revoke = async (userId: string | number) => {
    await devices.remove(userId);
    await pending.revoke(userId);
  };
  return {
    completeFirstFactor: (...args) => login.completeFirstFactor(...args),
    pendingLogin: (context) => login.pendingLogin(context),
    verifyCode: (...args) => login.verifyCode(...args),
    completeSecondFactor: (...args) => login.completeSecondFactor(...args),
    confirmCode: (...args) => login.confirmCode(...args),
    status: (userId) => factors.status(userId),
    createTOTP: (userId, account) => setups.create(userId, account),
    enableTOTP: (context, form) => changes.enableTOTP(context, form),
    setUpTOTP: (context, login) => changes.setUpTOTP(context, login),
    createRecoveryCodes: (context) => changes.createRecoveryCodes(context),
    disable: (context) => changes.disable(context),
    remove: async (userId) => {
      await revoke(userId);
      await factors.remove(userId);
    },
    devices: (context, userId) => devices.list(context, userId),
    removeDevice: (context, id) => devices.removeOwn(context, id),
    revoke,
    reencrypt: (userId) => factors.reencrypt(userId),
  };
}

/** Creates the parts of second factors, which share a store and a clock. */
function partsOf(
  options: SecondFactorsOptions,
  complete: CompleteProvedLogin,
) {
  const {
    issuer,
    store,
    secrets,
    now = Date.now,
    storeTimeout,
    pendingTimeout = 600_000,
    rememberFor = 30 * 86_400_000,
    deviceCookie: cookie = "trusted-device",
    version,
  } = options;
  const owner = "second factors";
  checkPositive(owner, "pendingTimeout", pendingTimeout, 3_600_000);
  checkPositive(owner, "rememberFor", rememberFor, 400 * 86_400_000);
  const race = "who uses a code first";
  const callStore = checkedCaller(store, { owner, race, storeTimeout });
  const factors = new FactorStore(callStore, secrets);
  const setups = new TOTPSetups(issuer, factors, now);
  const device = { callStore, cookie, now, rememberFor, version };
  const devices = new RememberedDevices(factors, device);
  const pending = new PendingLogins(factors, now, pendingTimeout);
  const {
    throttle = new UserThrottle({
      name: "second-factor",
      store,
      callStore,
      now,
    }),
  } = options;
  const codes = new CodeCheck(factors, pending, throttle, now);
  const parts = { factors, devices, codes, pending };
  const login = new FactorLogin(parts, options, complete);
  const changes = new FactorChanges(factors, setups, version);
  return { changes, devices, factors, login, pending, setups };
}
