/**
 * What the modules above the session share with it: cookies, the login and its
 * names, how a store is called. Not part of the public surface.
 *
 * @module
 */
import { userIndexName } from "./_record.ts";
import type { HostCookie } from "./_request_session.ts";
import { endListed, endStored } from "./_tombstone.ts";
import { requestSessionOf, type Session } from "./session.ts";
import type { SessionStore } from "./store.ts";
import { callStore, STORE_TIMEOUT } from "./stores/call_store.ts";
import { checkIndex } from "./stores/keys.ts";

export {
  type CookieToSet,
  readCookies,
  readCookiesBelow,
  serializeCookie,
} from "./cookies/header.ts";
export { callStore, STORE_TIMEOUT };
export type { HostCookie };
export { CookieCipher } from "./cookies/encryption.ts";
export { sweeper } from "./stores/sweep.ts";

/**
 * Has the response to the session's request carry a header, whatever handler or
 * middleware behind the session middleware makes that response.
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

/** Milliseconds by which the clock of a provider may be ahead of ours. */
const CLOCK_TOLERANCE = 60_000;

/** Returns an object that all sessions of one session middleware share. */
export function middlewareOf(session: Session): object {
  return requestSessionOf(session).config;
}

/**
 * Returns another cookie of the session's host. It is HttpOnly, and it has the
 * prefix, `Secure` and `SameSite` of the session's cookie, but never a domain.
 */
export function hostCookie(session: Session, name: string): HostCookie {
  return requestSessionOf(session).hostCookie(name);
}

/** Tells whether the session's cookie has `SameSite=Strict`. */
export function isStrict(session: Session): boolean {
  return requestSessionOf(session).isStrict;
}

/** What a login leaves beside the user. */
export interface LoginOptions {
  /**
   * What the session is found by besides its user, such as
   * `sid:issuer|session`: three names at most, none of them `user:…`. They go
   * with the session until it ends, until another user logs in, or until a login
   * with names of its own.
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
}

/**
 * Logs a user in and commits: a new id, whoever was logged in before. Values
 * stay only where the session was anonymous or the same user's, and none whose
 * key begins with `__auth.`.
 *
 * @throws {TypeError} If the session was destroyed, or the response is made.
 * @throws {RangeError} If there are too many names, or `authenticatedAt` is not a
 * time in the past.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 7.2.4}
 */
export async function beginLogin(
  session: Session,
  userId: string | number,
  { authenticatedAt, names = [] }: LoginOptions = {},
): Promise<void> {
  const { config, changes } = requestSessionOf(await session.load());
  changes.assertWritable("log in to");
  const time = pastTime(authenticatedAt, config.now());
  checkIndex([userIndexName(userId), ...names]);
  // For a user who is logged in already too: a login is always a new id.
  changes.logIn(userId, names, time);
  await session.commit();
}

/** A clock that is ahead must not make a login look fresh for longer. */
function pastTime(time: number | undefined, now: number): number | undefined {
  if (time === undefined) return undefined;
  if (time >= 0 && time <= now + CLOCK_TOLERANCE) return Math.min(time, now);
  throw new RangeError(
    `Cannot log in to session: authenticatedAt "${time}" is not a time in the past, in epoch milliseconds`,
  );
}

/**
 * Has what changes the session begin another where it was ended by others, as a
 * login does: for what leads to a login.
 */
export function allowNewSession(session: Session): void {
  requestSessionOf(session).changes.begins = true;
}

/** Which sessions `endSessionsByName` ends. */
export interface EndByNameOptions {
  /**
   * Spares sessions whose login was later, in epoch milliseconds.
   *
   * @default {Infinity}
   */
  readonly before?: number;
}

/**
 * Ends every session that is found by a name, those included that change their
 * id meanwhile.
 *
 * @param options Which of them.
 * @returns How many were ended.
 * @throws {TypeError} If the store has no index.
 */
export async function endSessionsByName(
  store: SessionStore,
  name: string,
  { before = Infinity }: EndByNameOptions = {},
): Promise<number> {
  if (store.byIndex === undefined) {
    throw new TypeError("Cannot end sessions: the store has no byIndex");
  }
  const call = async <Value>(verb: string, ask: () => Value | Promise<Value>) =>
    await callStore(verb, ask, STORE_TIMEOUT);
  return await endListed(
    () => call("list", () => store.byIndex!(name)),
    (key) =>
      call(
        "end",
        () =>
          endStored(store, key, ({ content, createdAt, userId }) =>
            userId !== undefined && createdAt <= before &&
            [userIndexName(userId), ...content.names].includes(name)),
      ),
  );
}
