/** A namespace of Workers KV, as it is bound in `env`; the part in use. */
export interface KVNamespace {
  /** Reads a text. */
  get(key: string): Promise<string | null>;
  /** Stores a text for a number of seconds. */
  put(
    key: string,
    value: string,
    options: { expirationTtl: number },
  ): Promise<void>;
}

/** A cache, as the option `cache` of external login takes it. */
export interface KVCache {
  /**
   * Reads an entry.
   *
   * @param key The key.
   * @returns The value, or `undefined` where there is none.
   */
  get(key: string): Promise<unknown>;
  /**
   * Stores an entry.
   *
   * @param key The key.
   * @param value What JSON can hold.
   * @param options How long it is of use, in milliseconds.
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
 * Creates a cache in Workers KV, for the metadata and the keys of identity
 * providers: a Worker's memory is too short-lived to keep them.
 *
 * Trust: who can write to the namespace can let anyone log in as anyone. Give
 * it to nothing else.
 *
 * @example Keeping an entry
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
 * @param options What every key begins with, and the clock.
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
      // KV keeps nothing for less than a minute: the entry knows its end.
      const text = JSON.stringify({ expiresAt: now() + ttl, value });
      const expirationTtl = Math.max(SHORTEST, Math.ceil(ttl / 1000));
      await namespace.put(prefix + key, text, { expirationTtl });
    },
  };
}
