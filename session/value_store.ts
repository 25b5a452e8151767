import type { CallStore } from "./drivers/circuit_breaker.ts";
import { sha256Base64Url } from "./secrets.ts";

/** The number of tries to change a value that other requests change too. */
const MAX_TRIES = 20;

/** The longest pause after the first try, in milliseconds. Each try doubles it. */
const FIRST_PAUSE = 5;

/** The longest pause between two tries, in milliseconds, if they are quick. */
const MAX_PAUSE = 100;

/**
 * The longest pause, in tries. On a busy database a try takes long, and 100
 * requests need room for their tries one after the other.
 */
const MAX_PAUSED_TRIES = 50;

/** The upper limit of all pauses, in milliseconds. */
const LONGEST_PAUSE = 2_000;

/** The stored form of a value that was taken. No value has this form. */
const TAKEN = "used";

/** The time for which the store remembers that a value was taken. */
const TAKEN_TTL = 60_000;

/** The form of the values in a {@linkcode ValueStore}. */
export interface ValueFormat<Value> {
  /** The beginning of the keys. */
  readonly prefix: string;
  /** The lifetime of a value from its last change, in milliseconds. */
  readonly ttl: number | ((value: Value) => number);
  /** Returns the index names of a value. */
  readonly index?: (
    value: Value,
  ) => readonly string[] | Promise<readonly string[]>;
  /** Reads the stored form; `null` if it is invalid. */
  readonly parse: (
    text: string,
    key: string,
  ) => Value | null | Promise<Value | null>;
  /**
   * Returns the stored form.
   *
   * @default {JSON.stringify}
   */
  readonly print?: (value: Value, key: string) => string | Promise<string>;
  /**
   * The verb of the error message if the store fails.
   *
   * @default {"read", "save", "end" or "list"}
   */
  readonly verb?: string;
}

/** A stored value and its version. */
export interface FoundValue<Value> {
  /** The value; `null` if it is invalid or was taken. */
  readonly value: Value | null;
  readonly version: string;
}

/** The new value, and the result of the change; `null` to change nothing. */
type ValueChange<Value, Result> = {
  readonly value: Value;
  readonly result: Result;
} | null;

/** Changes a value, which is `null` if it is missing, invalid or was taken. */
export type ChangeValue<Value, Result> = (
  value: Value | null,
) => ValueChange<Value, Result> | Promise<ValueChange<Value, Result>>;

/**
 * Values of one kind in a session store, each changed by compare-and-swap.
 *
 * If other requests change a value first, the change is calculated again after a
 * random pause. Without the pause, 40 of 100 concurrent changes failed.
 */
export class ValueStore<Value> {
  readonly #call: CallStore;
  readonly #format: ValueFormat<Value>;

  constructor(call: CallStore, format: ValueFormat<Value>) {
    this.#call = call;
    this.#format = format;
  }

  /** Returns the key of a name. It is a hash, which does not reveal the name. */
  async key(name: string): Promise<string> {
    return `${this.#format.prefix}:${await sha256Base64Url(name)}`;
  }

  /** Returns a value, or `null` if it is missing, invalid or was taken. */
  async get(key: string): Promise<Value | null> {
    return (await this.read(key))?.value ?? null;
  }

  /** Returns a value and its version, or `null` for an unused key. */
  async read(key: string): Promise<FoundValue<Value> | null> {
    const { parse, verb = "read" } = this.#format;
    const found = await this.#call(verb, (store) => store.get(key));
    if (found === null) return null;
    const { value: text, version } = found;
    return { value: text === TAKEN ? null : await parse(text, key), version };
  }

  /** Stores a new value. Returns `false` if there is one, or no room. */
  async add(key: string, value: Value): Promise<boolean> {
    return await this.replace(key, value, null);
  }

  /** Stores a value unless another request has changed it, in one try. */
  async replace(
    key: string,
    value: Value,
    version: string | null,
  ): Promise<boolean> {
    const { index, print = toJSON, ttl } = this.#format;
    return await this.#put(key, version, {
      value: await print(value, key),
      ttl: typeof ttl === "number" ? ttl : Math.max(1, ttl(value)),
      index: await index?.(value),
    });
  }

  /**
   * Changes a value.
   *
   * @param change Changes the value. It may be called several times.
   * @param from The value that was read before, for the first try.
   * @returns The result; `null` if nothing changed, and `undefined` if other
   * requests changed the value first each time.
   */
  async update<Result>(
    key: string,
    change: ChangeValue<Value, Result>,
    from?: FoundValue<Value> | null,
  ): Promise<Result | null | undefined> {
    return await this.#try(key, from, async (found) => {
      const next = await change(found?.value ?? null);
      if (next === null) return null;
      const isStored = await this
        .replace(key, next.value, found?.version ?? null);
      return isStored ? next.result : undefined;
    });
  }

  /**
   * Takes a value, which no other request can take again. Deleting it would not tell one of
   * several concurrent requests that it was the first.
   *
   * @param accept Returns `false` to leave the value.
   * @param from The value that was read before, for the first try.
   * @returns The value; `null` if it is missing or not accepted, and `undefined` if
   * other requests changed it first each time.
   */
  async take(
    key: string,
    accept: (value: Value) => boolean = () => true,
    from?: FoundValue<Value> | null,
  ): Promise<Value | null | undefined> {
    return await this.#try(key, from, async (found) => {
      const value = found?.value ?? null;
      if (found === null || value === null || !accept(value)) return null;
      const taken = { value: TAKEN, ttl: TAKEN_TTL };
      return await this.#put(key, found.version, taken) ? value : undefined;
    });
  }

  /** Removes a value. */
  async remove(key: string): Promise<void> {
    const { verb = "end" } = this.#format;
    await this.#call(verb, (store) => store.delete(key));
  }

  /** Returns the keys of an index name. A store without an index has none. */
  async keysOf(name: string): Promise<readonly string[]> {
    const { verb = "list" } = this.#format;
    return await this.#call(verb, (store) => store.byIndex?.(name) ?? []);
  }

  /** Repeats a try until its result is not `undefined`. */
  async #try<Result>(
    key: string,
    from: FoundValue<Value> | null | undefined,
    once: (found: FoundValue<Value> | null) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const startedAt = performance.now();
      const isRead = tries === 0 && from !== undefined;
      const result = await once(isRead ? from : await this.read(key));
      if (result !== undefined) return result;
      await pause(tries, performance.now() - startedAt);
    }
    return undefined;
  }

  async #put(
    key: string,
    ifVersion: string | null,
    { index, ttl, value }: {
      readonly value: string;
      readonly ttl: number;
      readonly index?: readonly string[] | undefined;
    },
  ): Promise<boolean> {
    const { verb = "save" } = this.#format;
    const options = { ttl, ifVersion, ...index !== undefined && { index } };
    return await this.#call(verb, (store) => store.put(key, value, options));
  }
}

/**
 * Returns a store of marks. If requests are concurrent, only one of them adds
 * the mark.
 */
export function createMarks(
  call: CallStore,
  prefix: string,
  ttl: number,
): ValueStore<true> {
  const parse = (): true => true;
  return new ValueStore<true>(call, { prefix, ttl, parse, print: () => TAKEN });
}

/** Parses JSON, or returns `null` for any other string. */
export function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toJSON(value: unknown): string {
  return JSON.stringify(value);
}

/** Waits a random time, which is longer after each try and after slow ones. */
function pause(tries: number, duration: number): Promise<void> {
  const longest = Math.min(
    Math.max(FIRST_PAUSE, duration) * 2 ** tries,
    Math.max(MAX_PAUSE, duration * MAX_PAUSED_TRIES),
    LONGEST_PAUSE,
  );
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
