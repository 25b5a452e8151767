import type { Middleware, RequestContext } from "../../router/mod.ts";
import { Auth } from "../../auth/middleware/mod.ts";
import {
  createMemorySessionStore,
  type SessionStore,
} from "../../session/mod.ts";
import { rateLimit } from "../../session/middleware.ts";
import { PollPace } from "./poll_pace.ts";

/** The window of the limits, in milliseconds. It is the lifetime of a code. */
const WINDOW = 600_000;

/** The requests for codes in a window, from one address. */
const MAX_CODES = 60;

/**
 * The codes that a user can try in a window, and all users of one address. With
 * 20^8 codes, a guess among 1,000 valid ones is right once in 25 million.
 */
const MAX_TRIES = 20;
const MAX_TRIES_OF_ADDRESS = 200;

/** The limits of the device grant. */
export interface DeviceLimits {
  /** Limits the requests for codes. Each process counts for itself. */
  readonly start: Middleware<readonly []>;
  /** Limits the codes that a user tries, and those from an address. */
  readonly tries: readonly Middleware<readonly []>[];
  /** The pace of the requests for tokens. */
  readonly pace: PollPace;
}

/** Creates the limits of the device grant. Everyone waits at most for a window. */
export function createDeviceLimits(
  store: SessionStore,
  now: () => number,
): DeviceLimits {
  const shared = { store, now, window: WINDOW };
  return {
    start: rateLimit({
      store: createMemorySessionStore({ now }),
      now,
      window: WINDOW,
      name: "oauth-device",
      limit: MAX_CODES,
    }),
    tries: [
      rateLimit({
        ...shared,
        name: "oauth-user-code",
        limit: MAX_TRIES,
        key: (context) => String(context.get(Auth)?.id),
      }),
      rateLimit({
        ...shared,
        name: "oauth-user-code-address",
        limit: MAX_TRIES_OF_ADDRESS,
      }),
    ],
    pace: new PollPace(now),
  };
}

/**
 * Returns the response of a limit if a request exceeds it, or `null`.
 *
 * @throws {SessionStoreError} If the store fails.
 */
export async function exceeded(
  limits: readonly Middleware<readonly []>[],
  context: RequestContext,
): Promise<Response | null> {
  for (const limit of limits) {
    const allowed = new Response();
    const response = await limit(context, () => Promise.resolve(allowed));
    if (response instanceof Response && response.status === 429) {
      return response;
    }
  }
  return null;
}
