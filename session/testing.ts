/**
 * Tests for session stores that work with any test runner.
 *
 * @module
 */
import { sessionChecks } from "./kit/session_checks.ts";
import { storeChecks } from "./kit/store_checks.ts";
export { createTestSession } from "./kit/test_session.ts";
import type { SessionStore } from "./store.ts";

/** One test of a store. */
export interface StoreTest {
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
 * Returns the tests that a session store has to pass: the contract itself, and
 * the guarantees of sessions for concurrent requests.
 *
 * The tests use random keys and do not clean up, so they can run on a shared
 * store. Some wait half a second for values to expire.
 *
 * @example Test a store with Deno, or with any `test(name, run)`
 * ```ts
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { testSessionStore } from "@gatehouse/web/session/testing";
 * import { assertGreater } from "@std/assert";
 *
 * const tests = testSessionStore(() => createMemorySessionStore());
 * // for (const { name, run } of tests) Deno.test(name, run);
 *
 * await tests[0].run();
 * assertGreater(tests.length, 20);
 * ```
 *
 * @param createStore Creates a store, or returns one that all tests share.
 * @returns The tests.
 */
export function testSessionStore(
  createStore: () => SessionStore | Promise<SessionStore>,
): StoreTest[] {
  return [...storeChecks, ...sessionChecks].map(([name, check]) => ({
    name,
    run: async () => await check(await createStore()),
  }));
}
