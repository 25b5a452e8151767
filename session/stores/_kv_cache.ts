/** The part of a Workers KV namespace, as bound in `env`, that the cache uses. */
export interface KVNamespace {
  /** Reads a string. */
  get(key: string): Promise<string | null>;
  /** Stores a string for a number of seconds. */
  put(
    key: string,
    value: string,
    options: { expirationTtl: number },
  ): Promise<void>;
}

/** A cache for the option `cache` of external login. */
export interface KVCache {
  /**
   * Reads an entry.
   *
   * @param key The key.
   * @returns The value, or `undefined` if it is missing or expired.
   */
  get(key: string): Promise<unknown>;
  /**
   * Stores an entry.
   *
   * @param key The key.
   * @param value A JSON value.
   * @param options The lifetime in milliseconds.
   */
  set(
    key: string,
    value: unknown,
    options: { readonly ttl: number },
  ): Promise<void>;
}

/** The shortest lifetime that Workers KV accepts, in seconds. */
const SHORTEST = 60;

/**
 * Creates a cache in Workers KV for the metadata and keys of identity
 * providers. A Worker's memory is too short-lived to keep them.
 *
 * Trust: anyone who can write to the namespace can log in as any user. Use it
 * for nothing else.
 *
 * @example Cache an entry
 * ```ts
 * import { createKVCache } from "@gatehouse/web/session/cloudflare";
 * import { assertEquals } from "@std/assert";
 *
 * const texts = new Map<string, string>();
 * const namespace = { // env.CACHE in a Worker
 *   get: (key: string) => Promise.resolve(texts.get(key) ?? null),
 *   put: (key: string, value: string) => {
 *     texts.set(key, value);
 *     return Promise.resolve();
 *   },
 * };
 * const cache = createKVCache(namespace);
 * await cache.set("keys", { keys: [] }, { ttl: 600_000 });
 * assertEquals(await cache.get("keys"), { keys: [] });
 * ```
 *
 * @param namespace The namespace.
 * @param options The prefix of every key, and the clock.
 * @returns The cache.
 */
export function createKVCache(
  namespace: KVNamespace,
  options: { readonly prefix?: string; readonly now?: () => number } = {},
): KVCache {
  const { prefix = "gatehouse:", now = Date.now } = options;
  return {
    async get(key) {
      const text = await namespace.get(prefix + key);
      if (text === null) return undefined;
      const { expiresAt, value } = JSON.parse(text);
      return expiresAt > now() ? value : undefined;
    },
    async set(key, value, { ttl }) {
      // KV keeps entries for a minute or more, so the entry contains its expiry.
      const text = JSON.stringify({ expiresAt: now() + ttl, value });
      const expirationTtl = Math.max(SHORTEST, Math.ceil(ttl / 1000));
      await namespace.put(prefix + key, text, { expirationTtl });
    },
  };
}
