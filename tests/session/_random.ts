import type { SessionStore } from "@gatehouse/web/session";

/** Wraps a store so that its results arrive in random order. */
export function withRandomDelays(
  store: SessionStore,
  random: () => number,
): SessionStore {
  return {
    async get(key) {
      await pause(random);
      const found = store.get(key);
      await pause(random);
      return found;
    },
    async put(...args) {
      await pause(random);
      const isStored = store.put(...args);
      await pause(random);
      return isStored;
    },
    async delete(key) {
      await pause(random);
      await store.delete(key);
    },
  };
}

/** Waits for a random number of microtasks. */
export async function pause(random: () => number): Promise<void> {
  for (let turns = Math.floor(random() * 6); turns > 0; turns--) {
    await Promise.resolve();
  }
}
