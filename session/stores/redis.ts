/**
 * A session store in Redis or Valkey.
 *
 * @module
 */
import {
  checkIndex,
  checkKey,
  isKey,
  type KeyPage,
  type KeyVersion,
  newVersion,
  type PutOptions,
  type SessionStore,
  type StoredValue,
} from "../store.ts";
import {
  BY_INDEX,
  DELETE,
  GET_MANY,
  KEY_NAMES,
  PUT,
  REPLACE_MANY,
  SCAN,
} from "./_redis_scripts.ts";

/** Sends one command and returns its reply, with bulk strings as strings. */
export type RedisCommand = (
  command: string,
  args: string[],
) => unknown | Promise<unknown>;

/** Options for {@linkcode createRedisSessionStore}. */
export interface RedisSessionStoreOptions {
  /**
   * The prefix of every key. In a cluster it needs a hash tag, such as
   * `{sessions}:`, because a script changes a value and its index together.
   * Without one, the store throws a `TypeError` at its first use in a cluster.
   *
   * @default {"gatehouse:session:"}
   */
  readonly prefix?: string;
}

/**
 * Creates a session store in Redis 6, Valkey 7 or later. It needs one function
 * that sends a command.
 *
 * With Bun: `(command, args) => Bun.redis.send(command, args)`. With the
 * `redis` package: `(command, args) => client.sendCommand([command, ...args])`.
 * With `ioredis` and `iovalkey`: `(command, args) => client.call(command,
 * ...args)`.
 *
 * Sessions expire by the server's clock. Give the server enough memory or the
 * policy `noeviction`: if it evicts a session, that user is logged out.
 *
 * @example Print the commands
 * ```ts
 * import { createRedisSessionStore } from "@gatehouse/web/session/redis";
 * import { assertEquals } from "@std/assert";
 *
 * const commands: string[][] = [];
 * const store = createRedisSessionStore((command, args) => {
 *   commands.push([command, ...args]);
 *   return [null, null];
 * });
 * assertEquals(await store.get("a"), null);
 * assertEquals(commands, [
 *   ["HMGET", "gatehouse:session:a", "value", "version"],
 * ]);
 * ```
 *
 * @param command The function that sends a command.
 * @param options The prefix of the keys.
 * @returns The store.
 */
export function createRedisSessionStore(
  command: RedisCommand,
  options: RedisSessionStoreOptions = {},
): SessionStore {
  return new RedisStore(command, options.prefix ?? "gatehouse:session:");
}

class RedisStore implements SessionStore {
  readonly consistency = "strong";
  readonly #command: RedisCommand;
  readonly #prefix: string;
  readonly #index: string;
  #checked: Promise<void> | undefined;

  constructor(command: RedisCommand, prefix: string) {
    this.#command = command;
    this.#prefix = prefix;
    this.#index = `${prefix}index:`;
  }

  async get(key: string): Promise<StoredValue | null> {
    if (!isKey(key)) return null;
    const reply = await this.#command("HMGET", [
      this.#prefix + key,
      "value",
      "version",
    ]);
    const [value, version] = reply as (string | null)[];
    return typeof value === "string" && typeof version === "string"
      ? { value, version }
      : null;
  }

  async put(
    key: string,
    value: string,
    options: PutOptions,
  ): Promise<boolean> {
    const { ifVersion, index = [], ttl } = options;
    // The script reads an empty version as `null`, and no value has that
    // version.
    if (ifVersion === "") return false;
    const names = checkIndex(index).map(encodeName);
    const stored = await this.#evalIndexed(
      PUT,
      [this.#prefix + checkKey(key)],
      names,
      [
        ifVersion ?? "",
        value,
        newVersion(),
        String(Math.ceil(ttl)),
        key,
        names.join(" "),
      ],
    );
    return Number(stored) === 1;
  }

  async delete(key: string): Promise<void> {
    if (!isKey(key)) return;
    await this.#evalIndexed(DELETE, [this.#prefix + key], [], [key]);
  }

  async byIndex(name: string): Promise<string[]> {
    const set = this.#index + encodeName(name);
    return await this.#eval(BY_INDEX, [set], []) as string[];
  }

  async keys(after = "0"): Promise<KeyPage> {
    const reply = await this.#eval(SCAN, [this.#prefix], [after]);
    const [next, found] = reply as [string, string[]];
    const keys = found.filter((key) => !key.startsWith("index:"));
    return { keys, next: next === "0" ? undefined : next };
  }

  async getMany(keys: readonly string[]): Promise<(StoredValue | null)[]> {
    const valid = keys.filter(isKey);
    if (valid.length === 0) return keys.map(() => null);
    const names = valid.map((key) => this.#prefix + key);
    const reply = await this.#eval(GET_MANY, names, []);
    const found = new Map(
      (reply as string[][]).map(([value, version], index) => [
        valid[index]!,
        // Every stored value has a version.
        version ? { value: value!, version } : null,
      ]),
    );
    return keys.map((key) => found.get(key) ?? null);
  }

  async replaceMany(
    entries: readonly KeyVersion[],
    value: string,
    ttl: number,
  ): Promise<string[]> {
    if (entries.length === 0) return [];
    const keys = entries.map(({ key }) => this.#prefix + key);
    return await this.#evalIndexed(REPLACE_MANY, keys, [], [
      value,
      newVersion(),
      String(Math.ceil(ttl)),
      ...entries.flatMap(({ key, version }) => [key, version]),
    ]) as string[];
  }

  /** Calls a script that changes index sets until it knows all of them. */
  async #evalIndexed(
    script: string,
    keys: string[],
    names: readonly string[],
    args: string[],
  ): Promise<unknown> {
    const known = new Set(names);
    // The names of a version never change, so most calls need two tries at most.
    for (let tries = 0; tries < 10; tries++) {
      const sets = [...known].map((name) => this.#index + name);
      const reply = await this.#eval(script, [...keys, ...sets], [
        [...known].join(" "),
        ...args,
      ]);
      const [result, unknown] = reply as [unknown, string[]];
      if (unknown.length === 0) return result;
      for (const name of unknown) known.add(name);
    }
    throw new Error(
      "Cannot change a value in Redis: its index names changed ten times",
    );
  }

  async #eval(
    script: string,
    keys: string[],
    args: string[],
  ): Promise<unknown> {
    await (this.#checked ??= this.#check());
    return await this.#send(script, keys, args);
  }

  /**
   * Checks that all keys keep their names, or get the same prefix. If they
   * differed, the index would be written and read under different names, and
   * ending the sessions of a user would silently end none.
   */
  async #check(): Promise<void> {
    const keys = [`${this.#prefix}a`, `${this.#index}b`];
    try {
      const names = await this.#send(KEY_NAMES, keys, []) as string[];
      const [first, second] = keys.map((key, index) => {
        const name = String(names[index]);
        return name.endsWith(key) ? name.slice(0, -key.length) : null;
      });
      if (first !== null && first === second) return;
      throw new TypeError(
        `Cannot use the Redis client: it renames the keys "${
          keys.join('" and "')
        }" to "${[names].flat().join('" and "')}"`,
      );
    } catch (error) {
      this.#checked = undefined;
      if (!String(error).includes("CROSSSLOT")) throw error;
      throw new TypeError(
        `Cannot use the prefix "${this.#prefix}": a cluster has its keys in different slots, unless it is a prefix such as "{sessions}:"`,
      );
    }
  }

  async #send(
    script: string,
    keys: string[],
    args: string[],
  ): Promise<unknown> {
    const count = String(keys.length);
    return await this.#command("EVAL", [script, count, ...keys, ...args]);
  }
}

/** Encodes an index name, so that it contains no space. */
function encodeName(name: string): string {
  // encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(name.toWellFormed());
}
