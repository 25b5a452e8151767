import { accountChecks } from "./kit/account_checks.ts";
import { wayInChecks } from "./kit/way_in_checks.ts";
import { teamChecks } from "./kit/team_checks.ts";
import { auditChecks } from "./kit/audit_checks.ts";
import { roleChecks } from "./kit/role_checks.ts";
import type { AccountStore } from "./store/store.ts";

/** One test of a store. */
export interface AccountStoreTest {
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
 * Returns the tests that a store of accounts must pass. They use random ids and
 * do not clean up, so they can run on a shared database.
 *
 * @example Test a store with Deno, or with any `test(name, run)`
 * ```ts
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 * import { testAccountStore } from "@gatehouse/web/testing";
 * import { assertGreater } from "@std/assert";
 *
 * const tests = testAccountStore(() => createMemoryAccountStore());
 * // for (const { name, run } of tests) Deno.test(name, run);
 *
 * await tests[0].run();
 * assertGreater(tests.length, 15);
 * ```
 *
 * @param createStore Creates a store, or returns one that all tests share.
 * @returns The tests.
 */
export function testAccountStore(
  createStore: () => AccountStore | Promise<AccountStore>,
): AccountStoreTest[] {
  const checks = [
    ...accountChecks,
    ...wayInChecks,
    ...teamChecks(),
    ...auditChecks,
    ...roleChecks,
  ];
  return checks.map(([name, check]) => ({
    name,
    run: async () => await check(await createStore()),
  }));
}
