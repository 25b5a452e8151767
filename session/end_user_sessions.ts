import { type Accept, endIndexed } from "./drivers/ended_sessions.ts";
import { storeCaller } from "./drivers/circuit_breaker.ts";
import type { SessionRecord } from "./record.ts";
import { type SessionStore, userIndexName } from "./store.ts";
import { STORE_TIMEOUT } from "./timeouts.ts";

/** Options for {@linkcode endUserSessions}. */
export interface EndUserSessionsOptions {
  /**
   * The id of a session to keep.
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
}

/**
 * Ends all sessions of a user outside a request, as in a job or a command. It also
 * ends those that get a new id in the meantime.
 *
 * In a handler, use `sessions(context).endAll()`.
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
 * @throws {SessionStoreError} If the store fails.
 */
export async function endUserSessions(
  store: SessionStore,
  userId: string | number,
  { before = Infinity, except }: EndUserSessionsOptions = {},
): Promise<number> {
  const accept = (record: SessionRecord, id: string) =>
    id !== except && record.createdAt <= before &&
    String(record.userId) === String(userId);
  return await endNamed(store, userIndexName(userId), accept);
}

/** Options for {@linkcode endSessionsByName}. */
export interface EndByNameOptions {
  /**
   * Keeps sessions whose login was later than this time, in epoch milliseconds.
   *
   * @default {Infinity}
   */
  readonly before?: number;
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
  { before = Infinity }: EndByNameOptions = {},
): Promise<number> {
  const accept = ({ content, createdAt, userId }: SessionRecord) =>
    userId !== undefined && createdAt <= before &&
    [userIndexName(userId), ...content.names].includes(name);
  return await endNamed(store, name, accept);
}

async function endNamed(
  store: SessionStore,
  name: string,
  accept: Accept,
): Promise<number> {
  if (store.byIndex === undefined) {
    throw new TypeError("Cannot end sessions: the store has no byIndex");
  }
  return await endIndexed(storeCaller(store, STORE_TIMEOUT), name, accept);
}
