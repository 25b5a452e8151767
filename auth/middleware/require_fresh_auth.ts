import type { ContextEntry, Middleware, Present } from "../../router/mod.ts";
import { answerOf, checkAnswer, stale, unauthorized } from "./_answers.ts";
import { Auth, type AuthKey } from "./auth_key.ts";
import { State } from "./_auth_state.ts";

/** Options for {@linkcode requireFreshAuth}. */
export interface RequireFreshAuthOptions {
  /**
   * Answers a user whose login is too long ago, for example with a redirect to
   * a page that asks for the password and calls `completeAuth` again.
   *
   * @param request The request.
   * @returns The response.
   * @default {answers 401 with the challenges of the schemes}
   */
  readonly onStale?: (request: Request) => Response | Promise<Response>;

  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** How far the clock of who authenticated the user may be ahead of ours. */
const clockTolerance = 60_000;

/**
 * Creates a middleware that wants the user to have logged in a short while ago,
 * in front of what a stolen session must not do: changing the password, say.
 *
 * Users who were found by an API key or an opaque token have not logged in, so
 * they are turned away.
 *
 * Where users confirm at an external provider, start that login with
 * `maxAge: 0`: a provider that still knows them would send them back unasked.
 *
 * @example A login of the last five minutes
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
 * @param maxAge How long ago the login may be, in milliseconds.
 * @param options How to answer, and the clock.
 * @returns The middleware.
 * @throws {TypeError} If `onStale` is not a function.
 * @throws {RangeError} If `maxAge` is not a positive number.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9470 | RFC 9470, step-up authentication}
 */
export function requireFreshAuth(
  maxAge: number,
  options: RequireFreshAuthOptions = {},
): Middleware<readonly [ContextEntry<AuthKey, Present>]> {
  if (!(maxAge > 0)) {
    throw new RangeError(
      `Cannot require a login of the last "${maxAge}" milliseconds: it must be a positive number`,
    );
  }
  const { onStale, now = Date.now } = options;
  checkAnswer("onStale", onStale);
  return (context, next) => {
    if (context.get(Auth) === null) return unauthorized(context);
    const { authenticatedAt = -Infinity } = context.get(State);
    const age = now() - authenticatedAt;
    if (age <= maxAge && age >= -clockTolerance) return next();
    return onStale === undefined
      ? stale(context, Math.floor(maxAge / 1000))
      : answerOf(onStale, context);
  };
}
