import type { RequestContext } from "../router/mod.ts";
import type { Throttle, ThrottleAttempt } from "./throttle.ts";

/** What a credentials provider consists of. */
export interface CredentialsAuthProviderOptions<Credentials, User> {
  /** What the provider is called. */
  readonly name: string;

  /**
   * Reads the credentials out of the request.
   *
   * @param context The context of the request.
   * @returns The credentials, or `null` where there are none.
   */
  readonly parse: (
    context: RequestContext,
  ) => Credentials | null | Promise<Credentials | null>;

  /**
   * Tells whose credentials they are. Let an unknown user take as long as a
   * wrong password, as `verifyPassword` does for a missing hash. Throw where
   * nobody can tell, never for wrong credentials: the throttle does not count it.
   *
   * @param credentials What `parse` returned.
   * @returns The user, or `null`.
   */
  readonly verify: (
    credentials: Credentials,
  ) => User | null | Promise<User | null>;

  /**
   * Slows down guessing. It is asked before `verify`, which takes time.
   *
   * @default {undefined}
   */
  readonly throttle?: Pick<Throttle, "attempt">;

  /**
   * Tells which account the credentials are for, such as their e-mail address;
   * required with `throttle`. Where it is no string, such as a file in a form,
   * the credentials count as missing.
   *
   * @default {undefined}
   */
  readonly account?: (credentials: Credentials) => string;
}

/** Proves who a user is by something they know, such as a password. */
export interface CredentialsAuthProvider<Credentials, User>
  extends CredentialsAuthProviderOptions<Credentials, User> {
  /** What kind of provider it is. */
  readonly kind: "credentials";
}

/**
 * Creates a provider for logins by form, such as e-mail and password.
 *
 * @example E-mail and password
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
 * @typeParam Credentials What `parse` returns.
 * @typeParam User What `verify` returns.
 * @param options How to read and verify the credentials.
 * @returns The provider, for {@linkcode verifyCredentials}.
 * @throws {TypeError} If there is a `throttle` without `account`.
 */
export function createCredentialsAuthProvider<Credentials, User>(
  options: CredentialsAuthProviderOptions<Credentials, User>,
): CredentialsAuthProvider<Credentials, User> {
  if (options.throttle !== undefined && options.account === undefined) {
    throw new TypeError(
      `Cannot create the provider "${options.name}": its throttle needs to know the account`,
    );
  }
  return Object.freeze({ ...options, kind: "credentials" });
}

/**
 * Verifies the credentials of a request: the user, or `null`.
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
 * @typeParam Credentials What the provider reads.
 * @typeParam User What the provider verifies.
 * @param provider The provider.
 * @param context The context of the request.
 * @returns The user, or `null` where there are no credentials or wrong ones, or
 * the throttle wants a wait.
 * @throws {SessionStoreError} If the store of the throttle failed.
 */
export async function verifyCredentials<Credentials, User>(
  provider: CredentialsAuthProvider<Credentials, User>,
  context: RequestContext,
): Promise<User | null> {
  const result = await credentialsAuthResult(provider, context);
  return result.ok ? result.user : null;
}

/** How a login with credentials ended. */
export type CredentialsAuthResult<User> =
  | {
    readonly ok: true;
    /** Who it is. */
    readonly user: User;
  }
  | {
    readonly ok: false;
    /** There were no credentials, or they are wrong. */
    readonly reason: "missing" | "wrong";
  }
  | {
    readonly ok: false;
    /** Too many were wrong before; these were not looked at. */
    readonly reason: "throttled";
    /** The seconds to wait before the next attempt. */
    readonly retryAfter: number;
  };

const results = /* @__PURE__ */ new WeakMap<
  RequestContext,
  Map<object, Promise<CredentialsAuthResult<unknown>>>
>();

/**
 * Tells how a login with credentials ended, and how long to wait after too many
 * wrong ones.
 *
 * Call it instead of {@linkcode verifyCredentials} or after it: within one
 * request the credentials are verified once.
 *
 * @example Answering guesses
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
 *     ? tooManyRequests(result.retryAfter)
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
 * @typeParam Credentials What the provider reads.
 * @typeParam User What the provider verifies.
 * @param provider The provider.
 * @param context The context of the request.
 * @returns The result.
 * @throws {SessionStoreError} If the store of the throttle failed.
 */
export function credentialsAuthResult<Credentials, User>(
  provider: CredentialsAuthProvider<Credentials, User>,
  context: RequestContext,
): Promise<CredentialsAuthResult<User>> {
  let ofContext = results.get(context);
  if (ofContext === undefined) results.set(context, ofContext = new Map());
  let result = ofContext.get(provider);
  if (result === undefined) {
    result = run(provider, context);
    ofContext.set(provider, result);
  }
  return result as Promise<CredentialsAuthResult<User>>;
}

async function run<Credentials, User>(
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
    // A form can have a file where the name should be.
    const account: unknown = provider.account?.(credentials);
    if (typeof account !== "string") return { ok: false, reason: "missing" };
    attempt = await throttle.attempt(context, account);
  }
  if (attempt?.allowed === false) {
    return { ok: false, reason: "throttled", retryAfter: attempt.retryAfter };
  }
  const user = await verifyOrCancel(provider, credentials, attempt);
  // Nothing that a careless verify returns for "no" may count as a user.
  if (!user) return { ok: false, reason: "wrong" };
  await attempt?.succeed();
  return { ok: true, user };
}

/** A broken database is not a wrong password: what throws is not counted. */
async function verifyOrCancel<Credentials, User>(
  provider: CredentialsAuthProvider<Credentials, User>,
  credentials: Credentials,
  attempt: Extract<ThrottleAttempt, { allowed: true }> | undefined,
): Promise<User | null> {
  try {
    return await provider.verify(credentials);
  } catch (error) {
    // If this fails too, the attempt counts; the first error tells more.
    await attempt?.cancel().catch(() => {});
    throw error;
  }
}
