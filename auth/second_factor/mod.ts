/**
 * Second factors: codes of authenticator apps (TOTP), recovery codes, and devices
 * that need no code for a while.
 *
 * @example Setting up an authenticator app
 * ```ts
 * import { assert, assertMatch } from "@std/assert";
 * import {
 *   createSecondFactors,
 *   generateTOTP,
 * } from "@gatehouse/web/auth/second-factor";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const factors = createSecondFactors({
 *   issuer: "Example",
 *   store: createMemorySessionStore(),
 *   secrets: ["from the environment: 32 random characters or more"],
 * });
 * // Show the URI as a QR code, and a form with the hidden field `setup`. Its route
 * // calls `factors.enableTOTP(context, { setup, code })`.
 * const { secret, setup, uri } = await factors.createTOTP(7, "ada@example.com");
 *
 * assertMatch(uri, /^otpauth:\/\/totp\/Example:ada%40example.com\?secret=/);
 * assertMatch(await generateTOTP(secret), /^\d{6}$/);
 * assert(setup.length > 100);
 * ```
 *
 * @module
 */
export type { AuthMethod } from "../login/auth_method.ts";
export type { CompleteAuthOptions } from "../login/complete_auth.ts";
export { createSecondFactors } from "./create_second_factors.ts";
export { type ImportedFactors, importFactors } from "./import_factors.ts";
export type {
  EnableTOTPResult,
  FirstFactorOptions,
  PendingLogin,
  RememberedDevice,
  SecondFactorResult,
  SecondFactorsOptions,
  SecondFactorStatus,
  TOTPConfirmation,
  TOTPSetup,
  VerifyCodeOptions,
} from "./options.ts";
export type { SecondFactors } from "./second_factors.ts";
export { generateTOTP, type TOTPOptions } from "./totp.ts";
