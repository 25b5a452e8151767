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
   *
   * @default {"gatehouse:session:"}
   */
  readonly prefix?: string;
}

/** The server's clock in milliseconds. The server expires keys by it. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Removes an id from the index sets of some names, separated by spaces. */
const UNINDEX = `
local function unindex(names, index, id)
  if not names then return end
  for name in string.gmatch(names, '[^ ]+') do
    redis.call('ZREM', index .. name, id)
  end
end`;

/**
 * KEYS: the value's key. ARGV: see `put`. Some clients repeat a command if the
 * connection breaks before the reply: the new version shows that it was done.
 *
 * HSET must be the first write. Above `maxmemory`, Redis only checks the first
 * write of a script: after one that frees memory, it would accept all others.
 */
const PUT = `${NOW}${UNINDEX}
local version = redis.call('HGET', KEYS[1], 'version') or ''
if version == ARGV[3] then return 1 end
if version ~= ARGV[1] then return 0 end
local names = redis.call('HGET', KEYS[1], 'index')
redis.call('HSET', KEYS[1], 'value', ARGV[2], 'version', ARGV[3], 'index', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
unindex(names, ARGV[5], ARGV[6])
for name in string.gmatch(ARGV[7], '[^ ]+') do
  local set = ARGV[5] .. name
  redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
  redis.call('ZADD', set, string.format('%.0f', now + ARGV[4]), ARGV[6])
  if redis.call('PTTL', set) < tonumber(ARGV[4]) then
    redis.call('PEXPIRE', set, ARGV[4])
  end
end
return 1`;

/** KEYS: the value's key. ARGV: the prefix of index sets, the id. */
const DELETE = `${UNINDEX}
unindex(redis.call('HGET', KEYS[1], 'index'), ARGV[1], ARGV[2])
return redis.call('DEL', KEYS[1])`;

/**
 * KEYS: the first value's key. ARGV: the prefix, the ids. The keys of a cluster
 * are all on one node, because the prefix has a hash tag.
 */
const GET_MANY = `
local found = {}
for i = 2, #ARGV do
  local entry = redis.call('HMGET', ARGV[1] .. ARGV[i], 'value', 'version')
  found[i - 1] = { entry[1] or '', entry[2] or '' }
end
return found`;

/**
 * KEYS: the first value's key. ARGV: the prefix, the prefix of index sets, the
 * value, its version, its lifetime, and the ids and versions to replace.
 */
const REPLACE_MANY = `${UNINDEX}
local replaced = {}
for i = 6, #ARGV, 2 do
  local key = ARGV[1] .. ARGV[i]
  local version = redis.call('HGET', key, 'version')
  if version == ARGV[i + 1] or version == ARGV[4] then
    local names = redis.call('HGET', key, 'index')
    redis.call('HSET', key, 'value', ARGV[3], 'version', ARGV[4], 'index', '')
    redis.call('PEXPIRE', key, ARGV[5])
    unindex(names, ARGV[2], ARGV[i])
    replaced[#replaced + 1] = ARGV[i]
  end
end
return replaced`;

/** KEYS: the prefix, which selects the node. ARGV: the position, the pattern. */
const SCAN = `
return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 1000)`;

/** KEYS: the index set. */
const BY_INDEX = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)`;

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
    // The script takes an empty version as `null`; no value has it.
    if (ifVersion === "") return false;
    const reply = await this.#eval(PUT, this.#prefix + checkKey(key), [
      ifVersion ?? "",
      value,
      newVersion(),
      String(Math.ceil(ttl)),
      this.#index,
      key,
      checkIndex(index).map(encodeName).join(" "),
    ]);
    return Number(reply) === 1;
  }

  async delete(key: string): Promise<void> {
    if (!isKey(key)) return;
    await this.#eval(DELETE, this.#prefix + key, [this.#index, key]);
  }

  async byIndex(name: string): Promise<string[]> {
    const set = this.#index + encodeName(name);
    return await this.#eval(BY_INDEX, set, []) as string[];
  }

  async keys(after = "0"): Promise<KeyPage> {
    // The prefix may contain the signs of a pattern.
    const pattern = `${this.#prefix.replace(/[\\*?[\]]/g, "\\$&")}*`;
    const reply = await this.#eval(SCAN, this.#prefix, [after, pattern]);
    const [next, found] = reply as [string, string[]];
    const keys = found.filter((key) => !key.startsWith(this.#index))
      .map((key) => key.slice(this.#prefix.length));
    return { keys, next: next === "0" ? undefined : next };
  }

  async getMany(keys: readonly string[]): Promise<(StoredValue | null)[]> {
    const valid = keys.filter(isKey);
    if (valid.length === 0) return keys.map(() => null);
    const [first] = valid;
    const args = [this.#prefix, ...valid];
    const reply = await this.#eval(GET_MANY, this.#prefix + first, args);
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
    const [first] = entries;
    if (first === undefined) return [];
    return await this.#eval(REPLACE_MANY, this.#prefix + first.key, [
      this.#prefix,
      this.#index,
      value,
      newVersion(),
      String(Math.ceil(ttl)),
      ...entries.flatMap(({ key, version }) => [key, version]),
    ]) as string[];
  }

  async #eval(script: string, key: string, args: string[]): Promise<unknown> {
    return await this.#command("EVAL", [script, "1", key, ...args]);
  }
}

/** Encodes an index name, so that it contains no space. */
function encodeName(name: string): string {
  // encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(name.toWellFormed());
}
