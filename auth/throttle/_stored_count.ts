import {
  type CallStore,
  type FoundValue,
  parseJSON,
  ValueStore,
} from "../../session/internal.ts";
import { type FailureCount, FailureCounter, toCount } from "./failure_count.ts";
import type { ThrottleLimit } from "./limits.ts";

/** The store and the clock of a throttle. */
export interface ThrottleConfig {
  readonly callStore: CallStore;
  readonly now: () => number;
}

/** The result of counting one attempt. */
export type CountedAttempt =
  | {
    readonly allowed: true;
    /** Takes the attempt back, and earlier ones if a success clears them. */
    readonly succeed: () => Promise<void>;
    /** Takes only this attempt back. */
    readonly cancel: () => Promise<void>;
  }
  | { readonly allowed: false; readonly wait: number };

/** The count of one attempt. */
export interface StoredCount {
  /** Returns the milliseconds until the next attempt may be made. */
  wait(): Promise<number>;
  /** Counts an attempt, unless it has to wait. */
  add(): Promise<CountedAttempt>;
  /** Forgets the failures. */
  clear(): Promise<void>;
}

/** The counts of one kind in a store. */
export class StoredCounts {
  readonly #counter: FailureCounter;
  readonly #store: ValueStore<FailureCount>;
  readonly #onSuccess: "clear" | "decrement";

  /** @param onSuccess The effect of a success on a count. */
  constructor(
    { callStore, now }: ThrottleConfig,
    { kind, limit, onSuccess }: {
      readonly kind: string;
      readonly limit: ThrottleLimit;
      readonly onSuccess: "clear" | "decrement";
    },
  ) {
    this.#counter = new FailureCounter(limit, now);
    this.#onSuccess = onSuccess;
    this.#store = new ValueStore(callStore, {
      prefix: `throttle:${kind}`,
      ttl: this.#counter.ttl,
      parse: (text) => toCount(parseJSON(text)),
      verb: "throttle",
    });
  }

  /** Returns the count of a name. Its key does not reveal the name. */
  async of(name: string): Promise<StoredCount> {
    const key = await this.#store.key(name);
    let found: FoundValue<FailureCount> | null | undefined;
    return {
      wait: async () => {
        found = await this.#store.read(key);
        return this.#counter.waitOf(toCount(found?.value));
      },
      add: () => this.#add(key, found),
      clear: () => this.#store.remove(key),
    };
  }

  async #add(
    key: string,
    found: FoundValue<FailureCount> | null | undefined,
  ): Promise<CountedAttempt> {
    let wait = 0;
    const added = await this.#store.update(key, (value) => {
      const count = toCount(value);
      wait = this.#counter.waitOf(count);
      if (wait > 0) return null;
      const next = this.#counter.add(count);
      return { value: next, result: next };
    }, found);
    if (!added) {
      // Honest clients do not make this many concurrent attempts.
      return { allowed: false, wait: wait || this.#counter.delay };
    }
    const cancel = () => this.#subtract(key, added);
    const succeed = this.#onSuccess === "clear"
      ? () => this.#store.remove(key)
      : cancel;
    return { allowed: true, succeed, cancel };
  }

  async #subtract(key: string, added: FailureCount): Promise<void> {
    await this.#store.update(key, (count) => {
      // A count that was cleared is not created again.
      if (count === null) return null;
      return { value: this.#counter.subtract(count, added), result: true };
    });
  }
}
