import { callStore } from "../../session/internal.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import { SharedWork } from "./_shared_work.ts";

/**
 * Keeps a provider's metadata and keys outside the process, for runtimes whose
 * processes live shortly.
 *
 * Trust: who can write here can log in as anyone. Keep it as safe as the code.
 */
export interface ExternalAuthCache {
  /**
   * Reads an entry. After a second without an answer there is none.
   *
   * @param key Its name.
   * @returns What was stored, or nothing.
   */
  get(key: string): unknown;
  /**
   * Stores an entry. It is waited for a second at most.
   *
   * @param key Its name.
   * @param value Its value, which survives JSON.
   * @param options How long it is of use, in milliseconds.
   */
  set(key: string, value: unknown, options: { readonly ttl: number }): unknown;
}

/** A document that is fetched when needed and kept for a while. */
export interface CachedDocument<Value> {
  /**
   * Returns the document. Concurrent calls share one fetch. If the fetch fails,
   * the last document is good for a while longer.
   */
  get(): Promise<Value>;
  /**
   * Returns the document anew, after the given one turned out to be old: at
   * once, and then `undefined` for the length of the cooldown. After a failure
   * the cooldown is short. Each caller has its own, so that logout tokens, which
   * anybody can send, do not use up that of logins.
   */
  renew(old: Value, caller?: "login" | "logout"): Promise<Value | undefined>;
}

/** Where a document comes from and how long it is kept. */
export interface CachedDocumentOptions<Value> {
  /** Its name in the outer cache. */
  readonly key: string;
  /** How long it is kept, in milliseconds. */
  readonly ttl: number;
  /** How long it is used if it can't be fetched again, in milliseconds. */
  readonly maxStale: number;
  /** How long no second renewal follows a first, in milliseconds. */
  readonly cooldown: number;
  /** Fetches it. A failure is not kept. */
  readonly load: () => Promise<JSONObject>;
  /** Makes of it what is used; throws where it is not usable. */
  readonly parse: (body: JSONObject) => Value;
  /** The time now, in epoch milliseconds. */
  readonly now: () => number;
  /** The outer cache. */
  readonly cache?: ExternalAuthCache;
}

/** Milliseconds that a document is not asked for again that could not be had. */
export const RETRY_AFTER = 5_000;

/** Milliseconds after which one of those who wait fetches, too. */
const PATIENCE = 2_000;

/** Milliseconds that the outer cache may take: it is there to save time. */
const CACHE_TIMEOUT = 1_000;

interface Kept<Value> {
  readonly value: Value;
  readonly at: number;
}

/** The last renewal that a caller has asked for. */
interface Renewal {
  readonly at: number;
  /** Milliseconds until the next one. */
  readonly pause: number;
}

/** Keeps a document in the process, and in the outer cache if there is one. */
export function createCachedDocument<Value>(
  options: CachedDocumentOptions<Value>,
): CachedDocument<Value> {
  const { ttl, cooldown, maxStale, now } = options;
  let kept: Kept<Value> | undefined;
  const fetching = new SharedWork<Kept<Value>>(PATIENCE);
  const renewals = new Map<string, Renewal>();
  /** The time at which the provider did not answer; -Infinity if it did. */
  let failedAt = -Infinity;

  async function load(): Promise<JSONObject> {
    try {
      const body = await options.load();
      failedAt = -Infinity;
      return body;
    } catch (error) {
      failedAt = now();
      throw error;
    }
  }

  function fetchOnce(mayBeCached: boolean): Promise<Kept<Value>> {
    return fetching.run(async () =>
      kept = await fetchDocument({ ...options, load }, mayBeCached)
    );
  }

  return {
    async get() {
      const time = now();
      if (kept !== undefined && isFresh(kept.at, time, ttl)) return kept.value;
      const stale = kept !== undefined && isFresh(kept.at, time, maxStale)
        ? kept
        : undefined;
      // One caller asks again. The others need not wait with it.
      const isAsked = fetching.isBegun || isFresh(failedAt, time, RETRY_AFTER);
      if (stale !== undefined && isAsked) return stale.value;
      try {
        return (await fetchOnce(true)).value;
      } catch (error) {
        // An answer that is not usable may be a withdrawal: it counts.
        if (stale === undefined || failedAt === -Infinity) throw error;
        return stale.value;
      }
    },
    async renew(old, caller = "login") {
      if (kept !== undefined && kept.value !== old) return kept.value;
      const time = now();
      if (!fetching.isBegun) {
        const { at, pause } = renewals.get(caller) ?? NEVER;
        if (isFresh(at, time, pause)) return undefined;
        renewals.set(caller, { at: time, pause: cooldown });
      }
      try {
        return (await fetchOnce(false)).value;
      } catch (error) {
        renewals.set(caller, { at: now(), pause: RETRY_AFTER });
        throw error;
      }
    },
  };
}

const NEVER: Renewal = { at: -Infinity, pause: 0 };

async function fetchDocument<Value>(
  options: CachedDocumentOptions<Value>,
  mayBeCached: boolean,
): Promise<Kept<Value>> {
  const { cache, key, load, now, parse, ttl } = options;
  const stored = mayBeCached ? await readCache(options) : undefined;
  if (stored !== undefined) return stored;
  const body = await load();
  const value = parse(body);
  const at = now();
  try {
    await callStore(
      "write",
      () => cache?.set(key, { at, body }, { ttl }),
      CACHE_TIMEOUT,
    );
  } catch {
    // A cache that is down costs a request, not the login.
  }
  return { value, at };
}

async function readCache<Value>(
  { cache, key, now, parse, ttl }: CachedDocumentOptions<Value>,
): Promise<Kept<Value> | undefined> {
  try {
    const entry = await callStore(
      "read",
      () => cache?.get(key),
      CACHE_TIMEOUT,
    ) as { at?: unknown; body?: unknown } | null | undefined;
    const { at, body } = entry ?? {};
    if (typeof at !== "number" || typeof body !== "object" || body === null) {
      return undefined;
    }
    if (!isFresh(at, now(), ttl)) return undefined;
    return { value: parse(body as JSONObject), at };
  } catch {
    return undefined;
  }
}

/** A time in the future is no fresher than one too long ago. */
function isFresh(at: number, now: number, ttl: number): boolean {
  return at <= now && now - at < ttl;
}
