import { SessionStoreError } from "../errors.ts";
import type { SessionStore } from "../store.ts";

/** The limit of sweeps in one call: far more than any store needs. */
const MAX_SWEEPS = 100_000;

/** Options for {@linkcode sweepSessions}. */
export interface SweepSessionsOptions {
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/**
 * Removes all expired values from a store, for a cron job.
 *
 * It is rarely needed: Redis, Deno KV and Durable Objects remove expired values
 * themselves, and the SQL store removes a few expired rows with each new one.
 * Use it after a flood of requests, or if a long time without logins follows.
 *
 * @example Sweep every night
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createMemorySessionStore, sweepSessions } from "@gatehouse/web/session";
 *
 * let time = 0;
 * const now = () => time;
 * const store = createMemorySessionStore({ now });
 * await store.put("key", "value", { ttl: 1_000, ifVersion: null });
 *
 * time = 1_000;
 * // Deno.cron("sweep", "0 4 * * *", () => sweepSessions(store));
 * await sweepSessions(store, { now });
 * assertEquals(await store.get("key"), null);
 * ```
 *
 * @param store The store.
 * @param options The clock.
 * @throws {SessionStoreError} If the store fails.
 */
export async function sweepSessions(
  store: SessionStore,
  options: SweepSessionsOptions = {},
): Promise<void> {
  const { now = Date.now } = options;
  try {
    for (let count = 0; count < MAX_SWEEPS; count++) {
      if (await store.sweep?.(now()) !== true) return;
    }
  } catch (cause) {
    throw new SessionStoreError("sweep", { cause });
  }
}

/** Milliseconds between two sweeps of the store. */
const SWEEP_INTERVAL = 600_000;

/**
 * Creates a function that sweeps the store every ten minutes. It returns at
 * once, so that no request waits for a sweep. If a sweep did not remove
 * everything, the next call starts another. It ignores failures, because no
 * store returns expired values.
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
