import { RequestContext } from "../router/mod.ts";
import { endAllChecks } from "./kit/end_all_checks.ts";
import { endingChecks } from "./kit/ending_checks.ts";
import { limitChecks } from "./kit/limit_checks.ts";
import { sessionChecks } from "./kit/session_checks.ts";
import { storeChecks } from "./kit/store_checks.ts";
import { session } from "./middleware.ts";
import { Session, type SessionStore } from "./mod.ts";

// The checks of the other stores use them as well.
export { CheckError, expect, expectValue, numbers } from "./kit/checks.ts";

/** One test of a store. */
export interface SessionStoreTest {
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
 * store. Some take a few seconds.
 *
 * @example Test a store with Deno, or with any `test(name, run)`
 * ```ts
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { testSessionStore } from "@gatehouse/web/testing";
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
): SessionStoreTest[] {
  return [
    ...storeChecks,
    ...sessionChecks,
    ...endingChecks,
    ...limitChecks,
    ...endAllChecks,
  ].map((
    [name, check],
  ) => ({
    name,
    run: async () => await check(await createStore()),
  }));
}

const DAY = 86_400_000;

/**
 * Creates an empty session for tests of code that takes a `Session`. It behaves
 * like the session of a request, and uses a memory store. For whole requests, use
 * the session middleware.
 *
 * @example Test a function that takes a session
 * ```ts
 * import type { Session } from "@gatehouse/web/session";
 * import { createTestSession } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * function addToCart(session: Session, item: string) {
 *   session.set("cart", [item]);
 * }
 *
 * const session = createTestSession();
 * addToCart(session, "book");
 * assertEquals(session.get("cart"), ["book"]);
 * ```
 *
 * @returns The session.
 */
export function createTestSession(): Session {
  const timeouts = { idle: DAY, absolute: DAY, anonymous: DAY };
  const context = new RequestContext(new Request("https://example.com/"));
  // The handler never returns, so the session never closes.
  session({ timeouts })(context, () => new Promise(() => {}));
  return context.get(Session);
}
