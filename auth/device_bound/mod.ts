/**
 * Sessions that are bound to the user's device (Device Bound Session Credentials),
 * so that copied cookies stop working within minutes.
 *
 * @example Bind the sessions of browsers that can
 * ```ts
 * import { deviceBoundSessions } from "@gatehouse/web/auth/device-bound";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({
 *   middleware: [session(), deviceBoundSessions({ lifetime: 5 * 60_000 })],
 * });
 * router.get("/", () => new Response("Hello"));
 *
 * const response = await router.fetch("https://example.com/");
 * assertEquals(await response.text(), "Hello");
 * ```
 *
 * @module
 */
export {
  deviceBoundSessions,
  type DeviceBoundSessionsOptions,
} from "./device_bound_sessions.ts";
export {
  requireBoundSession,
  type RequireBoundSessionOptions,
} from "./require_bound_session.ts";
