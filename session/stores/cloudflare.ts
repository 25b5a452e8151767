/**
 * A session store in Cloudflare's Durable Objects, and a cache in Workers KV
 * for the metadata and keys that external login fetches from providers.
 *
 * Do not keep sessions in Workers KV: it has no compare-and-swap, and it may
 * return a session for a minute or more after its end. For sessions in D1, use
 * `createSQLSessionStore` from `@gatehouse/web/session/sql`.
 *
 * @module
 */
import {
  checkIndex,
  checkKey,
  isKey,
  type KeyPage,
  type PutOptions,
  type SessionStore,
  type StoredValue,
} from "../store.ts";
import {
  type DurableObjectState,
  type DurableObjectStorage,
  type ObjectCommand,
  SessionObject,
} from "./_durable_object.ts";

export { type DurableObjectState, type DurableObjectStorage, SessionObject };
export { createKVCache, type KVCache, type KVNamespace } from "./_kv_cache.ts";

/** A Worker's view of a Durable Object. */
export interface DurableObjectStub {
  /** Sends a request to the object. */
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A namespace of Durable Objects, as bound in `env`. */
export interface DurableObjectNamespace<Id = unknown> {
  /** Returns the id of an object name. */
  idFromName(name: string): Id;
  /** Returns the object with an id. */
  get(id: Id): DurableObjectStub;
}

/** The number of objects that know the keys of all sessions with a user. */
const SHARDS = 16;

/**
 * Creates a session store in Durable Objects: one object for each session, one for
 * each index name, and 16 that together know the sessions of all users.
 *
 * @example Create a store, with a namespace of empty objects
 * ```ts
 * import { createDurableObjectSessionStore } from "@gatehouse/web/session/cloudflare";
 * import { assertEquals } from "@std/assert";
 *
 * const namespace = { // env.SESSIONS in a Worker
 *   idFromName: (name: string) => name,
 *   get: () => ({ fetch: () => Promise.resolve(Response.json(null)) }),
 * };
 * const store = createDurableObjectSessionStore(namespace);
 * assertEquals(await store.get("a"), null);
 * ```
 *
 * @typeParam Id The runtime's type of an object id.
 * @param namespace The namespace that is bound to `SessionObject`.
 * @returns The store.
 */
export function createDurableObjectSessionStore<Id>(
  namespace: DurableObjectNamespace<Id>,
): SessionStore {
  return new DurableObjectStore(namespace);
}

class DurableObjectStore<Id> implements SessionStore {
  readonly consistency = "strong";
  readonly #namespace: DurableObjectNamespace<Id>;

  constructor(namespace: DurableObjectNamespace<Id>) {
    this.#namespace = namespace;
  }

  async get(key: string): Promise<StoredValue | null> {
    if (!isKey(key)) return null;
    return await this.#send(`value:${key}`, { do: "get" }) as
      | StoredValue
      | null;
  }

  async put(
    key: string,
    value: string,
    options: PutOptions,
  ): Promise<boolean> {
    const { ifVersion, ttl } = options;
    checkKey(key);
    const index = checkIndex(options.index ?? []);
    // A transaction cannot span two objects, so the index gets the key first.
    // `byIndex()` then asks the object of each value whether it has the name.
    const lists = index.map((name) => `index:${name}`);
    if (index.length > 0) lists.push(`keys:${shardOf(key)}`);
    await Promise.all(
      lists.map((name) => this.#send(name, { do: "add", key, ttl })),
    );
    const command = { do: "put", value, ttl, ifVersion, index } as const;
    return await this.#send(`value:${key}`, command) as boolean;
  }

  async delete(key: string): Promise<void> {
    if (!isKey(key)) return;
    await this.#send(`value:${key}`, { do: "delete" });
  }

  async byIndex(name: string): Promise<string[]> {
    const keys = await this.#send(`index:${name}`, { do: "keys" }) as string[];
    const found = await Promise.all(
      keys.map((key) => this.#send(`value:${key}`, { do: "has", name })),
    );
    return keys.filter((_key, position) => found[position] === true);
  }

  async keys(after = "-1"): Promise<KeyPage> {
    const shard = Number(after) + 1;
    const keys = await this.#send(`keys:${shard}`, { do: "keys" }) as string[];
    return { keys, next: shard + 1 < SHARDS ? String(shard) : undefined };
  }

  async #send(name: string, command: ObjectCommand): Promise<unknown> {
    const object = this.#namespace.get(this.#namespace.idFromName(name));
    const response = await object.fetch("https://session.invalid/", {
      method: "POST",
      body: JSON.stringify(command),
    });
    if (!response.ok) {
      throw new Error(`A Durable Object answered ${response.status}`);
    }
    return await response.json();
  }
}

/** Returns the number of the object that knows a key. */
function shardOf(key: string): number {
  return key.charCodeAt(0) % SHARDS;
}
