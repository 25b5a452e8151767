import { newVersion, type StoredValue } from "../store.ts";

/** A command to a Durable Object of sessions. */
export type ObjectCommand =
  | { readonly do: "get" | "delete" | "keys" }
  | { readonly do: "has"; readonly name: string }
  | { readonly do: "add"; readonly key: string; readonly ttl: number }
  | {
    readonly do: "put";
    readonly value: string;
    readonly ttl: number;
    readonly ifVersion: string | null;
    readonly index: readonly string[];
  };

/** The part of a Durable Object's storage that sessions use. */
export interface DurableObjectStorage {
  /** Reads a value. */
  get(key: string): Promise<unknown>;
  /** Stores a value. */
  put(key: string, value: unknown): Promise<void>;
  /** Removes values. */
  delete(keys: string[]): Promise<unknown>;
  /** Removes everything. */
  deleteAll(): Promise<void>;
  /** Returns the values whose keys have a prefix. */
  list(options: { prefix: string }): Promise<Map<string, unknown>>;
  /** Returns the time of the object's next alarm. */
  getAlarm(): Promise<number | null>;
  /** Sets the time of the object's next alarm. */
  setAlarm(time: number): Promise<void>;
}

/** The state that the runtime passes to a Durable Object. */
export interface DurableObjectState {
  /** The object's storage. */
  readonly storage: DurableObjectStorage;
}

interface Stored extends StoredValue {
  readonly expiresAt: number;
  readonly index: readonly string[];
}

const VALUE = "value";
const KEY = "key:";

/**
 * The Durable Object that keeps one session, or the keys of one index name.
 *
 * Export it from the Worker's main module and bind it as a Durable Object
 * namespace for {@linkcode createDurableObjectSessionStore}. It removes expired
 * values with an alarm.
 *
 * @example Declare the object
 * ```ts
 * import { SessionObject } from "@gatehouse/web/session/cloudflare";
 * import { assertEquals } from "@std/assert";
 *
 * // In the Worker's main module:
 * // export { SessionObject } from "@gatehouse/web/session/cloudflare";
 * // In wrangler.json:
 * const wrangler = {
 *   durable_objects: {
 *     bindings: [{ name: "SESSIONS", class_name: "SessionObject" }],
 *   },
 *   migrations: [{ tag: "v1", new_sqlite_classes: ["SessionObject"] }],
 * };
 * assertEquals(
 *   wrangler.durable_objects.bindings[0].class_name,
 *   SessionObject.name,
 * );
 * ```
 */
export class SessionObject {
  readonly #storage: DurableObjectStorage;

  /**
   * Creates the object. Only the runtime calls this.
   *
   * @param state The object's state.
   */
  constructor(state: DurableObjectState) {
    this.#storage = state.storage;
  }

  /**
   * Runs a command of the session store.
   *
   * @param request A command as JSON.
   * @returns The result as JSON.
   */
  async fetch(request: Request): Promise<Response> {
    const command = await request.json() as ObjectCommand;
    return Response.json(await this.#run(command) ?? null);
  }

  /** Removes expired values. Only the runtime calls this. */
  async alarm(): Promise<void> {
    const now = Date.now();
    const stored = await this.#storage.get(VALUE) as Stored | undefined;
    const keys = await this.#keys();
    const ends = [...keys.values(), ...stored ? [stored.expiresAt] : []];
    const next = Math.min(...ends.filter((end) => end > now));
    if (next === Infinity) return await this.#storage.deleteAll();
    const expired = [...keys].filter(([, end]) => end <= now)
      .map(([key]) => KEY + key);
    // The runtime removes at most 128 keys per call.
    while (expired.length > 0) {
      await this.#storage.delete(expired.splice(0, 128));
    }
    await this.#storage.setAlarm(next);
  }

  // No other request runs in the object while it waits for its storage ("input
  // gates"), so reading and then writing is atomic.
  async #run(command: ObjectCommand): Promise<unknown> {
    switch (command.do) {
      case "get": {
        const stored = await this.#live();
        return stored && { value: stored.value, version: stored.version };
      }
      case "has":
        return (await this.#live())?.index.includes(command.name) ?? false;
      case "put":
        return await this.#put(command);
      case "delete":
        return await this.#storage.deleteAll();
      case "add": {
        const name = KEY + command.key;
        const before = await this.#storage.get(name) as number | undefined;
        // The key must not expire earlier if the put that follows fails.
        const end = Math.max(before ?? 0, Date.now() + command.ttl);
        await this.#storage.put(name, end);
        return await this.#wakeAt(end);
      }
      case "keys": {
        const now = Date.now();
        return [...await this.#keys()].filter(([, end]) => end > now)
          .map(([key]) => key);
      }
    }
  }

  async #put(command: ObjectCommand & { do: "put" }): Promise<boolean> {
    const { ifVersion, index, ttl, value } = command;
    const current = await this.#live();
    if ((current?.version ?? null) !== ifVersion) return false;
    const expiresAt = Date.now() + ttl;
    const stored: Stored = { value, version: newVersion(), expiresAt, index };
    await this.#storage.put(VALUE, stored);
    await this.#wakeAt(expiresAt);
    return true;
  }

  async #live(): Promise<Stored | null> {
    const stored = await this.#storage.get(VALUE) as Stored | undefined;
    return stored !== undefined && stored.expiresAt > Date.now()
      ? stored
      : null;
  }

  async #keys(): Promise<Map<string, number>> {
    const entries = await this.#storage.list({ prefix: KEY });
    return new Map(
      [...entries].map(([key, end]) => [key.slice(KEY.length), Number(end)]),
    );
  }

  async #wakeAt(time: number): Promise<void> {
    const alarm = await this.#storage.getAlarm();
    if (alarm === null || alarm > time) await this.#storage.setAlarm(time);
  }
}
