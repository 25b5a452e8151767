import { SessionLimitError } from "../errors.ts";
import { parseRecord, type SessionRecord } from "../record.ts";
import { userIndexName } from "../store.ts";
import type { CallStore } from "./circuit_breaker.ts";
import type { SessionConfig } from "./driver.ts";
import { BATCH, endMany, findMany, pause } from "./ended_sessions.ts";

/**
 * Enforces the limit of a user's sessions after a login: ends the oldest ones,
 * or rejects the login. If logins are concurrent, the last one to list the
 * sessions finds all of them, so together they can't exceed the limit.
 *
 * @param userId The user.
 * @param before The user of the session before the login. If it is the same, the
 * user has no additional session.
 * @throws {SessionLimitError} If the login is rejected.
 * @throws {SessionStoreError} If the store fails.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 7.1.2}
 */
export async function limitSessions(
  callStore: CallStore,
  config: SessionConfig,
  userId: string | number | undefined,
  before: string | number | undefined,
): Promise<void> {
  const { maxSessions, maxSessionsAction } = config;
  if (maxSessions === Infinity || userId === undefined) return;
  if (maxSessionsAction === "refuse") {
    if (before === userId) return;
    return await checkSessionLimit(callStore, config, userId, 1);
  }
  const found = await sessionsOf(callStore, config, userId);
  // Concurrent logins must choose the same sessions, or they end each other's.
  found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
  const oldest = found.slice(maxSessions);
  const times = new Set(oldest.map(({ createdAt }) => createdAt));
  // A session whose user has just confirmed the login is no longer old.
  const accept = (record: SessionRecord) =>
    String(record.userId) === String(userId) && times.has(record.createdAt);
  await endMany(callStore, oldest.map(({ id }) => id), accept);
}

/**
 * Rejects a login if the user has too many sessions.
 *
 * @param own 1 if the session of the login is already stored, otherwise 0.
 * @throws {SessionLimitError} If there are too many.
 * @throws {SessionStoreError} If the store fails.
 */
export async function checkSessionLimit(
  callStore: CallStore,
  config: SessionConfig,
  userId: string | number,
  own: 0 | 1,
): Promise<void> {
  const found = await sessionsOf(callStore, config, userId);
  if (found.length - own < config.maxSessions) return;
  throw new SessionLimitError("user");
}

interface FoundSession {
  readonly id: string;
  readonly createdAt: number;
}

/** Returns a user's sessions, if there are `maxSessions` or more. */
async function sessionsOf(
  callStore: CallStore,
  { maxSessions, now, timeouts }: SessionConfig,
  userId: string | number,
): Promise<FoundSession[]> {
  const name = userIndexName(userId);
  const ids = await callStore("list", (store) => store.byIndex!(name));
  if (ids.length < maxSessions) return [];
  const sessions: FoundSession[] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    for (
      const [index, stored] of (await findMany(callStore, batch)).entries()
    ) {
      const record = stored && parseRecord(stored.value);
      if (record === null || timeouts.expiryOf(record) <= now()) continue;
      if (String(record.userId) !== String(userId)) continue;
      sessions.push({ id: batch[index]!, createdAt: record.createdAt });
    }
    await pause();
  }
  return sessions;
}
