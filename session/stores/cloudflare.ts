/**
 * A session store in Cloudflare's Durable Objects, and a cache in Workers KV
 * for what external login fetches from providers.
 *
 * Workers KV is no place for sessions: it has no compare-and-swap, and a
 * session that was ended may be read for a minute or more. For sessions in D1,
 * use `createSQLSessionStore` from `@gatehouse/web/session/sql`.
 *
 * @module
 */
import type { PutOptions, SessionStore, StoredValue } from "../store.ts";
import type { ObjectCommand } from "./_durable_object.ts";
import { checkIndex, checkKey, isKey } from "./keys.ts";

export {
  type DurableObjectState,
  type DurableObjectStorage,
  SessionObject,
} from "./_durable_object.ts";
export { createKVCache, type KVCache, type KVNamespace } from "./_kv_cache.ts";

/** A Durable Object as a Worker sees it. */
export interface DurableObjectStub {
  /** Sends a request to the object. */
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A namespace of Durable Objects, as it is bound in `env`. */
export interface DurableObjectNamespace<Id = unknown> {
  /** Makes an object's id of its name. */
  idFromName(name: string): Id;
  /** Returns the object of an id. */
  get(id: Id): DurableObjectStub;
}

/**
 * Creates a session store in Durable Objects: one object for each session, and
 * one for each index name.
 *
 * @example Its shape, with objects that are always empty
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
 * @typeParam Id What the runtime calls objects by.
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
    // Two objects have no common transaction. So the index learns of the key
    // before, and whoever reads the index asks the value's object if it is so.
    await Promise.all(
      index.map((name) => this.#send(`index:${name}`, { do: "add", key, ttl })),
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
