import {
  createContextKey,
  reportFailure,
  reportSecurityEvent,
} from "../../router/internal.ts";
import type { ContextKey, RequestContext } from "../../router/mod.ts";
import { oncePerRequest } from "../login/once_per_request.ts";
import { authenticate } from "./_authentication.ts";
import {
  createSignal,
  creationOptions,
  requestOptions,
  upgradeOptions,
} from "./_ceremony_options.ts";
import type { PasskeyPurpose } from "./_challenges.ts";
import { register } from "./_registration.ts";
import type { PasskeyCreationOptions, PasskeyRequestOptions } from "./json.ts";
import {
  checkOptions,
  type PasskeySettings,
  type PasskeysOptions,
} from "./options.ts";
import type { PasskeyAuthResult, PasskeyRegistrationResult } from "./result.ts";

import type {
  PasskeyOwner,
  PasskeyRequest,
  PasskeySignal,
  PasskeyUser,
} from "./user.ts";

export type { PasskeyPurpose };

/** Registration of passkeys and login with them. */
export interface Passkeys {
  /** The RP ID. */
  readonly rpId: string;
  /** The origins of the pages that use passkeys. */
  readonly origins: readonly string[];

  /**
   * Creates the options for a new passkey, with a challenge for this session.
   *
   * Trust: the user must be logged in, and should have logged in recently.
   *
   * @param context The context of the request.
   * @param user The user.
   * @returns The options, as JSON for the browser.
   * @throws {TypeError} If no session middleware ran.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store of the session failed.
   */
  registrationOptions(
    context: RequestContext,
    user: PasskeyUser,
  ): Promise<PasskeyCreationOptions>;

  /**
   * Creates the options for a passkey that the browser creates without asking,
   * right after a login with a password. Returns `null` unless this user did so
   * within the last five minutes, and `completeAuth` recorded the method `pwd`:
   * a page that was left open must not add a passkey. Another device may not
   * add one either, if `deviceChanges` with `stepUp` noticed one.
   *
   * @param context The context of the request.
   * @param user The user.
   * @returns The options, or `null`.
   * @throws {TypeError} If no session middleware ran.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store of the session failed.
   */
  upgradeOptions(
    context: RequestContext,
    user: PasskeyUser,
  ): Promise<PasskeyCreationOptions | null>;

  /**
   * Verifies the response to the options of a registration, and stores the
   * passkey. The response is in the form field `passkey`, or is a JSON body.
   *
   * @param context The context of the request.
   * @param options The name of the passkey in the user's list, and its user if no user
   * is logged in.
   * @returns The passkey, or the reason of the failure.
   * @throws {TypeError} If no session middleware ran.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store of the session failed.
   */
  finishRegistration(
    context: RequestContext,
    options?: {
      /** @default {"Passkey"} */
      readonly name?: string;
      /**
       * The user of a login that must not complete without a passkey, and the
       * version of the credentials that the login verified. A passkey of another
       * user fails.
       *
       * @default {the user of the options, with the version of the session}
       */
      readonly user?: PasskeyOwner;
    },
  ): Promise<PasskeyRegistrationResult>;

  /**
   * Creates the options for a login, a second factor or a confirmation, with a
   * challenge for this session.
   *
   * @param context The context of the request.
   * @param request The purpose and the user.
   * @returns The options, as JSON for the browser.
   * @throws {TypeError} If no session middleware ran.
   * @throws {HTTPError} If the user acts as another one, except for a login.
   * @throws {SessionStoreError} If the store of the session failed.
   */
  authenticationOptions(
    context: RequestContext,
    request?: PasskeyRequest,
  ): Promise<PasskeyRequestOptions>;

  /**
   * Verifies the response to the options of a login. It does not log anyone in:
   * pass the user's id, the methods and the version to `completeAuth` for that.
   * Within one request, further calls return the same result.
   *
   * @param context The context of the request.
   * @param purpose The purpose that the options were created for.
   * @returns The user, or the reason of the failure.
   * @throws {TypeError} If no session middleware ran.
   * @throws {HTTPError} If the user acts as another one, except for a login.
   * @throws {SessionStoreError} If the store of the session failed.
   */
  finishAuthentication(
    context: RequestContext,
    purpose?: PasskeyPurpose,
  ): Promise<PasskeyAuthResult>;

  /**
   * Returns the current passkeys and names of a user, for authenticators.
   *
   * @param user The user.
   * @returns The data, as JSON for the browser.
   */
  signal(user: PasskeyUser): Promise<PasskeySignal>;
}

/**
 * Creates the registration of passkeys and the login with them.
 *
 * A challenge belongs to one session and one purpose, and works once, for ten
 * minutes. All steps of Web Authentication Level 3, sections 7.1 and 7.2, are
 * checked. Malformed and forged responses are failures, never errors.
 *
 * @example Register a passkey and log in
 * ```ts
 * import { completeAuth } from "@gatehouse/web/auth";
 * import { createPasskeys } from "@gatehouse/web/auth/passkey";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import {
 *   createMemoryPasskeyStore,
 *   createTestAuthenticator,
 *   createTestClient,
 * } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const passkeys = createPasskeys({
 *   rpId: "test.example",
 *   rpName: "Test",
 *   store: createMemoryPasskeyStore(),
 * });
 * const router = createRouter({ middleware: [session()] });
 * const user = { id: 7, name: "ada@example.com" };
 * router.post("/passkeys/options", async (context) =>
 *   Response.json(await passkeys.registrationOptions(context, user)));
 * router.post("/passkeys", async (context) => {
 *   const result = await passkeys.finishRegistration(context);
 *   return new Response(null, { status: result.ok ? 201 : 422 });
 * });
 * router.post("/login/options", async (context) =>
 *   Response.json(await passkeys.authenticationOptions(context)));
 * router.post("/login", async (context) => {
 *   const result = await passkeys.finishAuthentication(context);
 *   if (!result.ok) return new Response(result.reason, { status: 422 });
 *   const { methods, userId } = result;
 *   await completeAuth(context, userId, { methods });
 *   return new Response(`User ${userId}`);
 * });
 *
 * const browser = createTestClient(router);
 * const post = (path: string, body?: unknown) =>
 *   browser.fetch(path, {
 *     method: "POST",
 *     headers: { "Content-Type": "application/json" },
 *     body: JSON.stringify(body),
 *   });
 * const authenticator = createTestAuthenticator();
 * const creation = await (await post("/passkeys/options")).json();
 * await post("/passkeys", await authenticator.register(creation));
 *
 * const request = await (await post("/login/options")).json();
 * const login = await post("/login", await authenticator.authenticate(request));
 * assertEquals(await login.text(), "User 7");
 * ```
 *
 * @param options The domain, the name, the store and the demands.
 * @returns The functions for routes.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://www.w3.org/TR/webauthn-3/ | Web Authentication Level 3}
 */
export function createPasskeys(options: PasskeysOptions): Passkeys {
  const settings = checkOptions(options);
  const finish = oncePerRequest(
    async ({ purpose }: { purpose: PasskeyPurpose }, context) => {
      const result = await authenticate(settings, context, purpose);
      if (!result.ok) {
        settings.onFailure(result);
        if (!context.get(ProviderReports)) {
          reportFailure(context, "login", result.reason);
        }
      }
      return result;
    },
  );
  const purposes: Record<PasskeyPurpose, { purpose: PasskeyPurpose }> = {
    "login": { purpose: "login" },
    "second-factor": { purpose: "second-factor" },
    "confirm": { purpose: "confirm" },
  };
  return Object.freeze<Passkeys>({
    rpId: settings.rpId,
    origins: settings.origins,
    registrationOptions: (context, user) =>
      creationOptions(settings, context, user),
    upgradeOptions: (context, user) => upgradeOptions(settings, context, user),
    finishRegistration: (context, { name = "Passkey", user } = {}) =>
      finishRegistration(settings, context, name, user),
    authenticationOptions: (context, request = { purpose: "login" }) =>
      requestOptions(settings, context, request),
    finishAuthentication: (context, purpose = "login") =>
      finish(purposes[purpose], context),
    signal: (user) => createSignal(settings, user),
  });
}

/** The context key that is `true` if the provider reports a failed login. */
export const ProviderReports: ContextKey<boolean> =
  /* @__PURE__ */ createContextKey(false, { name: "ProviderReports" });

async function finishRegistration(
  settings: PasskeySettings,
  context: RequestContext,
  name: string,
  owner: PasskeyOwner | undefined,
): Promise<PasskeyRegistrationResult> {
  const result = await register(settings, context, name, owner);
  if (result.ok) {
    const { userId } = result.passkey;
    reportSecurityEvent(context, { action: "factor-add", userId });
  } else {
    settings.onFailure(result);
    reportFailure(context, "factor-add", result.reason);
  }
  return result;
}
