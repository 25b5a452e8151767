import { SessionStoreError } from "../errors.ts";
import { parseRecord, type SessionRecord } from "../record.ts";
import { userIndexName } from "../store.ts";
import {
  type CallStore,
  parseTombstone,
  replaceByTombstone,
} from "./_id_rotation.ts";
import type { SessionConfig } from "./driver.ts";

export type { CallStore };

/**
 * The maximum number of times that the sessions of a user are listed. Only moved
 * and new sessions need another round, so this many mean a broken index.
 */
const MAX_ROUNDS = 1_000;

/** The number of sessions that are read or ended at the same time. */
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
    for (const id of ids) seen.add(id);
    const ended = await inBatches(ids, end);
    count += ended.filter(Boolean).length;
  }
  throw new SessionStoreError("end", {
    cause: new Error("The index always lists new sessions"),
  });
}

/**
 * Ends the oldest sessions of a user who has more than `maxSessions`. It runs
 * after each login. Of several concurrent logins, the last one to list the
 * sessions finds all of them, so they can't exceed the limit together.
 *
 * @throws {SessionStoreError} If the store fails.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 7.1.2}
 */
export async function endOldest(
  callStore: CallStore,
  { maxSessions, now, timeouts }: SessionConfig,
  userId: string | number | undefined,
): Promise<void> {
  if (maxSessions === Infinity || userId === undefined) return;
  const name = userIndexName(userId);
  const ids = await callStore("list", (store) => store.byIndex!(name));
  if (ids.length <= maxSessions) return;
  const isTheirs = (record: SessionRecord) =>
    String(record.userId) === String(userId) &&
    timeouts.expiryOf(record) > now();
  const read = await inBatches(ids, async (id) => {
    const stored = await callStore("read", (store) => store.get(id));
    const record = stored && parseRecord(stored.value);
    return record && isTheirs(record) && { id, createdAt: record.createdAt };
  });
  const found = read.filter((session) => !!session);
  // Concurrent logins must choose the same sessions, or they end each other's.
  found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
  await inBatches(found.slice(maxSessions), async ({ createdAt, id }) => {
    // A session whose user has just confirmed the login is not old any more.
    const accept = (record: SessionRecord) =>
      isTheirs(record) && record.createdAt === createdAt;
    await endStored(callStore, id, accept);
  });
}

/** Calls a function for each item, with a limited number of concurrent calls. */
async function inBatches<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += BATCH) {
    const batch = items.slice(start, start + BATCH).map(run);
    results.push(...await Promise.all(batch));
  }
  return results;
}
