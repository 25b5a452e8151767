import { SingleFlight } from "../../router/internal.ts";
import { callStore } from "../../session/internal.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import type { ResolvedIssuerOptions } from "./_options.ts";
import { RetryPause } from "./retry_pause.ts";

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

/** Milliseconds after which a waiting caller sends its own request. */
const LOST_AFTER = 2_000;

/** Milliseconds that the external cache may take: it has to save time. */
const CACHE_TIMEOUT = 1_000;

interface Entry<Value> {
  readonly value: Value;
  readonly at: number;
}

/** A document that is fetched when it is needed, and cached. */
export class CachedDocument<Value> {
  readonly #options: CachedDocumentOptions<Value>;
  readonly #flight = new SingleFlight<Entry<Value>>(LOST_AFTER);
  readonly #outage: RetryPause;
  /** The cooldowns, by the kind of caller of `refresh`. */
  readonly #cooldowns: Readonly<Record<"login" | "logout", RetryPause>>;
  #entry: Entry<Value> | undefined;

  constructor(options: CachedDocumentOptions<Value>) {
    const { now } = options;
    this.#options = options;
    this.#outage = new RetryPause(now);
    this.#cooldowns = {
      login: new RetryPause(now),
      logout: new RetryPause(now),
    };
  }

  /**
   * Returns the document. Concurrent calls share one request. If the request
   * fails, it returns the stale document until `maxStale` has passed.
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
    // One caller sends a request, while the others get the stale document.
    const isWaiting = this.#flight.isRunning || this.#outage.isRunning;
    if (stale !== undefined && isWaiting) return stale.value;
    try {
      return await this.#fetch(true);
    } catch (error) {
      // A response that is invalid may be a revocation, so it counts.
      if (stale === undefined || !this.#outage.isSet) throw error;
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
    const cooldown = this.#cooldowns[caller];
    const entry = this.#entry;
    if (entry !== undefined && entry.value !== outdated) return entry.value;
    if (!this.#flight.isRunning) {
      if (cooldown.isRunning) return undefined;
      cooldown.start(this.#options.cooldown);
    }
    try {
      return await this.#fetch(false);
    } catch (error) {
      cooldown.start();
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
      this.#outage.clear();
      return body;
    } catch (error) {
      this.#outage.start();
      throw error;
    }
  }
}

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
    // The login works without the cache, after one more request.
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

/** Returns `false` for times in the future too, because the clock was wrong. */
function isFresh(at: number, now: number, ttl: number): boolean {
  return at <= now && now - at < ttl;
}
