import type { Middleware, RequestContext } from "../../router/mod.ts";
import {
  createMemorySessionStore,
  Session,
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
 * 20^8 codes, a guess among 1,000 valid ones is right once in 25 million. The
 * first ones do not count for the address, so a neighbor cannot use them up.
 */
const FIRST_TRIES = 5;
const MORE_TRIES = 15;
const MAX_TRIES_OF_ADDRESS = 200;

/** The limits of the device grant. */
export interface DeviceLimits {
  /** Limits the requests for codes. Each process counts for itself. */
  readonly start: Middleware<readonly []>;
  /** Limits the first codes that a user tries. */
  readonly first: Middleware<readonly []>;
  /** Limits the codes that a user tries after these, and those from an address. */
  readonly more: readonly Middleware<readonly []>[];
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
      ...shared,
      store: createMemorySessionStore({ now }),
      name: "oauth-device",
      limit: MAX_CODES,
    }),
    first: rateLimit({
      ...shared,
      name: "oauth-user-code",
      limit: FIRST_TRIES,
      key: userIdOf,
    }),
    more: [
      rateLimit({
        ...shared,
        name: "oauth-user-code-more",
        limit: MORE_TRIES,
        key: userIdOf,
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

function userIdOf(context: RequestContext): string {
  return String(context.get(Session).userId);
}

/**
 * Counts a code that a user tries. Returns the response of a limit if it was one too
 * many, or `null`.
 *
 * @throws {SessionStoreError} If the store fails.
 */
export async function countTry(
  { first, more }: DeviceLimits,
  context: RequestContext,
): Promise<Response | null> {
  if (await exceeded(first, context) === null) return null;
  for (const limit of more) {
    const response = await exceeded(limit, context);
    if (response !== null) return response;
  }
  return null;
}

async function exceeded(
  limit: Middleware<readonly []>,
  context: RequestContext,
): Promise<Response | null> {
  const allowed = new Response();
  const response = await limit(context, () => Promise.resolve(allowed));
  return response instanceof Response && response.status === 429
    ? response
    : null;
}
