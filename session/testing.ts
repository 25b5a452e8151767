/**
 * Holds session stores to their contract, with any test runner.
 *
 * @module
 */
import { sessionChecks } from "./kit/session_checks.ts";
import { storeChecks } from "./kit/store_checks.ts";
export { createTestSession } from "./kit/test_session.ts";
import type { SessionStore } from "./store.ts";

/** One test of a store. */
export interface StoreTest {
  /** What the store does when the test passes. */
  readonly name: string;
  /**
   * Runs the test.
   *
   * @returns A promise that rejects where the store breaks the contract.
   */
  run(): Promise<void>;
}

/**
 * Lists the tests that a session store has to pass: the contract itself, and
 * what sessions promise on top of it when many requests come at once.
 *
 * The tests use keys of their own and clean nothing up, so that they may run
 * against a store that others use. They do wait for values to expire: some take
 * half a second.
 *
 * @example Testing a store with Deno, or with any `test(name, run)`
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
 * @param createStore Makes a store, or returns one that all tests share.
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
