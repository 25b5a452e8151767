import { storeCaller } from "./drivers/circuit_breaker.ts";
import {
  type Accept,
  endEach,
  endIndexed,
  firstIdOf,
} from "./drivers/ended_sessions.ts";
import { reportEnd } from "./drivers/end_listeners.ts";
import { checkVersion, requireVersion } from "./drivers/user_version.ts";
import { type SessionStore, userIndexName } from "./store.ts";
import { STORE_TIMEOUT } from "./timeouts.ts";

/** Options for {@linkcode endAllSessions}. */
export interface EndAllSessionsOptions {
  /**
   * The id of a session to keep, even if its id changes in the meantime.
   *
   * @default {undefined}
   */
  readonly except?: string;
  /**
   * Keeps sessions whose login was later than this time, in epoch milliseconds.
   *
   * @default {the time of the call}
   */
  readonly before?: number;
}

/** Options for {@linkcode endUserSessions}. */
export interface EndUserSessionsOptions {
  /**
   * The id of a session to keep, even if its id changes in the meantime.
   *
   * @default {undefined}
   */
  readonly except?: string;
  /**
   * Keeps sessions whose login was later than this time, in epoch milliseconds.
   *
   * @default {Infinity}
   */
  readonly before?: number;
  /**
   * Keeps sessions whose login had this `version` of `completeAuth` or a later
   * one. For an hour, logins with an older version fail with a
   * `SessionConflictError`: they verified the old password before it changed.
   *
   * @default {undefined}
   */
  readonly version?: number;
}

/**
 * Ends all sessions of a user outside a request, as in a job or a command. It also
 * ends those that get a new id in the meantime.
 *
 * In a handler, `userSessions(context).endAll()` ends the sessions of the user who is
 * logged in.
 *
 * @example Lock a user out
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import {
 *   createMemorySessionStore,
 *   endUserSessions,
 *   Session,
 * } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const store = createMemorySessionStore();
 * const router = createRouter({ middleware: [session({ store })] });
 * router.post("/login", (context) => {
 *   context.get(Session).set("userId", 7);
 *   return new Response("Welcome");
 * });
 * await router.fetch("https://example.com/login", { method: "POST" });
 *
 * assertEquals(await endUserSessions(store, 7), 1);
 * assertEquals(await endUserSessions(store, 7), 0);
 * ```
 *
 * @param store The store of the session middleware.
 * @param userId The user.
 * @param options The sessions to keep.
 * @returns The number of ended sessions.
 * @throws {TypeError} If the store has no `byIndex`.
 * @throws {RangeError} If the version is not an integer.
 * @throws {SessionStoreError} If the store fails.
 */
export async function endUserSessions(
  store: SessionStore,
  userId: string | number,
  options: EndUserSessionsOptions = {},
): Promise<number> {
  const { before = Infinity, except, version = Infinity } = options;
  const callStore = storeCaller(store, STORE_TIMEOUT);
  const kept = except && await firstIdOf(callStore, except);
  if (version !== Infinity) {
    checkVersion(version);
    // The version is stored before the sessions are listed, so that no login
    // can be missed.
    await requireVersion(callStore, userId, version);
  }
  const name = userIndexName(userId);
  const count = await endNamed(store, name, (record, id) => {
    return String(record.userId) === String(userId) &&
      record.createdAt <= before && (record.firstId ?? id) !== kept &&
      (record.version ?? -Infinity) < version;
  });
  if (kept === undefined && version === Infinity) {
    await reportEnd(callStore, { name, before });
  }
  return count;
}

/**
 * Ends the sessions of all users, or all but one, outside a request. It also ends
 * those that get a new id in the meantime. Sessions without a user stay.
 *
 * It reads every session of the store, so its time grows with their number. To
 * log everybody out at once, use the option `revokedBefore` of the session
 * middleware.
 *
 * @example Log everybody out after an incident
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import {
 *   createMemorySessionStore,
 *   endAllSessions,
 *   Session,
 * } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const store = createMemorySessionStore();
 * const router = createRouter({ middleware: [session({ store })] });
 * router.post("/login/:id", (context) => {
 *   context.get(Session).set("userId", context.params.id);
 *   return new Response("Welcome");
 * });
 * const post = { method: "POST" };
 * await router.fetch("https://example.com/login/ada", post);
 * await router.fetch("https://example.com/login/bob", post);
 *
 * assertEquals(await endAllSessions(store), 2);
 * assertEquals(await endAllSessions(store), 0);
 * ```
 *
 * @param store The store of the session middleware.
 * @param options The sessions to keep.
 * @returns The number of ended sessions.
 * @throws {TypeError} If the store has no `keys`.
 * @throws {SessionStoreError} If the store fails.
 */
export async function endAllSessions(
  store: SessionStore,
  options: EndAllSessionsOptions = {},
): Promise<number> {
  const { before = Date.now(), except } = options;
  if (store.keys === undefined) {
    throw new TypeError("Cannot end sessions: the store has no keys");
  }
  const callStore = storeCaller(store, STORE_TIMEOUT);
  const kept = except && await firstIdOf(callStore, except);
  return await endEach(callStore, (record, id) => {
    return record.userId !== undefined && record.createdAt <= before &&
      (record.firstId ?? id) !== kept;
  });
}

/** Options for {@linkcode endSessionsByName}. */
export interface EndByNameOptions {
  /**
   * Keeps sessions whose login was later than this time, in epoch milliseconds.
   *
   * @default {Infinity}
   */
  readonly before?: number;
  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number | undefined;
}

/**
 * Ends all sessions with an index name, including those that get a new id in the
 * meantime.
 *
 * @param options The time before which their logins were.
 * @returns The number of ended sessions.
 * @throws {TypeError} If the store has no index.
 */
export async function endSessionsByName(
  store: SessionStore,
  name: string,
  { before = Infinity, storeTimeout = STORE_TIMEOUT }: EndByNameOptions = {},
): Promise<number> {
  const accept: Accept = (record) => {
    const { content, createdAt, userId } = record;
    return userId !== undefined && createdAt <= before &&
      [userIndexName(userId), ...content.names].includes(name);
  };
  const count = await endNamed(store, name, accept, storeTimeout);
  await reportEnd(storeCaller(store, storeTimeout), { name, before });
  return count;
}

async function endNamed(
  store: SessionStore,
  name: string,
  accept: Accept,
  storeTimeout: number = STORE_TIMEOUT,
): Promise<number> {
  if (store.byIndex === undefined) {
    throw new TypeError("Cannot end sessions: the store has no byIndex");
  }
  return await endIndexed(storeCaller(store, storeTimeout), name, accept);
}
