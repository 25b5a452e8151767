/**
 * An authenticator in memory, for tests of applications with passkeys, and tests
 * for passkey stores.
 *
 * @module
 */
import { createMemoryPasskeyStore } from "./kit/memory_store.ts";
import { storeChecks } from "./kit/store_checks.ts";
import type { PasskeyStore } from "./mod.ts";

export {
  createTestAuthenticator,
  type TestAuthenticator,
  type TestAuthenticatorOptions,
  type TestPasskeyChanges,
} from "./kit/authenticator.ts";
export { createMemoryPasskeyStore };

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
 * } from "@gatehouse/web/auth/passkey/testing";
 * import { assertGreater } from "@std/assert";
 *
 * const tests = testPasskeyStore(() => createMemoryPasskeyStore());
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
  options: PasskeyStoreTestOptions = {},
): PasskeyStoreTest[] {
  const createUserId = options.createUserId ?? (() => crypto.randomUUID());
  return storeChecks.map(([name, check]) => ({
    name,
    run: async () => {
      const users = [await createUserId(), await createUserId()] as const;
      await check(await createStore(), users);
    },
  }));
}

/** Options for {@linkcode testPasskeyStore}. */
export interface PasskeyStoreTestOptions {
  /**
   * Creates a user and returns the id, if the store accepts only existing users.
   *
   * @default {() => crypto.randomUUID()}
   */
  readonly createUserId?: () => string | number | Promise<string | number>;
}
