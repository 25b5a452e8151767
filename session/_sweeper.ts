import type { SessionStore } from "./store.ts";

/** Milliseconds between two sweeps of the store. */
const SWEEP_INTERVAL = 600_000;

/**
 * Creates a function that sweeps the store now and then. It returns at once, so
 * that no visitor waits for a sweep. If a sweep leaves something, the next call
 * begins another. A failure is ignored: no store returns expired values.
 */
export function sweeper(store: SessionStore, now: () => number): () => void {
  let sweptAt = now();
  return () => {
    const time = now();
    if (time - sweptAt < SWEEP_INTERVAL) return;
    sweptAt = time;
    Promise.try(() => store.sweep?.(time)).then(
      (hasMore) => {
        if (hasMore === true) sweptAt = -Infinity;
      },
      () => {},
    );
  };
}
