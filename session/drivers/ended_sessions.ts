import { SessionStoreError } from "../errors.ts";
import { parseRecord, type SessionRecord } from "../record.ts";
import {
  type CallStore,
  parseTombstone,
  replaceByTombstone,
} from "./_id_rotation.ts";

export type { CallStore };

/**
 * The maximum number of times that the sessions of a user are listed. Only moved
 * and new sessions need another round, so this many mean a broken index.
 */
const MAX_ROUNDS = 1_000;

/** The number of sessions that are ended at the same time. */
const BATCH = 20;

/**
 * The maximum number of reads to end a session. Each one more means that another
 * request changed its id or its values in the meantime.
 */
const MAX_READS = 1_000;

/**
 * Ends a session, under its new id if it was moved. A tombstone keeps requests
 * in flight from beginning a new session.
 *
 * @param callStore Calls the store.
 * @param id The id of the session.
 * @param accept Returns `true` if the session may be ended.
 * @returns `true` if a session was ended.
 * @throws {SessionStoreError} If the store fails.
 */
export async function endStored(
  callStore: CallStore,
  id: string,
  accept: (record: SessionRecord, id: string) => boolean,
): Promise<boolean> {
  let current = id;
  let attempt = 0;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const found = await callStore("read", (store) => store.get(current));
    if (found === null) return false;
    const tombstone = parseTombstone(found.value);
    if (tombstone !== null) {
      if (tombstone.next === undefined) return false;
      current = tombstone.next;
      continue;
    }
    const record = parseRecord(found.value);
    if (record === null || !accept(record, current)) return false;
    if (
      await replaceByTombstone(callStore, current, found.version, attempt++)
    ) return true;
  }
  throw new SessionStoreError("end", {
    cause: new Error("The id of the session always changes"),
  });
}

/**
 * Ends all sessions of a user. A session that gets a new id in the meantime is in
 * the next list, so this repeats until a list has no new session.
 *
 * @param list Returns the ids of the sessions.
 * @param end Ends one session, and returns `true` if it existed.
 * @param except The id of a session to keep.
 * @returns The number of ended sessions.
 * @throws {SessionStoreError} If each list has new sessions.
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
