import { parseRecord, type SessionRecord } from "../record.ts";
import { userIndexName } from "../store.ts";
import type { CallStore } from "./_id_rotation.ts";
import type { SessionConfig } from "./driver.ts";
import { endStored } from "./ended_sessions.ts";

/** The number of sessions that are read or ended at the same time. */
const BATCH = 20;

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
  const found: { readonly id: string; readonly createdAt: number }[] = [];
  await inBatches(ids, async (id) => {
    const stored = await callStore("read", (store) => store.get(id));
    const record = stored && parseRecord(stored.value);
    if (record === null || !isTheirs(record)) return;
    found.push({ id, createdAt: record.createdAt });
  });
  // Concurrent logins must choose the same sessions, or they end each other's.
  found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
  await inBatches(found.slice(maxSessions), async ({ createdAt, id }) => {
    // A session whose user has just confirmed the login is not old any more.
    const accept = (record: SessionRecord) =>
      isTheirs(record) && record.createdAt === createdAt;
    await endStored(callStore, id, accept);
  });
}

async function inBatches<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    await Promise.all(items.slice(start, start + BATCH).map(run));
  }
}
