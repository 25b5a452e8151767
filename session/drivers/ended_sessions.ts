import { SessionStoreError } from "../errors.ts";
import { inBatches } from "../in_batches.ts";
import { isSessionId, parseRecord, type SessionRecord } from "../record.ts";
import type { StoredValue } from "../store.ts";
import {
  findMoved,
  parseTombstone,
  replaceByTombstone,
  serializeTombstone,
  TOMBSTONE_TTL,
} from "./_id_rotation.ts";
import type { CallStore } from "./circuit_breaker.ts";
import { reportEnd } from "./end_listeners.ts";

/** Returns `true` if a session may be ended. Its id may have changed. */
export type Accept = (record: SessionRecord, id: string) => boolean;

/**
 * The maximum number of times that the sessions of a user are listed. Only moved
 * and new sessions need another round, so this many mean a broken index.
 */
const MAX_ROUNDS = 1_000;

/** The maximum number of sessions in one call of a batch method. */
export const BATCH = 500;

/**
 * The maximum number of reads to end a session. Each additional read means that
 * another request changed the session's id or values in the meantime.
 */
const MAX_READS = 1_000;

/**
 * Ends a session, under its new id if it was moved. A tombstone keeps requests
 * in flight from beginning a new session.
 *
 * @param callStore Calls the store.
 * @param id The id of the session.
 * @param accept Returns `true` if the session may be ended.
 * @param moved The old ids that were followed before. They are not followed again.
 * @param ttl The lifetime of the tombstone in milliseconds.
 * @returns `true` if a session was ended.
 * @throws {SessionStoreError} If the store fails.
 */
export async function endStored(
  callStore: CallStore,
  id: string,
  accept: Accept,
  moved?: Set<string>,
  ttl = TOMBSTONE_TTL,
): Promise<boolean> {
  let current = id;
  let attempt = 0;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const found = await callStore("read", (store) => store.get(current));
    if (found === null) return false;
    const tombstone = parseTombstone(found.value);
    if (tombstone !== null) {
      if (tombstone.next === undefined || moved?.has(current)) return false;
      moved?.add(current);
      current = tombstone.next;
      continue;
    }
    const record = parseRecord(found.value);
    if (record === null || !accept(record, current)) return false;
    const { version } = found;
    if (await replaceByTombstone(callStore, current, version, attempt++, ttl)) {
      await reportEnded(callStore, record, current);
      return true;
    }
  }
  throw new SessionStoreError("end", {
    cause: new Error("The id of the session always changes"),
  });
}

/** Tells the listeners of the store that a session has ended. */
async function reportEnded(
  callStore: CallStore,
  { firstId, userId }: SessionRecord,
  id: string,
): Promise<void> {
  if (userId === undefined) return;
  await reportEnd(callStore, { firstId: firstId ?? id, userId });
}

/**
 * Ends all sessions with an index name. A session that gets a new id in the
 * meantime is in the next list, so this repeats until a list has no new session.
 *
 * @param callStore Calls the store.
 * @param name The index name.
 * @param accept Returns `true` if a session may be ended.
 * @returns The number of ended sessions.
 * @throws {SessionStoreError} If the store fails, or each list has new sessions.
 */
export async function endIndexed(
  callStore: CallStore,
  name: string,
  accept: Accept,
): Promise<number> {
  const seen = new Set<string>();
  let count = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const all = await callStore("list", (store) => store.byIndex!(name));
    const ids = all.filter((id) => !seen.has(id));
    if (ids.length === 0) return count;
    for (const id of ids) seen.add(id);
    count += await endMany(callStore, ids, accept);
  }
  throw new SessionStoreError("end", {
    cause: new Error("The index always lists new sessions"),
  });
}

/**
 * Ends all sessions of a store. A session that moves in the meantime can be on no
 * page, so this repeats until it ends no more sessions.
 *
 * @param callStore Calls the store.
 * @param accept Returns `true` if a session may be ended.
 * @returns The number of ended sessions.
 * @throws {SessionStoreError} If the store fails, or there are always more sessions.
 */
export async function endEach(
  callStore: CallStore,
  accept: Accept,
): Promise<number> {
  // Pages keep an old id for a while, and it leads to the same session.
  const moved = new Set<string>();
  let count = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = count;
    let after: string | undefined;
    do {
      const page = await callStore("list", (store) => store.keys!(after));
      const ids = page.keys.filter((id) => isSessionId(id) && !moved.has(id));
      count += await endMany(callStore, ids, accept, moved);
      after = page.next;
    } while (after !== undefined);
    if (count === before) return count;
  }
  throw new SessionStoreError("end", {
    cause: new Error("There are always more sessions"),
  });
}

/**
 * Returns the first id of a session, which stays the same if its id changes.
 *
 * @throws {SessionStoreError} If the store fails.
 */
export async function firstIdOf(
  callStore: CallStore,
  id: string,
): Promise<string> {
  const found = await findMoved(callStore, id);
  return found?.record.firstId ?? found?.id ?? id;
}

/** Ends sessions in batches. Returns the number of those that were active. */
export async function endMany(
  callStore: CallStore,
  ids: readonly string[],
  accept: Accept,
  moved?: Set<string>,
): Promise<number> {
  const end = (id: string) => endStored(callStore, id, accept, moved);
  let count = 0;
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    const { ended, others } = await endAtOnce(callStore, batch, accept);
    count += ended;
    count += (await inBatches(others, end)).filter(Boolean).length;
    await pause();
  }
  return count;
}

/**
 * Ends sessions with the batch methods of the store, if it has them.
 *
 * @returns The number of ended sessions, and the ids of those that have changed in
 * the meantime, or moved before.
 */
async function endAtOnce(
  callStore: CallStore,
  ids: readonly string[],
  accept: Accept,
): Promise<{ readonly ended: number; readonly others: readonly string[] }> {
  const found = await callStore("read", (store) => {
    return store.replaceMany && store.getMany?.(ids) || null;
  });
  // If all of them were read first, the sessions would have more time to
  // change.
  if (found === null) return { ended: 0, others: ids };
  const entries = ids.flatMap((key, index) => {
    const stored = found[index];
    const record = stored && parseRecord(stored.value);
    const { version } = stored ?? {};
    return record && accept(record, key)
      ? [{ key, version: version!, record }]
      : [];
  });
  const versions = entries.map(({ key, version }) => ({ key, version }));
  const options = [serializeTombstone({}), TOMBSTONE_TTL] as const;
  // A store that is full may reject the tombstones, but not a deletion.
  const ended = new Set(
    await Promise.try(() =>
      callStore("end", (store) => store.replaceMany!(versions, ...options))
    ).catch(() => []),
  );
  await inBatches(
    entries.filter(({ key }) => ended.has(key)),
    ({ key, record }) => reportEnded(callStore, record, key),
  );
  const others = ids.filter((id, index) => found[index] && !ended.has(id));
  return { ended: ended.size, others };
}

/** Reads sessions, in one call if the store can. */
export async function findMany(
  callStore: CallStore,
  ids: readonly string[],
): Promise<readonly (StoredValue | null)[]> {
  return await callStore("read", (store) => store.getMany?.(ids) ?? null) ??
    await inBatches(
      ids,
      async (id) => await callStore("read", (store) => store.get(id)),
    );
}

/** Lets other requests run: a database in this process would block them. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
