import type { SessionStore } from "../store.ts";

/** A store whose values are in the memory of this process. */
export class InMemoryStore {}

/**
 * Returns `true` if a store keeps its values in the memory of this process. The
 * check needs no code of the store, which bundles with another store then lack.
 */
export function isMemoryStore(store: SessionStore): boolean {
  return store instanceof InMemoryStore;
}
