import { reportFailure } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import {
  createThrottle,
  type Throttle,
  type ThrottleAttempt,
} from "../throttle/throttle.ts";
import { verifyInTurn } from "../throttle/verification_limit.ts";
import { oncePerRequest } from "./once_per_request.ts";

/**
 * Options for {@linkcode createCredentialsAuthProvider}.
 *
 * @typeParam Credentials The return type of `parse`.
 * @typeParam User The return type of `verify`.
 * @typeParam Context The context that `parse` needs, see `ContextAfter`.
 */
export interface CredentialsAuthProviderOptions<
  Credentials,
  User,
  Context extends RequestContext = RequestContext,
> {
  /** The name of the provider. */
  readonly name: string;

  /**
   * Reads the credentials from the request. To read what `validate()` has
   * validated, give its parameter the type `ContextAfter<typeof input>`. Routes
   * without this middleware are then a type error.
   *
   * @param context The context of the request.
   * @returns The credentials, or `null` if they are missing.
   */
  readonly parse: (
    context: Context,
  ) => Credentials | null | Promise<Credentials | null>;

  /**
   * Verifies the credentials and returns their user.
   *
   * An unknown user must take as long as a wrong password. `verifyPassword` does
   * that if the hash is missing. Throw only if verification is not possible,
   * never for wrong credentials: the throttle does not count an error.
   *
   * @param credentials The return value of `parse`.
   * @returns The user, or `null`.
   */
  readonly verify: (
    credentials: Credentials,
  ) => User | null | Promise<User | null>;

  /**
   * Slows down guessing. It runs before `verify`, which is slow.
   *
   * @default {createThrottle() if there is an account}
   */
  readonly throttle?: Pick<Throttle, "attempt">;

  /**
   * Returns the account of the credentials, such as an email address. The
   * throttle counts its attempts. If it is not a string, such as a file in a
   * form, the credentials count as missing.
   *
   * @default {undefined}
   */
  readonly account?: (credentials: Credentials) => string;
}

/** Verifies users by something they know, such as a password. */
export interface CredentialsAuthProvider<
  Credentials,
  User,
  Context extends RequestContext = RequestContext,
> extends CredentialsAuthProviderOptions<Credentials, User, Context> {
  /** The kind of provider. */
  readonly kind: "credentials";
}

/**
 * Creates a provider for logins by form, such as email and password.
 *
 * @example Email and password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createCredentialsAuthProvider,
 *   verifyCredentials,
 * } from "@gatehouse/web/auth";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const password = createCredentialsAuthProvider({
 *   name: "password",
 *   parse: ({ url }) => url.searchParams.get("password"),
 *   verify: (password) => password === "s3cret" ? { id: 1 } : null,
 * });
 * const context = new RequestContext(
 *   new Request("https://example.com/login?password=s3cret"),
 * );
 * assertEquals(await verifyCredentials(password, context), { id: 1 });
 * ```
 *
 * @typeParam Credentials The return type of `parse`.
 * @typeParam User The return type of `verify`.
 * @typeParam Context The context that `parse` needs.
 * @param options The functions that read and verify the credentials.
 * @returns The provider, for {@linkcode verifyCredentials}.
 * @throws {TypeError} If there is a `throttle` without `account`.
 */
export function createCredentialsAuthProvider<
  Credentials,
  User,
  Context extends RequestContext = RequestContext,
>(
  options: CredentialsAuthProviderOptions<Credentials, User, Context>,
): CredentialsAuthProvider<Credentials, User, Context> {
  const { name, account, throttle = account && createThrottle() } = options;
  if (throttle !== undefined && account === undefined) {
    throw new TypeError(
      `Cannot create the provider "${name}": its throttle needs to know the account`,
    );
  }
  return Object.freeze({ ...options, throttle, kind: "credentials" });
}

/**
 * Verifies the credentials of a request and returns the user, or `null`.
 *
 * It does not log anyone in: pass the user's id to `completeAuth` for that.
 *
 * @example A wrong password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createCredentialsAuthProvider,
 *   verifyCredentials,
 * } from "@gatehouse/web/auth";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const password = createCredentialsAuthProvider({
 *   name: "password",
 *   parse: ({ url }) => url.searchParams.get("password"),
 *   verify: (password) => password === "s3cret" ? { id: 1 } : null,
 * });
 * const context = new RequestContext(
 *   new Request("https://example.com/login?password=guess"),
 * );
 * assertEquals(await verifyCredentials(password, context), null);
 * ```
 *
 * @typeParam Credentials The credentials that the provider reads.
 * @typeParam User The user that the provider returns.
 * @typeParam Context The context that the provider reads.
 * @param provider The provider.
 * @param context The context of the request.
 * @returns The user, or `null` if the credentials are missing, wrong or
 * throttled.
 * @throws {SessionStoreError} If the store of the throttle failed.
 * @throws {PasswordQueueFullError} If the credentials of 16 other requests of the
 * client's network are being verified.
 */
export async function verifyCredentials<
  Credentials,
  User,
  Context extends RequestContext = RequestContext,
>(
  provider: CredentialsAuthProvider<Credentials, User, Context>,
  context: NoInfer<Context>,
): Promise<User | null> {
  const result = await credentialsAuthResult(provider, context);
  return result.ok ? result.user : null;
}

/** The result of a login with credentials. */
export type CredentialsAuthResult<User> =
  | {
    readonly ok: true;
    /** The user. */
    readonly user: User;
  }
  | {
    readonly ok: false;
    /** The credentials are missing or wrong. */
    readonly reason: "missing" | "wrong";
  }
  | {
    readonly ok: false;
    /** Too many attempts failed before, so this one was not verified. */
    readonly reason: "throttled";
    /** The seconds to wait before the next attempt. */
    readonly retryAfter: number;
  };

/**
 * Verifies the credentials of a request, and returns the reason of a failure
 * and the time to wait after too many of them.
 *
 * Call it instead of {@linkcode verifyCredentials} or after it: within one
 * request the credentials are verified once.
 *
 * @example Responding to guesses
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createCredentialsAuthProvider,
 *   createThrottle,
 *   credentialsAuthResult,
 *   tooManyRequests,
 * } from "@gatehouse/web/auth";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const password = createCredentialsAuthProvider({
 *   name: "password",
 *   parse: ({ url }) => url.searchParams.get("password"),
 *   verify: (password) => password === "s3cret" ? { id: 1 } : null,
 *   throttle: createThrottle(),
 *   account: () => "the only one",
 * });
 * async function login(context: RequestContext): Promise<Response> {
 *   const result = await credentialsAuthResult(password, context);
 *   if (result.ok) return new Response("Welcome");
 *   return result.reason === "throttled"
 *     ? tooManyRequests(context, result.retryAfter)
 *     : new Response("Wrong password", { status: 422 });
 * }
 *
 * const statuses: number[] = [];
 * for (let guess = 1; guess <= 6; guess++) {
 *   const request = new Request(`https://example.com/?password=${guess}`);
 *   const remoteAddress = "203.0.113.7";
 *   const response = await login(new RequestContext(request, { remoteAddress }));
 *   statuses.push(response.status);
 * }
 * assertEquals(statuses, [422, 422, 422, 422, 422, 429]);
 * ```
 *
 * @typeParam Credentials The credentials that the provider reads.
 * @typeParam User The user that the provider returns.
 * @typeParam Context The context that the provider reads.
 * @param provider The provider.
 * @param context The context of the request.
 * @returns The result.
 * @throws {SessionStoreError} If the store of the throttle failed.
 * @throws {PasswordQueueFullError} If the credentials of 16 other requests of the
 * client's network are being verified.
 */
export function credentialsAuthResult<
  Credentials,
  User,
  Context extends RequestContext = RequestContext,
>(
  provider: CredentialsAuthProvider<Credentials, User, Context>,
  context: NoInfer<Context>,
): Promise<CredentialsAuthResult<User>> {
  const result = verifyOnce(provider as AnyProvider, context);
  return result as Promise<CredentialsAuthResult<User>>;
}

type AnyProvider = CredentialsAuthProvider<unknown, unknown>;

const verifyOnce = /* @__PURE__ */ oncePerRequest(reportedVerify);

async function reportedVerify(
  provider: AnyProvider,
  context: RequestContext,
): Promise<CredentialsAuthResult<unknown>> {
  const result = await throttledVerify(provider, context);
  // The throttle reports its refusals.
  if (!result.ok && result.reason !== "throttled") {
    reportFailure(context, "login", result.reason);
  }
  return result;
}

async function throttledVerify<Credentials, User>(
  provider: CredentialsAuthProvider<Credentials, User>,
  context: RequestContext,
): Promise<CredentialsAuthResult<User>> {
  const credentials = await provider.parse(context);
  if (credentials === null || credentials === undefined) {
    return { ok: false, reason: "missing" };
  }
  const { throttle } = provider;
  let attempt: ThrottleAttempt | undefined;
  if (throttle !== undefined) {
    // A form can contain a file instead of the name.
    const account: unknown = provider.account?.(credentials);
    if (typeof account !== "string") return { ok: false, reason: "missing" };
    attempt = await throttle.attempt(context, account);
  }
  if (attempt?.allowed === false) {
    return { ok: false, reason: "throttled", retryAfter: attempt.retryAfter };
  }
  const user = await verifyOrCancel(
    context,
    () => provider.verify(credentials),
    attempt,
  );
  // A careless verify may return false or "" instead of null.
  if (!user) return { ok: false, reason: "wrong" };
  await attempt?.succeed();
  return { ok: true, user };
}

/** Verifies credentials. An error, such as a broken database, does not count. */
async function verifyOrCancel<User>(
  context: RequestContext,
  verify: () => User | null | Promise<User | null>,
  attempt: Extract<ThrottleAttempt, { allowed: true }> | undefined,
): Promise<User | null> {
  try {
    return await verifyInTurn(context, verify);
  } catch (error) {
    // If this call fails too, the attempt counts. The first error is the more
    // useful one.
    await attempt?.cancel().catch(() => {});
    throw error;
  }
}
