import { describeMiddleware, reportDenied } from "../../router/internal.ts";
import type { AuthMethod } from "../login/auth_method.ts";
import { Auth } from "../login/user_keys.ts";
import { type AuthState, State } from "./_auth_state.ts";
import {
  callbackResponse,
  checkCallback,
  loginTooOld,
  reportUnauthenticated,
  unauthorized,
} from "./_denied_responses.ts";
import { StepUp } from "./device_changes.ts";
import type { Guard } from "./guard.ts";
import { checkScope } from "./require_scope.ts";

/** Options for {@linkcode requireFreshAuth}. */
export interface RequireFreshAuthOptions {
  /**
   * The accepted authentication methods, such as `["otp"]`. At least one of them
   * must have been used within `maxAge`.
   *
   * @default {any method}
   */
  readonly methods?: readonly AuthMethod[];

  /**
   * The accepted authentication context classes (`acr`) of the login, by the
   * issuer's names. Only schemes for tokens of an issuer know the class, so users
   * of other schemes are rejected.
   *
   * @default {any class}
   */
  readonly acrValues?: readonly string[];

  /**
   * Creates the response if the login is too old, for example a redirect to a
   * page that asks for the password and calls `completeAuth` again.
   *
   * @param request The request.
   * @returns The response.
   * @default {a 401 with the challenges of the schemes}
   */
  readonly onStale?: (request: Request) => Response | Promise<Response>;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Milliseconds by which the clock of an identity provider may be ahead. */
const CLOCK_TOLERANCE = 60_000;

/**
 * Creates a middleware that requires a recent login, for changes that a stolen
 * session must not make, such as a new password.
 *
 * Users with an API key or an opaque token have no login, so they are rejected.
 *
 * If users log in again at an external provider, start that login with
 * `maxAge: 0`. Without it, a provider that still knows the user does not ask.
 *
 * @example A login within the last five minutes
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   Auth,
 *   redirectToLogin,
 *   requireFreshAuth,
 * } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const requireRecentLogin = requireFreshAuth(5 * 60_000, {
 *   onStale: redirectToLogin("/confirm"),
 * });
 * const context = new RequestContext(
 *   new Request("https://example.com/password"),
 * );
 * context.set(Auth, { id: 1 });
 *
 * const response = await requireRecentLogin(context, () => Promise.reject());
 * assertEquals(
 *   response?.headers.get("Location"),
 *   "/confirm?returnTo=%2Fpassword",
 * );
 * ```
 *
 * @param maxAge The longest time since the login, in milliseconds. `Infinity`
 * to check only the methods or the authentication context class.
 * @param options The accepted methods and classes, the response if the login is too old, and
 * the clock.
 * @returns The middleware.
 * @throws {TypeError} If `onStale` is not a function, `methods` or
 * `acrValues` is empty, or one of these is malformed.
 * @throws {RangeError} If `maxAge` is not a positive number, or nothing is required.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9470 | RFC 9470, step-up authentication}
 */
export function requireFreshAuth(
  maxAge: number,
  options: RequireFreshAuthOptions = {},
): Guard {
  checkOptions(maxAge, options);
  const { acrValues, methods, onStale, now = Date.now } = options;
  const seconds = maxAge === Infinity ? undefined : Math.floor(maxAge / 1000);
  const middleware: Guard = (context, next) => {
    const user = context.get(Auth);
    if (user === null) {
      reportUnauthenticated(context);
      return unauthorized(context);
    }
    const state = context.get(State);
    const age = context.get(StepUp) ? NaN : now() - timeOfLogin(state, methods);
    const isRecent = age <= maxAge && age >= -CLOCK_TOLERANCE;
    if (isRecent && hasClass(state, acrValues)) return next();
    reportDenied(context, "stale-login", user.id);
    return onStale === undefined
      ? loginTooOld(context, { maxAge: seconds, acrValues })
      : callbackResponse(onStale, context);
  };
  return describeMiddleware(middleware, {
    requires: [[]],
    responses: { 401: "" },
  });
}

function checkOptions(
  maxAge: number,
  { acrValues, methods, onStale }: RequireFreshAuthOptions,
): void {
  if (!(maxAge > 0)) {
    throw new RangeError(
      `Cannot require a login of the last "${maxAge}" milliseconds: it must be a positive number`,
    );
  }
  for (const [name, values] of Object.entries({ methods, acrValues })) {
    if (values?.length !== 0) continue;
    throw new TypeError(`Cannot require a login: ${name} is empty`);
  }
  // Challenges separate the values with spaces.
  for (const value of acrValues ?? []) checkScope(value, "acr value");
  checkCallback("onStale", onStale);
  if (maxAge === Infinity && methods === undefined && acrValues === undefined) {
    throw new RangeError(
      "Cannot require a login: without methods and acrValues, maxAge must be finite",
    );
  }
}

/** Returns the time of the last login by one of the methods. */
function timeOfLogin(
  { authenticatedAt = -Infinity, methods: times = {} }: AuthState,
  methods: readonly string[] | undefined,
): number {
  if (methods === undefined) return authenticatedAt;
  const used = methods.filter((method) => Object.hasOwn(times, method));
  return used.length === 0 ? NaN : Math.max(...used.map((one) => times[one]!));
}

function hasClass(
  { acr }: AuthState,
  acrValues: readonly string[] | undefined,
): boolean {
  return acrValues === undefined ||
    acr !== undefined && acrValues.includes(acr);
}
