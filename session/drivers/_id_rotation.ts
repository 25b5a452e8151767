import { hashToken, randomToken } from "../secrets.ts";
import type { PutOptions, SessionStore } from "../store.ts";

/** The form of a tombstone. */
const TOMBSTONE = /^\{"ended":true(?:,"next":"([\w-]{43})")?\}$/;

/**
 * The lifetime of a tombstone in milliseconds. Requests that the browser sent
 * before it got the new cookie can take this long.
 */
export const TOMBSTONE_TTL = 15_000;

/**
 * Creates a tombstone: the value that replaces a session which has just ended.
 *
 * @param next The new id of the session, if it was only moved.
 */
export function createTombstone(next?: string): string {
  return JSON.stringify({ ended: true, next });
}

/** Parses a tombstone. Returns `null` for any other value. */
export function parseTombstone(text: string): { next?: string } | null {
  const match = TOMBSTONE.exec(text);
  return match && { next: match[1] };
}

/** Calls the store with the timeout and the errors of the session. */
export type CallStore = <Value>(
  verb: string,
  call: (store: SessionStore) => Value | Promise<Value>,
) => Value | Promise<Value>;

/**
 * The number of attempts to end a session by compare-and-swap. Then it is deleted,
 * so that other writers cannot delay a logout.
 */
const MAX_TOMBSTONE_ATTEMPTS = 3;

/**
 * Replaces a session by a tombstone. After a few attempts, deletes it first.
 *
 * @param callStore Calls the store.
 * @param id The id of the session.
 * @param version The known version.
 * @param attempt The number of failed attempts.
 * @returns `false` if the session has changed in the meantime.
 * @throws {SessionStoreError} If the store fails.
 */
export async function replaceByTombstone(
  callStore: CallStore,
  id: string,
  version: string,
  attempt: number,
): Promise<boolean> {
  if (attempt < MAX_TOMBSTONE_ATTEMPTS) {
    return await callStore("end", (store) => putTombstone(store, id, version));
  }
  await callStore("end", (store) => store.delete(id));
  // The session has ended. The tombstone only keeps late requests from beginning
  // a new one.
  await callStore("end", (store) => putTombstone(store, id, null));
  return true;
}

/** Stores a tombstone. If the store is full and rejects it, deletes the session. */
async function putTombstone(
  store: SessionStore,
  id: string,
  ifVersion: string | null,
): Promise<boolean> {
  try {
    const options = { ttl: TOMBSTONE_TTL, ifVersion };
    return await store.put(id, createTombstone(), options);
  } catch {
    await store.delete(id);
    return true;
  }
}

/** A new id, with the token that the browser gets. */
export interface NewId {
  readonly id: string;
  readonly token: string;
}

/**
 * Stores a session under a new id, and replaces the session under the old id by
 * a tombstone. A login does this, so that an id which an attacker planted or knew
 * before becomes useless.
 *
 * @param callStore Calls the store.
 * @param value The session.
 * @param options Its lifetime and index names.
 * @param old The old id and the known version, or `null` for a new session.
 * @returns The new id, or `null` if another request changed the session first.
 * @throws {SessionStoreError} If the store fails or has no room.
 * @see {@link https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html#renew-the-session-id-after-any-privilege-level-change | OWASP, Renew the Session ID}
 */
export async function rotateId(
  callStore: CallStore,
  value: string,
  options: Omit<PutOptions, "ifVersion">,
  old: { readonly id: string; readonly version: string } | null,
): Promise<NewId | null> {
  const token = randomToken();
  const id = await hashToken(token);
  // The old session ends after the new one is stored. A crash between the two
  // leaves a session that no browser has, and loses none.
  await callStore("save", async (store) => {
    if (await store.put(id, value, { ...options, ifVersion: null })) return;
    // The id is random, so it cannot be in use.
    throw new Error("Cannot save session: the store has no room");
  });
  if (old === null) return { id, token };
  const tombstone = { ttl: TOMBSTONE_TTL, ifVersion: old.version };
  // Of several concurrent rotations, compare-and-swap lets one succeed.
  const isReplaced = await callStore(
    "end",
    (store) => store.put(old.id, createTombstone(id), tombstone),
  );
  if (isReplaced) return { id, token };
  await callStore("save", (store) => store.delete(id));
  return null;
}
