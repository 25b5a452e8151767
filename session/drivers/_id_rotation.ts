import { SessionStoreError } from "../errors.ts";
import { parseRecord, type SessionRecord } from "../record.ts";
import { randomToken, sha256Base64Url } from "../secrets.ts";
import type { PutOptions, SessionStore, StoredValue } from "../store.ts";
import type { CallStore } from "./circuit_breaker.ts";

/** The first line of a tombstone. */
const TOMBSTONE =
  /^\{"ended":true(?:,"next":"([\w-]{43})","movedAt":([\d.]+))?\}(?:\n|$)/;

/**
 * The lifetime of a tombstone in milliseconds. Requests that the browser sent
 * before it got the new cookie can take this long.
 */
export const TOMBSTONE_TTL = 15_000;

/**
 * The lifetime of a tombstone in milliseconds if the response has a new cookie, or
 * removes it. Only late requests have the old one then. A proxy that receives an
 * upload as a whole first may pass it minutes later.
 */
export const REPLACED_TTL = 600_000;

/** The move of a session to a new id. */
export interface Move {
  /** The new id. */
  readonly next: string;
  /** The time of the move in epoch milliseconds. */
  readonly movedAt: number;
  /** The session before the move, or an empty string if its user has changed. */
  readonly before: string;
}

/** A value that replaces a session which has ended, or moved to a new id. */
export type Tombstone = Move | Partial<Record<keyof Move, undefined>>;

/** Converts a tombstone to a string. */
export function serializeTombstone({ before, ...move }: Tombstone): string {
  const line = JSON.stringify({ ended: true, ...move });
  return before ? `${line}\n${before}` : line;
}

/** Parses a tombstone. Returns `null` for any other value. */
export function parseTombstone(text: string): Tombstone | null {
  const match = TOMBSTONE.exec(text);
  if (match === null) return null;
  const [line, next, movedAt] = match;
  if (next === undefined) return {};
  return { next, movedAt: Number(movedAt), before: text.slice(line.length) };
}

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
 * @param ttl The lifetime of the tombstone in milliseconds.
 * @returns `false` if the session has changed in the meantime.
 * @throws {SessionStoreError} If the store fails.
 */
export async function replaceByTombstone(
  callStore: CallStore,
  id: string,
  version: string,
  attempt: number,
  ttl: number,
): Promise<boolean> {
  const put = (ifVersion: string | null) =>
    callStore("end", (store) => putTombstone(store, id, { ttl, ifVersion }));
  if (attempt < MAX_TOMBSTONE_ATTEMPTS) return await put(version);
  await callStore("end", (store) => store.delete(id));
  // The session has ended. The tombstone only prevents late requests from
  // beginning a new one.
  await put(null);
  return true;
}

/** Stores a tombstone. If the store is full and rejects it, deletes the session. */
async function putTombstone(
  store: SessionStore,
  id: string,
  options: PutOptions,
): Promise<boolean> {
  try {
    return await store.put(id, serializeTombstone({}), options);
  } catch {
    await store.delete(id);
    return true;
  }
}

/** The maximum number of moves that are followed at once. */
const MAX_MOVES = 100;

/** A stored session. */
interface FoundSession {
  readonly id: string;
  readonly record: SessionRecord;
  readonly stored: StoredValue;
}

/**
 * Returns the session with an id, under its new id if it was moved.
 *
 * @throws {SessionStoreError} If the store fails.
 */
export async function findMoved(
  callStore: CallStore,
  id: string,
): Promise<FoundSession | null> {
  for (let moves = 0; moves < MAX_MOVES; moves++) {
    const found = await callStore("read", (store) => store.get(id));
    if (found === null) return null;
    const next = parseTombstone(found.value)?.next;
    if (next === undefined) {
      const record = parseRecord(found.value);
      return record && { id, record, stored: found };
    }
    id = next;
  }
  return null;
}

/** A new id, with the token that the browser gets. */
export interface NewId {
  readonly id: string;
  readonly token: string;
}

/** The stored session whose id changes. */
export interface OldId {
  readonly id: string;
  readonly version: string;
  /** The session before the change, or an empty string if its user changes. */
  readonly before: string;
}

/**
 * Stores a session under a new id, and replaces the session under the old id by
 * a tombstone. A login does this, so that an id which an attacker planted or knew
 * before becomes useless.
 *
 * @param callStore Calls the store.
 * @param value The session.
 * @param options Its lifetime and index names, and the clock.
 * @param old The old id, or `null` for a new session.
 * @returns The new id, or `null` if another request changed the session first.
 * @throws {SessionStoreError} If the store fails or has no room.
 * @see {@link https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html#renew-the-session-id-after-any-privilege-level-change | OWASP, Renew the Session ID}
 */
export async function rotateId(
  callStore: CallStore,
  value: string,
  { now, ...options }: Omit<PutOptions, "ifVersion"> & { now: () => number },
  old: OldId | null,
): Promise<NewId | null> {
  const token = randomToken();
  const id = await sha256Base64Url(token);
  const startedAt = now();
  // The old session ends only after the new one is stored. A crash between the
  // two leaves a session that no browser has, but loses none.
  const create = { ...options, ifVersion: null };
  if (!await callStore("save", (store) => store.put(id, value, create))) {
    // The id is random, so it cannot be in use.
    throw new SessionStoreError("save", {
      cause: new Error("Cannot save session: the store has no room"),
    });
  }
  if (old === null) return { id, token };
  // Storing the tombstone takes about as long as storing the session did.
  const movedAt = 2 * now() - startedAt;
  const { before, version } = old;
  const tombstone = serializeTombstone({ next: id, movedAt, before });
  // If rotations are concurrent, compare-and-swap lets one succeed.
  const isReplaced = await callStore(
    "end",
    (store) =>
      store.put(old.id, tombstone, { ttl: REPLACED_TTL, ifVersion: version }),
  );
  if (isReplaced) return { id, token };
  await callStore("save", (store) => store.delete(id));
  return null;
}
