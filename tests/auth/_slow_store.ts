import type { SessionStore } from "@gatehouse/web/session";
import { turns } from "../_wait.ts";

/** Waits a random time, so that concurrent calls finish in any order. */
export function waitABit(): Promise<void> {
  return turns(Math.ceil(Math.random() * 3));
}

/** Creates a slow store in which requests can overtake each other. */
export function slow(store: SessionStore): SessionStore {
  return {
    async get(key) {
      await waitABit();
      return store.get(key);
    },
    async put(key, value, options) {
      await waitABit();
      return store.put(key, value, options);
    },
    async delete(key) {
      await waitABit();
      return store.delete(key);
    },
    byIndex: (name) => store.byIndex!(name),
  };
}
