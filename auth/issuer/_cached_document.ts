import { callStore } from "../../session/internal.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import type { ResolvedIssuerOptions } from "./_options.ts";
import { SingleFlight } from "./_single_flight.ts";

/** A document that is fetched when it is needed, and cached. */
export interface CachedDocument<Value> {
  /**
   * Returns the document. Concurrent calls share one request. If the request
   * fails, it returns the stale document until `maxStale` is over.
   */
  get(): Promise<Value>;
  /**
   * Fetches the document again because the given one is outdated. Returns
   * `undefined` during the cooldown, which is short after a failure. Each kind of
   * caller has a separate cooldown: anyone can send logout tokens, and they must
   * not use up the cooldown of logins.
   */
  refresh(
    outdated: Value,
    caller?: "login" | "logout",
  ): Promise<Value | undefined>;
}

/** The source of a document, and how long it is cached. */
export interface CachedDocumentOptions<Value>
  extends Pick<ResolvedIssuerOptions, "cache" | "now"> {
  /** The key in the external cache. */
  readonly key: string;
  /** Milliseconds for which the document is fresh. */
  readonly ttl: number;
  /** Milliseconds for which it is used while fetching it fails. */
  readonly maxStale: number;
  /** Milliseconds between two calls of `refresh` that send a request. */
  readonly cooldown: number;
  /** Fetches the document. Errors are not cached. */
  readonly load: () => Promise<JSONObject>;
  /** Parses the document, or throws if it is invalid. */
  readonly parse: (body: JSONObject) => Value;
}

/** Milliseconds between two requests if the first one failed. */
export const RETRY_AFTER = 5_000;

/** Milliseconds after which a waiting caller sends a request too. */
const LOST_AFTER = 2_000;

/** Milliseconds that the external cache may take: it has to save time. */
const CACHE_TIMEOUT = 1_000;

interface Entry<Value> {
  readonly value: Value;
  readonly at: number;
}

/** The last refresh of a caller. */
interface Refresh {
  readonly at: number;
  /** Milliseconds until the next one. */
  readonly pause: number;
}

/** Creates a document that is cached in memory and in the external cache. */
export function createCachedDocument<Value>(
  options: CachedDocumentOptions<Value>,
): CachedDocument<Value> {
  const { ttl, cooldown, maxStale, now } = options;
  let entry: Entry<Value> | undefined;
  const flight = new SingleFlight<Entry<Value>>(LOST_AFTER);
  const refreshes = new Map<string, Refresh>();
  /** The time of the last request if it failed, else -Infinity. */
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

  function fetchOnce(useCache: boolean): Promise<Entry<Value>> {
    return flight.run(async () =>
      entry = await fetchEntry({ ...options, load }, useCache)
    );
  }

  return {
    async get() {
      const time = now();
      if (entry !== undefined && isFresh(entry.at, time, ttl)) {
        return entry.value;
      }
      const stale = entry !== undefined && isFresh(entry.at, time, maxStale)
        ? entry
        : undefined;
      // One caller sends a request. The others get the stale document.
      const isWaiting = flight.isRunning ||
        isFresh(failedAt, time, RETRY_AFTER);
      if (stale !== undefined && isWaiting) return stale.value;
      try {
        return (await fetchOnce(true)).value;
      } catch (error) {
        // A response that is invalid may be a revocation, so it counts.
        if (stale === undefined || failedAt === -Infinity) throw error;
        return stale.value;
      }
    },
    async refresh(outdated, caller = "login") {
      if (entry !== undefined && entry.value !== outdated) return entry.value;
      const time = now();
      if (!flight.isRunning) {
        const { at, pause } = refreshes.get(caller) ?? NEVER;
        if (isFresh(at, time, pause)) return undefined;
        refreshes.set(caller, { at: time, pause: cooldown });
      }
      try {
        return (await fetchOnce(false)).value;
      } catch (error) {
        refreshes.set(caller, { at: now(), pause: RETRY_AFTER });
        throw error;
      }
    },
  };
}

const NEVER: Refresh = { at: -Infinity, pause: 0 };

async function fetchEntry<Value>(
  options: CachedDocumentOptions<Value>,
  useCache: boolean,
): Promise<Entry<Value>> {
  const { cache, key, load, now, parse, ttl } = options;
  const cached = useCache ? await readCache(options) : undefined;
  if (cached !== undefined) return cached;
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
    // Without the cache there is one more request, but the login works.
  }
  return { value, at };
}

async function readCache<Value>(
  { cache, key, now, parse, ttl }: CachedDocumentOptions<Value>,
): Promise<Entry<Value> | undefined> {
  try {
    const cached = await callStore(
      "read",
      () => cache?.get(key),
      CACHE_TIMEOUT,
    ) as { at?: unknown; body?: unknown } | null | undefined;
    const { at, body } = cached ?? {};
    if (typeof at !== "number" || typeof body !== "object" || body === null) {
      return undefined;
    }
    if (!isFresh(at, now(), ttl)) return undefined;
    return { value: parse(body as JSONObject), at };
  } catch {
    return undefined;
  }
}

/** Returns `false` also for times in the future: the clock was wrong. */
function isFresh(at: number, now: number, ttl: number): boolean {
  return at <= now && now - at < ttl;
}
