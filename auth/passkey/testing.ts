import {
  createMemoryPasskeyStore,
  type MemoryPasskeyStoreOptions,
} from "./kit/memory_store.ts";
import { runWith, storeChecks, versionChecks } from "./kit/store_checks.ts";
import type { PasskeyStore } from "./mod.ts";

export {
  createTestAuthenticator,
  type TestAuthenticator,
  type TestAuthenticatorOptions,
  type TestPasskeyChanges,
} from "./kit/authenticator.ts";
export { createMemoryPasskeyStore, type MemoryPasskeyStoreOptions };

/** One test of a store. */
export interface PasskeyStoreTest {
  /** The name of the test: the expected behavior of the store. */
  readonly name: string;
  /**
   * Runs the test.
   *
   * @returns A promise that rejects if the store breaks the contract.
   */
  run(): Promise<void>;
}

/**
 * Returns the tests that a passkey store has to pass. They use random ids and do
 * not clean up, so they can run on a shared database.
 *
 * @example Test a store with Deno, or with any `test(name, run)`
 * ```ts
 * import {
 *   createMemoryPasskeyStore,
 *   testPasskeyStore,
 * } from "@gatehouse/web/testing";
 * import { assertGreater } from "@std/assert";
 *
 * const version = () => 1;
 * const tests = testPasskeyStore(
 *   () => createMemoryPasskeyStore({ version }),
 *   { version },
 * );
 * // for (const { name, run } of tests) Deno.test(name, run);
 *
 * await tests[0].run();
 * assertGreater(tests.length, 8);
 * ```
 *
 * @param createStore Creates a store, or returns one that all tests share.
 * @param options The users of the tests.
 * @returns The tests.
 */
export function testPasskeyStore(
  createStore: () => PasskeyStore | Promise<PasskeyStore>,
  { createUserId = () => crypto.randomUUID(), version }:
    PasskeyStoreTestOptions,
): PasskeyStoreTest[] {
  const prepare = async () => {
    const users = [await createUserId(), await createUserId()] as const;
    return [await createStore(), users, await version?.(users[0])] as const;
  };
  return [
    ...storeChecks.map(([name, check]) => ({
      name,
      run: async () => await runWith(check, ...await prepare()),
    })),
    ...(version === null ? [] : versionChecks).map(([name, check]) => ({
      name,
      run: async () => await check(...await prepare()),
    })),
  ];
}

/** Options for {@linkcode testPasskeyStore}. */
export interface PasskeyStoreTestOptions {
  /**
   * Returns the current version of a new user's credentials. All new users must
   * have the same version. Pass `null` if your users have no version, so that
   * nothing refuses a passkey that is stored while all access is ended.
   *
   * @param userId The id of the user.
   */
  readonly version:
    | ((userId: string | number) => number | Promise<number>)
    | null;
  /**
   * Creates a user and returns the id, if the store accepts only existing users.
   *
   * @default {() => crypto.randomUUID()}
   */
  readonly createUserId?: () => string | number | Promise<string | number>;
}
