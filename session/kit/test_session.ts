import { RequestContext } from "../../router/mod.ts";
import { AnonymousLimiter } from "../_anonymous_limit.ts";
import { RequestSession } from "../_request_session.ts";
import { CookiePolicy } from "../cookies/policy.ts";
import { createSession, type Session } from "../session.ts";
import { createMemorySessionStore } from "../stores/memory.ts";

const DAY = 86_400_000;

/**
 * Creates an empty session to test functions with a `Session` parameter. It
 * behaves like the session of a request and has a store in memory. To test whole
 * requests, use the session middleware.
 *
 * @example Test a function that takes a session
 * ```ts
 * import type { Session } from "@gatehouse/web/session";
 * import { createTestSession } from "@gatehouse/web/session/testing";
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
  const setup = {
    isLazy: false,
    config: {
      timeouts: { idle: DAY, absolute: DAY, anonymous: DAY },
      now: Date.now,
      storeTimeout: 1_000,
    },
    policy: new CookiePolicy({}, undefined),
    storage: createMemorySessionStore(),
    quota: new AnonymousLimiter({}, Date.now),
  };
  const context = new RequestContext(new Request("https://example.com/"));
  return createSession(new RequestSession(setup, context));
}
