import type { SessionConfig } from "./_backing.ts";
import { callStore } from "./_call_store.ts";
import type { SessionStore } from "./store.ts";

/** Milliseconds between two sweeps of the store. */
const SWEEP_INTERVAL = 600_000;

/** Sweeps the store now and then; a failure is the next sweep's concern. */
export function sweeper(
  store: SessionStore,
  { now, storeTimeout }: Pick<SessionConfig, "now" | "storeTimeout">,
): () => Promise<void> {
  let sweptAt = now();
  return async () => {
    const time = now();
    if (time - sweptAt < SWEEP_INTERVAL) return;
    sweptAt = time;
    try {
      await callStore("sweep", () => store.sweep?.(time), storeTimeout);
    } catch {
      // Expired values are refused on reading, swept or not.
    }
  };
}
