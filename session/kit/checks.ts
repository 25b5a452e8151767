import type { PutOptions, SessionStore } from "../mod.ts";

/** A named test of a store. */
export type Check = readonly [
  name: string,
  run: (store: SessionStore) => Promise<void>,
];

/** A lifetime that is too long to expire during a test. */
export const ttl = 60_000;

/** The first and the last lifetime that a check waits for, in milliseconds. */
const SHORT_TTL = { first: 150, last: 10_000 };

/** The error of a failed check. Any test runner shows its message. */
export class CheckError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "CheckError";
}

/** Throws if two values have different JSON. */
export function expect(name: string, actual: unknown, expected: unknown): void {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value));
  if (is === should) return;
  throw new CheckError(`${name}: expected ${should}, got ${is}`);
}

/** Returns the value, or throws if it is `null`. */
export function expectValue<Value>(name: string, value: Value | null): Value {
  if (value !== null) return value;
  throw new CheckError(`${name}: expected a value, got null`);
}

/** Waits for a number of milliseconds. */
function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Creates a check of `byIndex` for the stores that have it. */
export function indexCheck(
  name: string,
  run: (
    store: SessionStore,
    byIndex: (name: string) => Promise<readonly string[]>,
  ) => Promise<void>,
): Check {
  return [`byIndex() ${name}`, async (store) => {
    if (store.byIndex === undefined) return;
    await run(store, async (name) => await store.byIndex!(name));
  }];
}

/**
 * Runs a check with a lifetime that it can wait for. If the lifetime ends before
 * the check waits, as on a busy machine, it runs again with a longer lifetime.
 */
export async function withShortTtl(
  check: (ttl: number, waitForExpiry: () => Promise<void>) => Promise<void>,
): Promise<void> {
  for (let ttl = SHORT_TTL.first;; ttl *= 4) {
    const begun = Date.now();
    let spent: number | undefined;
    const waitForExpiry = async () => {
      spent = Date.now() - begun;
      await sleep(ttl + 100);
    };
    try {
      return await check(ttl, waitForExpiry);
    } catch (error) {
      spent ??= Date.now() - begun;
      if (spent < ttl || ttl >= SHORT_TTL.last) throw error;
    }
  }
}

/** Puts a value under a new key. */
export async function create(
  store: SessionStore,
  key: string,
  value: string,
  options: Partial<PutOptions> = {},
): Promise<boolean> {
  return await store.put(key, value, {
    ttl: options.ttl ?? ttl,
    ifVersion: null,
    index: options.index,
  });
}

/** Returns the version of a stored value. */
export async function versionOf(
  store: SessionStore,
  key: string,
): Promise<string> {
  return expectValue("get", await store.get(key)).version;
}

/** Returns a random key. */
export function newKey(): string {
  return crypto.randomUUID();
}

/** Returns a random index name. */
export function newName(): string {
  return `user:${newKey()}`;
}

/** Returns the numbers from 0 up to a count. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_value, index) => index);
}
