import {
  completeAuth,
  createThrottle,
  type ThrottleOptions,
} from "@gatehouse/web/auth";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";

/** One attempt at a throttled login. */
export interface Guess {
  readonly account?: string;
  readonly address?: string | undefined;
  readonly cookie?: string | undefined;
  readonly right?: boolean;
  readonly headers?: Record<string, string>;
}

/** The result of an attempt. */
export interface GuessResult {
  readonly allowed: boolean;
  readonly retryAfter: number;
  /** The `Set-Cookie` headers of devices. */
  readonly setCookies: readonly string[];
  /** The device cookie as the browser sends it. */
  readonly cookie: string | undefined;
}

/** Creates a login with a throttle and a separate clock. */
export function createThrottledLogin(
  options: ThrottleOptions = {},
  sessionOptions: SessionOptions = {},
) {
  let time = 1_700_000_000_000;
  const now = () => time;
  const store = options.store ?? createMemorySessionStore({ now });
  const throttle = createThrottle({ now, ...options, store });
  const middleware = session({
    ...sessionOptions,
    store: createMemorySessionStore({ now }),
    now,
  });

  async function guess(
    { account = "ada", address = "203.0.113.7", ...rest }: Guess = {},
  ): Promise<GuessResult> {
    const headers = new Headers(rest.headers);
    if (rest.cookie !== undefined) headers.set("Cookie", rest.cookie);
    const info = { remoteAddr: { hostname: address } };
    const router = createRouter({ middleware: [middleware] });
    router.post("/login", async (context) => {
      const attempt = await throttle.attempt(context, account);
      if (attempt.allowed && rest.right) {
        await attempt.succeed();
        await completeAuth(context, account);
      }
      return Response.json({
        allowed: attempt.allowed,
        retryAfter: attempt.allowed ? 0 : attempt.retryAfter,
      });
    });
    const url = "https://example.com/login";
    const request = new Request(url, { method: "POST", headers });
    const response = await router.fetch(request, info);
    return await answerOf(response);
  }

  return {
    guess,
    middleware,
    store,
    throttle,
    now,
    pass(ms: number): void {
      time += ms;
    },
    /** Logs in, and returns the device cookie. */
    async knownDevice(options: Guess = {}): Promise<string> {
      const { cookie } = await guess({ ...options, right: true });
      if (cookie === undefined) throw new Error("The login set no cookie");
      return cookie;
    },
  };
}

/** Reads the response of a throttled handler. */
export async function answerOf(response: Response): Promise<GuessResult> {
  const setCookies = response.headers.getSetCookie()
    .filter((cookie) => cookie.includes("device="));
  const [device] = setCookies;
  const { allowed, retryAfter } = await response.json();
  return { allowed, retryAfter, setCookies, cookie: device?.split(";")[0] };
}

/** Creates the context of a request without a session. */
export function contextOf(address: string | undefined): RequestContext {
  const request = new Request("https://example.com/login", { method: "POST" });
  return new RequestContext(request, { remoteAddress: address });
}
