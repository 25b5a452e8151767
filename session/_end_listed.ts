import { ENDED_TTL, endMark, parseEndMark } from "./_record.ts";
import type { SessionStore } from "./store.ts";

/** How often sessions are listed until no new one is among them. */
const MAX_ROUNDS = 5;

/** How often one is ended that others write to. */
const MAX_ATTEMPTS = 10;

/**
 * Ends what is stored under a key, with a mark for the requests that are on
 * their way: none of them is to begin a session in its place.
 *
 * @param store The store.
 * @param key The key.
 * @returns Whether there was anything.
 */
export async function endStored(
  store: SessionStore,
  key: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await store.get(key);
    if (found === null || parseEndMark(found.value) !== null) return false;
    const options = { ttl: ENDED_TTL, ifVersion: found.version };
    if (await store.put(key, endMark(), options)) return true;
  }
  await store.delete(key);
  return true;
}

/**
 * Ends the sessions of a list. One that changed its id since it was listed is in
 * the next list, so that the list is read until nothing new is in it.
 *
 * @param list Lists the ids.
 * @param end Ends one; tells whether there was one.
 * @param except The id of one that goes on.
 * @returns How many were ended.
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
    if (ids.length === 0) break;
    for (const id of ids) {
      seen.add(id);
      if (await end(id)) count++;
    }
  }
  return count;
}
