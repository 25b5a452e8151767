/**
 * Parts of the session that other folders need as well: logins, cookies, calls of
 * a store. They are not part of the public API.
 *
 * @module
 */
import {
  type HostCookie,
  HostCookies,
  type HostPrefix,
} from "./cookies/prefixed_cookie.ts";
import { storeCaller } from "./drivers/circuit_breaker.ts";
import { checkSessionLimit } from "./drivers/session_limit.ts";
import type { SessionBegin } from "./drivers/driver.ts";
import { checkVersion, isOutdated } from "./drivers/user_version.ts";
import { SessionConflictError } from "./errors.ts";
import type { AuthMethodTimes, SessionLabel } from "./record.ts";
import { requestSessionOf, type Session } from "./session.ts";
import { checkIndex, type SessionStore, userIndexName } from "./store.ts";
import { isMemoryStore } from "./stores/in_memory.ts";
import { checkLoginTimeouts, type LoginTimeouts } from "./timeouts.ts";

export { safeCause } from "./errors.ts";
export { inBatches } from "./in_batches.ts";
export { tableStatements } from "./stores/sql_table.ts";
export { checkSecrets, type CipherKind, SecretBox } from "./secret_box.ts";
export { onSessionEnd, type SessionEnd } from "./drivers/end_listeners.ts";
export { endSessionsByName } from "./end_sessions.ts";
export {
  type ChangeValue,
  createMarks,
  type FoundValue,
  parseJSON,
  ValueStore,
} from "./value_store.ts";
export {
  type CookieToSet,
  type HostCookie,
  readCookies,
  readCookiesBelow,
  serializeCookie,
} from "./cookies/prefixed_cookie.ts";
export {
  BINDING_KEY,
  type DeviceBinding,
  type DeviceKey,
  hasLoggedIn,
  leaveSession,
  loginTimeOf,
  readBinding,
  storeOf,
} from "./device_binding.ts";
export { type CallStore, storeCaller } from "./drivers/circuit_breaker.ts";
export { createLabel, isObject } from "./record.ts";
export { sweeper } from "./store.ts";
export { callStore, MAX_SKEW, STORE_TIMEOUT } from "./timeouts.ts";

/**
 * Sets a header on the response to the session's request. The response may come
 * from any handler or middleware inside the session middleware.
 */
export function setResponseHeader(
  session: Session,
  name: string,
  value: string,
): void {
  const request = requestSessionOf(session);
  request.headers ??= new Headers();
  request.headers.set(name, value);
}

/** The milliseconds by which the clock of a provider may be ahead. */
const CLOCK_TOLERANCE = 60_000;

/** Returns an object that all sessions of one session middleware share. */
export function middlewareOf(session: Session): object {
  return requestSessionOf(session).setup;
}

/** Returns `true` if other processes can use the session's store too. */
export function isStoreShared(session: Session): boolean {
  const { store } = requestSessionOf(session).setup;
  return store !== null && !isMemoryStore(store);
}

/**
 * Returns another cookie of the session's host. It is HttpOnly, and it has the
 * prefix, `Secure` and `SameSite` of the session's cookie, but never a domain.
 */
export function hostCookie(
  session: Session,
  name: string,
  prefix?: HostPrefix,
): HostCookie {
  const request = requestSessionOf(session);
  const { context, setup } = request;
  request.hostCookies ??= new HostCookies(setup.cookie, context);
  return request.hostCookies.get(name, prefix);
}

/** Returns `true` if the session's cookie has `SameSite=Strict`. */
export function isStrict(session: Session): boolean {
  return requestSessionOf(session).setup.cookie.isStrict;
}

/** The login of a session, for data that is stored outside the session. */
export interface SessionLogin {
  /** The first id of the session. It stays the same if the id changes. */
  readonly firstId: string;
  /** The user who is logged in. */
  readonly userId: string | number;
  /** The time at which the session ends at the latest, in epoch milliseconds. */
  readonly expiresAt: number;
  /** The store of the session, or `null` for sessions in cookies. */
  readonly store: SessionStore | null;
}

/** Returns the login of a loaded session, or `null` if no user is logged in. */
export function sessionLogin(session: Session): SessionLogin | null {
  const { id, record, setup } = requestSessionOf(session).read();
  const { expiresAt, firstId = id, userId } = record;
  if (userId === undefined || id === "") return null;
  return { firstId, userId, expiresAt, store: setup.store };
}

/** Returns the browser and the address of the session's login. */
export function labelOf(session: Session): SessionLabel {
  return requestSessionOf(session).record.content.label;
}

/** Options for {@linkcode beginLogin}. */
export interface LoginOptions {
  /**
   * Index names of the session in addition to its user, such as
   * `sid:issuer|session`. There are at most three, and none of them is
   * `user:…`. They stay until the session ends, until another user logs in, or
   * until a login with new names.
   *
   * @default {[]}
   */
  readonly names?: readonly string[];
  /**
   * The time at which the user proved their identity, in epoch milliseconds.
   *
   * @default {undefined}
   */
  readonly authenticatedAt?: number | undefined;
  /**
   * The methods by which the user proved it, such as `pwd`. They are added to
   * those of the same user's login.
   *
   * @default {[]}
   */
  readonly methods?: readonly string[];
  /**
   * Methods that the user proved before this login, and their times.
   *
   * @default {undefined}
   */
  readonly earlier?: AuthMethodTimes | undefined;
  /**
   * The version of the user's credentials. `endUserSessions` can require a later
   * one.
   *
   * @default {undefined}
   */
  readonly version?: number | undefined;

  /**
   * The timeouts of the login. The browser then keeps the cookie until the
   * absolute timeout.
   *
   * @default {the timeouts of the session middleware}
   */
  readonly timeouts?: LoginTimeouts | undefined;
}

/**
 * Logs a user in, gives the session a new id, and commits. If another user was
 * logged in, the values of the session are removed. Values whose keys begin with
 * `__auth.` are always removed.
 *
 * @throws {TypeError} If the session was destroyed, or the response exists
 * already.
 * @throws {SessionLimitError} If the user has too many sessions.
 * @throws {SessionConflictError} If the version is too old.
 * @throws {RangeError} If there are too many names, `authenticatedAt` is not a
 * time in the past, or a timeout is not a positive number.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 7.2.4}
 */
export async function beginLogin(
  session: Session,
  userId: string | number,
  { authenticatedAt, earlier, methods = [], names = [], timeouts, version }:
    LoginOptions = {},
): Promise<void> {
  const request = requestSessionOf(await session.load());
  const changes = request.write("log in to");
  const { config, store } = request.setup;
  const time = pastTime(authenticatedAt, config.now());
  checkIndex([userIndexName(userId), ...names]);
  if (version !== undefined) checkVersion(version);
  const callStore = store && storeCaller(store, config.storeTimeout);
  if (
    callStore !== null && config.maxSessionsAction === "refuse" &&
    session.userId !== userId
  ) {
    // The check runs before the id changes, so that a refused login does not
    // end the session.
    await checkSessionLimit(callStore, config, userId, 0);
  }
  // The id changes even if the same user is logged in already.
  changes.logIn(userId, names, {
    authenticatedAt: time,
    methods,
    earlier,
    version,
    timeouts: timeouts && checkLoginTimeouts(timeouts),
  });
  await session.commit();
  if (version === undefined || callStore === null) return;
  // The check runs after the session is stored, so that either this request or
  // the other one sees the new version.
  if (!await isOutdated(callStore, userId, version)) return;
  session.destroy();
  await session.commit();
  throw new SessionConflictError("ended");
}

/**
 * Checks the options of a login that begins later, after its second factor.
 *
 * @throws {RangeError} As {@linkcode beginLogin}.
 */
export function checkLogin(
  session: Session,
  { authenticatedAt, timeouts, version }: LoginOptions,
): void {
  pastTime(authenticatedAt, requestSessionOf(session).setup.config.now());
  if (timeouts !== undefined) checkLoginTimeouts(timeouts);
  if (version !== undefined) checkVersion(version);
}

/**
 * Returns a time that is not in the future. A clock that is ahead must not make a
 * login look recent for longer.
 */
function pastTime(time: number | undefined, now: number): number | undefined {
  if (time === undefined) return undefined;
  if (time >= 0 && time <= now + CLOCK_TOLERANCE) return Math.min(time, now);
  throw new RangeError(
    `Cannot log in to session: authenticatedAt "${time}" is not a time in the past, in epoch milliseconds`,
  );
}

/**
 * Lets changes begin a new session if this one has ended, as a login does. The
 * first step of a login needs this.
 *
 * @param begin `"proved-user"` if the user has proved the first of two factors.
 * Such a session does not count as anonymous.
 */
export function allowNewSession(
  session: Session,
  begin: Exclude<SessionBegin, false> = "login-step",
): void {
  requestSessionOf(session).canBegin = begin;
}
