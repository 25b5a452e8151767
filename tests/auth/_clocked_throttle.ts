import { createThrottle, type ThrottleOptions } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";

export const start = 1_700_000_000_000;
export const minute = 60_000;
export const hour = 60 * minute;

/** Limits with the same number for an address as for an account. */
export const strict = { attempts: 5, maxDelay: 900_000 };

/** Creates a throttle with a separate clock. */
export function createClocked(options: ThrottleOptions = {}) {
  let time = start;
  const now = () => time;
  const store = createMemorySessionStore({ now });
  const throttle = createThrottle({ store, now, ...options });

  /** Returns the result of an attempt: `true`, or the seconds to wait. */
  async function attempt(
    account = "ada",
    address: string | undefined = "203.0.113.7",
    headers: Record<string, string> = {},
    right: boolean | (() => void) = false,
  ): Promise<true | number> {
    const request = new Request("https://example.com/login", { headers });
    const context = new RequestContext(request, { remoteAddress: address });
    const result = await throttle.attempt(context, account);
    if (!result.allowed) return result.retryAfter;
    if (typeof right === "function") right();
    if (right) await result.succeed();
    return true;
  }

  return {
    store,
    attempt,
    pass(ms: number): void {
      time += ms;
    },
    async fail(count: number, account?: string, address?: string) {
      const answers = [];
      for (let index = 0; index < count; index++) {
        answers.push(await attempt(account, address));
      }
      return answers;
    },
  };
}

/** Creates a memory store with some other methods. */
export function withCalls(calls: Partial<SessionStore>): SessionStore {
  const memory = createMemorySessionStore();
  return {
    get: (key) => memory.get(key),
    put: (key, value, options) => memory.put(key, value, options),
    delete: (key) => memory.delete(key),
    ...calls,
  };
}
