import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  rateLimit,
  type RateLimitOptions,
} from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";

export const HOUR = 3_600_000;

/** Creates a router with a limit, and a clock that tests move. */
export function createLimited(options: Partial<RateLimitOptions> = {}) {
  const clock = { time: 1_700_000_000_000 };
  const now = () => clock.time;
  const store = createMemorySessionStore({ now });
  const limit = rateLimit({ store, limit: 3, window: HOUR, now, ...options });
  const errors: unknown[] = [];
  const router = createRouter({
    middleware: [limit],
    onError(error, context) {
      errors.push(error);
      return context.createErrorResponse({ status: 500 });
    },
  });
  router.route("ANY", "/*", () => new Response("reached"));
  return { clock, errors, router, store };
}

/** Sends a request from an address. */
export function send(
  router: Router,
  remoteAddress: string | undefined = "192.0.2.1",
  headers: Record<string, string> = {},
  path = "/",
): Promise<Response> {
  const client = createTestClient(router, { remoteAddress });
  return client.fetch(path, { headers });
}

/** Sends requests one after the other and returns their statuses. */
export async function statuses(
  router: Router,
  count: number,
  ...sender: [address?: string, headers?: Record<string, string>]
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    found.push((await send(router, ...sender)).status);
  }
  return found;
}
