import type { RequestContext } from "../../router/mod.ts";
import { beginLogin } from "../../session/internal.ts";
import type {
  AuthMethodTimes,
  LoginTimeouts,
  Session,
} from "../../session/mod.ts";
import { rememberDevices } from "../store/new_devices.ts";
import { type AuthMethod, checkMethods } from "./auth_method.ts";
import { currentSession } from "./current_session.ts";
import { loginNamesOf } from "./login_names.ts";
import { refuseActing } from "./own_account.ts";
import { Actor, Auth } from "./user_keys.ts";

/** Options for {@linkcode completeAuth}. */
export interface CompleteAuthOptions {
  /**
   * The time at which the user proved their identity, in epoch milliseconds:
   * for example `authenticatedAt` of {@linkcode externalAuthResult}. A time up
   * to 60 seconds in the future counts as now.
   *
   * @default {the time of the call}
   */
  readonly authenticatedAt?: number | undefined;

  /**
   * The methods by which the user proved their identity, such as `["pwd"]`. A
   * later login of the same user in the same session adds to them.
   * `requireFreshAuth` and `requireSecondFactor` read them.
   *
   * @default {[]}
   */
  readonly methods?: readonly AuthMethod[];

  /**
   * The version of the user's credentials that the login verified: an integer that
   * grows with each change of the password, for example.
   * `endUserSessions` can end the sessions of older versions. Ignored for
   * sessions in cookies.
   *
   * @default {undefined}
   */
  readonly version?: number | undefined;

  /**
   * The timeouts of this login, for "Remember me". The browser then keeps the
   * cookie until the absolute timeout. A later login of the same user in the same
   * session keeps them, unless it has its own.
   *
   * @default {the timeouts of the session middleware}
   */
  readonly timeouts?: LoginTimeouts | undefined;
}

/**
 * Logs a user in, with a new session id.
 *
 * Ends the old session id, so that an id planted before the login is worthless.
 * Keeps the session's values only if the session was anonymous or the same
 * user's, and always drops pending logins and challenges. Sets `userId` and
 * `authenticatedAt`, restarts the session's absolute timeout, and saves the
 * session before it returns.
 *
 * `requireFreshAuth` reads `authenticatedAt`. The session's timeouts and
 * `revokedBefore` count from the call, even if the user authenticated earlier.
 *
 * After an external login, call it in the request of the callback, so that
 * {@linkcode backChannelLogout} finds the session.
 *
 * Trust: the user must have proved their identity, and the id must be theirs.
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
 * @param options The time and the methods of the authentication.
 * @returns The session, which now belongs to the user.
 * @throws {TypeError} If no session middleware ran, the id is neither an integer
 * nor a non-empty string, a method is not a short name, or the session was
 * destroyed before.
 * @throws {HTTPError} If another user acts as this one (`actAs`), because that user
 * proved only their own identity. The response is a 403.
 * @throws {RangeError} If `authenticatedAt` is not a time in the past, or a timeout
 * not a positive number.
 * @throws {SessionLimitError} If the user has too many sessions, with the session
 * option `maxSessionsAction: "refuse"`.
 * @throws {SessionStoreError} If the store failed.
 * @see {@link https://owasp.org/www-community/attacks/Session_fixation | Session fixation}
 */
export function completeAuth(
  context: RequestContext,
  userId: string | number,
  options: CompleteAuthOptions = {},
): Promise<Session> {
  return completeLogin(context, userId, options);
}

/** Options for {@linkcode completeLogin}. */
export interface CompleteLoginOptions extends CompleteAuthOptions {
  /** Methods that the user proved before this login, and their times. */
  readonly earlier?: AuthMethodTimes;
}

/**
 * Logs a user in as `completeAuth` does, and accepts methods of earlier proofs.
 */
export async function completeLogin(
  context: RequestContext,
  userId: string | number,
  { methods = [], ...options }: CompleteLoginOptions,
): Promise<Session> {
  const session = currentSession(context, "complete the login");
  if (!isUserId(userId)) {
    throw new TypeError(
      "Cannot complete the login: the user id must be a non-empty string or an integer",
    );
  }
  checkMethods(methods);
  // A handler that confirms the current user passes the id of `Auth`, which is
  // the other user while acting.
  const actor = context.get(Actor);
  if (actor !== null && String(context.get(Auth)?.id) === String(userId)) {
    refuseActing(context, actor.id);
  }
  // The provider of this login can end it by these names.
  const names = loginNamesOf(context);
  const begun = beginLogin(session, userId, { ...options, methods, names });
  // The login fails if its version is outdated, and then the device must stay
  // unknown.
  if (options.version !== undefined) await begun;
  await Promise.all([begun, rememberDevices(context)]);
  return session;
}

/**
 * Returns `true` for a usable id, because a missing id must not become
 * "undefined".
 */
function isUserId(value: unknown): value is string | number {
  return typeof value === "string" ? value !== "" : Number.isSafeInteger(value);
}
