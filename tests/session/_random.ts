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

/** Creates a function that returns pseudorandom numbers from a seed (Mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
