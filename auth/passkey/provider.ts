import type { RequestContext } from "../../router/mod.ts";
import type { CredentialsAuthProvider } from "../login/credentials.ts";
import {
  type PasskeyPurpose,
  type Passkeys,
  ProviderReports,
} from "./passkeys.ts";
import type { PasskeyAuthenticated } from "./result.ts";

/** Options for {@linkcode createPasskeyAuthProvider}. */
export interface PasskeyAuthProviderOptions<User> {
  /** The passkeys. */
  readonly passkeys: Passkeys;

  /**
   * Returns the user of a verified passkey.
   *
   * @param result The id of the user, and the passkey.
   * @returns The user, or `null` if the account is gone or locked.
   */
  readonly findUser: (
    result: PasskeyAuthenticated,
  ) => User | null | Promise<User | null>;

  /**
   * The purpose that the options were created for.
   *
   * @default {"login"}
   */
  readonly purpose?: PasskeyPurpose;

  /**
   * The name of the provider.
   *
   * @default {"passkey"}
   */
  readonly name?: string;
}

/**
 * Creates a provider for logins with a passkey, which `verifyCredentials` and
 * `credentialsAuthResult` accept like a provider of passwords.
 *
 * After a failure, `passkeys.finishAuthentication(context)` returns its reason.
 *
 * @example A login form that a script fills in
 * ```ts
 * import { completeAuth, verifyCredentials } from "@gatehouse/web/auth";
 * import {
 *   createPasskeyAuthProvider,
 *   createPasskeys,
 * } from "@gatehouse/web/auth/passkey";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/middleware";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createMemoryPasskeyStore } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const users = new Map([[7, { id: 7, name: "Ada" }]]);
 * const passkeys = createPasskeys({
 *   rpId: "example.com",
 *   rpName: "Example",
 *   store: createMemoryPasskeyStore(),
 * });
 * const passkey = createPasskeyAuthProvider({
 *   passkeys,
 *   findUser: ({ userId }) => users.get(Number(userId)) ?? null,
 * });
 * const router = createRouter({ middleware: [formData(), session()] });
 * router.post("/login/passkey", async (context) => {
 *   const user = await verifyCredentials(passkey, context);
 *   if (user === null) return new Response("Try again", { status: 422 });
 *   await completeAuth(context, user.id);
 *   return redirect("/");
 * });
 *
 * const response = await router.fetch("https://example.com/login/passkey", {
 *   method: "POST",
 *   body: new URLSearchParams({ passkey: "{}" }),
 * });
 * assertEquals(response.status, 422);
 * ```
 *
 * @typeParam User The return type of `findUser`.
 * @param options The passkeys, and the function that finds the user.
 * @returns The provider.
 */
export function createPasskeyAuthProvider<User>(
  options: PasskeyAuthProviderOptions<User>,
): CredentialsAuthProvider<RequestContext, User> {
  const { findUser, name = "passkey", passkeys, purpose } = options;
  // `createCredentialsAuthProvider()` would add its throttle, which has 4 kB.
  return Object.freeze({
    kind: "credentials",
    name,
    parse: (context: RequestContext) => context,
    async verify(context: RequestContext) {
      context.set(ProviderReports, true);
      const result = await passkeys.finishAuthentication(context, purpose);
      return result.ok ? await findUser(result) : null;
    },
  });
}
