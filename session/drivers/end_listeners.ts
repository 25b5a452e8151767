import type { SessionStore } from "../store.ts";
import type { CallStore } from "./circuit_breaker.ts";

/** A session that has ended, or several of them. */
export type SessionEnd =
  | {
    /** The first id of the session. It stays the same if the id changes. */
    readonly firstId: string;
    /** The user who was logged in. */
    readonly userId: string | number;
  }
  | {
    /** The index name of all the sessions, such as `user:42`. */
    readonly name: string;
    /** Sessions whose login was later have not ended. Epoch milliseconds. */
    readonly before: number;
  };

/** Receives the sessions of a store that have ended. It must not reject. */
export type EndListener = (end: SessionEnd) => Promise<void>;

/** The listeners of stores. */
const listeners = /* @__PURE__ */ new WeakMap<SessionStore, EndListener[]>();

/**
 * Calls a listener when this process ends a session of the store: at a logout, a
 * login of another user, or for all sessions of a user. A session that expires
 * does not end in this sense.
 */
export function onSessionEnd(store: SessionStore, listener: EndListener): void {
  listeners.set(store, [...listeners.get(store) ?? [], listener]);
}

/**
 * Calls the listeners of a store. Their work must not make a logout fail, which
 * has already happened.
 */
export async function reportEnd(
  callStore: CallStore,
  end: SessionEnd,
): Promise<void> {
  let found: readonly EndListener[] = [];
  try {
    found = await callStore("end", (store) => listeners.get(store) ?? []);
  } catch {
    // The store went down after the session ended.
  }
  await Promise.all(found.map((listener) => listener(end)));
}
