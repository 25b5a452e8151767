import { SingleFlight } from "../../router/internal.ts";
import { callStore } from "../../session/internal.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import type { ResolvedIssuerOptions } from "./_options.ts";

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

/** A document that is fetched when it is needed, and cached. */
export class CachedDocument<Value> {
  readonly #options: CachedDocumentOptions<Value>;
  readonly #flight = new SingleFlight<Entry<Value>>(LOST_AFTER);
  readonly #refreshes = new Map<string, Refresh>();
  #entry: Entry<Value> | undefined;
  /** The time of the last request if it failed, else -Infinity. */
  #failedAt = -Infinity;

  constructor(options: CachedDocumentOptions<Value>) {
    this.#options = options;
  }

  /**
   * Returns the document. Concurrent calls share one request. If the request
   * fails, it returns the stale document until `maxStale` is over.
   */
  async get(): Promise<Value> {
    const { maxStale, now, ttl } = this.#options;
    const time = now();
    const entry = this.#entry;
    if (entry !== undefined && isFresh(entry.at, time, ttl)) {
      return entry.value;
    }
    const stale = entry !== undefined && isFresh(entry.at, time, maxStale)
      ? entry
      : undefined;
    // One caller sends a request. The others get the stale document.
    const isWaiting = this.#flight.isRunning ||
      isFresh(this.#failedAt, time, RETRY_AFTER);
    if (stale !== undefined && isWaiting) return stale.value;
    try {
      return await this.#fetch(true);
    } catch (error) {
      // A response that is invalid may be a revocation, so it counts.
      if (stale === undefined || this.#failedAt === -Infinity) throw error;
      return stale.value;
    }
  }

  /**
   * Fetches the document again because the given one is outdated. Returns
   * `undefined` during the cooldown, which is short after a failure. Each kind of
   * caller has a separate cooldown: anyone can send logout tokens, and they must
   * not use up the cooldown of logins.
   */
  async refresh(
    outdated: Value,
    caller: "login" | "logout" = "login",
  ): Promise<Value | undefined> {
    const { cooldown, now } = this.#options;
    const entry = this.#entry;
    if (entry !== undefined && entry.value !== outdated) return entry.value;
    const time = now();
    if (!this.#flight.isRunning) {
      const { at, pause } = this.#refreshes.get(caller) ?? NEVER;
      if (isFresh(at, time, pause)) return undefined;
      this.#refreshes.set(caller, { at: time, pause: cooldown });
    }
    try {
      return await this.#fetch(false);
    } catch (error) {
      this.#refreshes.set(caller, { at: now(), pause: RETRY_AFTER });
      throw error;
    }
  }

  async #fetch(useCache: boolean): Promise<Value> {
    const load = () => this.#load();
    const { value } = await this.#flight.run(async () =>
      this.#entry = await fetchEntry({ ...this.#options, load }, useCache)
    );
    return value;
  }

  async #load(): Promise<JSONObject> {
    try {
      const body = await this.#options.load();
      this.#failedAt = -Infinity;
      return body;
    } catch (error) {
      this.#failedAt = this.#options.now();
      throw error;
    }
  }
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
