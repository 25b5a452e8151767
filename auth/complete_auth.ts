import type { RequestContext } from "../router/mod.ts";
import { beginLogin } from "../session/internal.ts";
import type { Session } from "../session/mod.ts";
import { loginNamesOf } from "./external/_login_names.ts";
import { sessionOf } from "./_session_of.ts";

/** Options for {@linkcode completeAuth}. */
export interface CompleteAuthOptions {
  /**
   * The time at which the user proved their identity, in epoch milliseconds:
   * `authenticatedAt` of {@linkcode externalAuthResult}, for example. A time up
   * to 60 seconds in the future counts as now.
   *
   * @default {the time of the call}
   */
  readonly authenticatedAt?: number | undefined;
}

/**
 * Logs a user in, in one step that leaves nothing for an attacker to prepare.
 *
 * Ends the old session id, so that one planted before the login is worthless.
 * Keeps the session's values only if the session was anonymous or the same
 * user's, and always drops pending logins and challenges. Sets `userId` and
 * `authenticatedAt`, restarts the session's absolute timeout, and saves all this
 * before it returns.
 *
 * `requireFreshAuth` judges a session by `authenticatedAt`. The session's
 * timeouts and `revokedBefore` count from the call, however long ago the user
 * authenticated.
 *
 * At the end of an external login call it in the request of the callback: then
 * {@linkcode backChannelLogout} finds the session.
 *
 * Trust: call it only once the user has proved who they are, with the id of
 * that user.
 *
 * @example At the end of a login
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { completeAuth } from "@gatehouse/web/auth";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login", async (context) => {
 *   const { userId } = await completeAuth(context, 1);
 *   return redirect(`/users/${userId}`);
 * });
 *
 * const response = await router.fetch("https://example.com/login", {
 *   method: "POST",
 * });
 * assertEquals(response.headers.get("Location"), "/users/1");
 * assertEquals(response.headers.getSetCookie().length, 1);
 * ```
 *
 * @param context The context of the request.
 * @param userId The id of the user who proved their identity.
 * @param options The time of the authentication.
 * @returns The session, which is the user's now.
 * @throws {TypeError} If no session middleware ran, the id is neither an integer
 * nor a text that is not empty, or the session was destroyed before.
 * @throws {RangeError} If `authenticatedAt` is not a time in the past.
 * @throws {SessionStoreError} If the store failed.
 * @see {@link https://owasp.org/www-community/attacks/Session_fixation | Session fixation}
 */
export async function completeAuth(
  context: RequestContext,
  userId: string | number,
  { authenticatedAt }: CompleteAuthOptions = {},
): Promise<Session> {
  const session = sessionOf(context, "complete the login");
  if (!isUserId(userId)) {
    throw new TypeError(
      "Cannot complete the login: the user id must be a text that is not empty, or an integer",
    );
  }
  // The names let the provider of this login end it.
  const names = loginNamesOf(context);
  await beginLogin(session, userId, { authenticatedAt, names });
  return session;
}

/** A missing id must not become the login of a user called "undefined". */
function isUserId(value: unknown): value is string | number {
  return typeof value === "string" ? value !== "" : Number.isSafeInteger(value);
}
