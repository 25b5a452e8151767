/**
 * Passkeys: registration, login, second factor and confirmation with Web
 * Authentication Level 3.
 *
 * @example The options of a login
 * ```ts
 * import { createPasskeys } from "@gatehouse/web/auth/passkey";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createMemoryPasskeyStore } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const passkeys = createPasskeys({
 *   rpId: "example.com",
 *   rpName: "Example",
 *   store: createMemoryPasskeyStore(),
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login/options", async (context) =>
 *   Response.json(await passkeys.authenticationOptions(context)));
 *
 * const response = await router.fetch("https://example.com/login/options", {
 *   method: "POST",
 * });
 * assertEquals((await response.json()).rpId, "example.com");
 * ```
 *
 * @module
 */
export type {
  PasskeyAssertionJSON,
  PasskeyCreationOptions,
  PasskeyDescriptor,
  PasskeyHint,
  PasskeyRegistrationJSON,
  PasskeyRequestOptions,
  UserVerification,
} from "./json.ts";
export type {
  PasskeyAlgorithm,
  PasskeyAttestation,
  PasskeysOptions,
} from "./options.ts";
export {
  createPasskeys,
  type PasskeyPurpose,
  type Passkeys,
} from "./passkeys.ts";
export {
  createPasskeyAuthProvider,
  type PasskeyAuthProviderOptions,
} from "./provider.ts";
export type {
  PasskeyAuthenticated,
  PasskeyAuthResult,
  PasskeyFailure,
  PasskeyFailureReason,
  PasskeyRegistered,
  PasskeyRegistrationResult,
} from "./result.ts";
export { passkeyScript } from "./script.ts";
export type {
  Passkey,
  PasskeyStore,
  PasskeyUse,
  StoredPasskey,
} from "./store.ts";
export type {
  PasskeyOwner,
  PasskeyRequest,
  PasskeySignal,
  PasskeyUser,
} from "./user.ts";
export {
  type PasskeyEndpoints,
  passkeyEndpoints,
  relatedOrigins,
} from "./well_known.ts";
