import { parseRecord, type SessionRecord } from "./_record.ts";
import { SessionStoreError } from "./errors.ts";
import type { SessionStore } from "./store.ts";

/** What `createTombstone` writes. */
const TOMBSTONE = /^\{"ended":true(?:,"next":"([\w-]{43})")?\}$/;

/**
 * Milliseconds for which a session that ended is remembered: as long as requests
 * can be on their way that the browser sent before it knew.
 */
export const TOMBSTONE_TTL = 15_000;

/**
 * Makes what stands in the place of a session that ended a moment ago.
 *
 * @param next The id under which it goes on, if it does.
 */
export function createTombstone(next?: string): string {
  return JSON.stringify({ ended: true, next });
}

/** Reads what `createTombstone` made; `null` for all else. */
export function parseTombstone(text: string): { next?: string } | null {
  const match = TOMBSTONE.exec(text);
  return match && { next: match[1] };
}

/**
 * The most times that sessions are listed. Each time, sessions must have moved
 * or begun since the last list. So many in a row mean a broken index.
 */
const MAX_ROUNDS = 1_000;

/** The number of sessions that end at the same time. */
const BATCH = 20;

/** The most writes and id changes of one session that are waited out. */
const MAX_ATTEMPTS = 50;

/**
 * Ends a session, or the session that it has become under a new id. It leaves a
 * mark, so that requests in flight begin no session in its place.
 *
 * @param store The store.
 * @param id The id of the session.
 * @param accept Returns `true` for a session that may be ended.
 * @returns `true` if a session was ended.
 */
export async function endStored(
  store: SessionStore,
  id: string,
  accept: (record: SessionRecord, id: string) => boolean,
): Promise<boolean> {
  let current = id;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await store.get(current);
    if (found === null) return false;
    const mark = parseTombstone(found.value);
    if (mark !== null) {
      if (mark.next === undefined) return false;
      current = mark.next;
      continue;
    }
    const record = parseRecord(found.value);
    if (record === null || !accept(record, current)) return false;
    if (await putTombstone(store, current, found.version)) return true;
  }
  await store.delete(current);
  return true;
}

/**
 * Replaces a session by the mark of its end. A store that is full refuses the
 * mark, but not a deletion.
 *
 * @returns `false` if the session has changed meanwhile.
 */
export async function putTombstone(
  store: SessionStore,
  id: string,
  version: string,
): Promise<boolean> {
  try {
    return await store.put(id, createTombstone(), {
      ttl: TOMBSTONE_TTL,
      ifVersion: version,
    });
  } catch {
    await store.delete(id);
    return true;
  }
}

/**
 * Ends the sessions of a list. A session that changed its id meanwhile is in the
 * next list. So the sessions are listed again until no new one is found.
 *
 * @param list Lists the ids.
 * @param end Ends one session, and returns `true` if there was one.
 * @param except The id of a session that goes on.
 * @returns How many were ended.
 * @throws {SessionStoreError} If there are always new ones.
 */
export async function endListed(
  list: () => Promise<readonly string[]>,
  end: (id: string) => Promise<boolean>,
  except?: string,
): Promise<number> {
  const seen = new Set([except]);
  let count = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ids = (await list()).filter((id) => !seen.has(id));
    if (ids.length === 0) return count;
    while (ids.length > 0) {
      const batch = ids.splice(0, BATCH);
      for (const id of batch) seen.add(id);
      const ended = await Promise.all(batch.map(end));
      count += ended.filter(Boolean).length;
    }
  }
  throw new SessionStoreError("end", {
    cause: new Error("The index always lists new sessions"),
  });
}
