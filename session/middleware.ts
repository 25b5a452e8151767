/**
 * The session middleware: it finds the session of a request, and saves it.
 *
 * @module
 */
import { checkPositive } from "../router/internal.ts";
import {
  type ContextEntry,
  type Middleware,
  type RequestContext,
  withHeaders,
} from "../router/mod.ts";
import { type AnonymousLimit, AnonymousLimiter } from "./_anonymous_limit.ts";
import type { ResolvedTimeouts } from "./_lifetime.ts";
import { RequestSession, type SessionSetup } from "./_request_session.ts";
import { makePrivate, withCookies } from "./cookies/cache_control.ts";
import { CookiePolicy, type SessionCookieOptions } from "./cookies/policy.ts";
import {
  type CookieSessionStorage,
  CookieStorage,
} from "./drivers/cookie_driver.ts";
import { SessionConflictError } from "./errors.ts";
import type {
  LazySession,
  SessionOptions,
  SessionTimeouts,
} from "./options.ts";
import { createSession, Session } from "./session.ts";
import type { SessionStore } from "./store.ts";
import { STORE_TIMEOUT } from "./stores/call_store.ts";
import { createMemorySessionStore } from "./stores/memory.ts";
import { sweeper } from "./stores/sweep.ts";

export type {
  AnonymousLimit,
  CookieSessionStorage,
  LazySession,
  SessionCookieOptions,
  SessionOptions,
  SessionTimeouts,
};

/**
 * Creates the middleware that gives every request its session.
 *
 * The cookie is `__Host-session`: `Secure`, `HttpOnly`, `SameSite=Lax`, gone
 * when the browser closes. Only on plain http from the same machine it is
 * `session`, without `Secure`. A broken or foreign cookie is no session.
 *
 * The session is saved after the handler. If the handler throws, nothing is
 * saved except for what it committed before; the error's response carries the
 * cookie for that. A destroyed session ends in either case. A store that fails
 * is an error, never "no session".
 *
 * Requests can be on their way when a session ends. For 15 seconds, those with
 * the old cookie get no new session, so that a late answer does not replace the
 * cookie of a new login; only a login of their own, or its beginning at a
 * provider, begins one. A logout among them ends the session under its new id.
 *
 * @example A page that counts its visits
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Session } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const router = createRouter({ middleware: [session()] });
 * router.get("/", (context) => {
 *   const session = context.get(Session);
 *   session.update("visits", (visits) => Number(visits ?? 0) + 1);
 *   return new Response(`Visit ${session.get("visits")}`);
 * });
 *
 * const first = await router.fetch("https://example.com/");
 * const [cookie] = first.headers.getSetCookie()[0].split(";");
 * const second = await router.fetch("https://example.com/", {
 *   headers: { cookie },
 * });
 * assertEquals(await second.text(), "Visit 2");
 * ```
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie, the origin or the secrets are
 * malformed, or there is a store besides secrets.
 * @throws {RangeError} If a timeout is not a positive number, there is no secret,
 * or one is too short.
 */
export function session(
  options?: SessionOptions & { readonly lazy?: false },
): Middleware<readonly [ContextEntry<typeof Session, Session>]>;
/**
 * Creates the middleware that reads a session only when a handler asks for it,
 * and tells the handlers' types so: `context.get(Session)` has only `load`.
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie, the origin or the secrets are
 * malformed, or there is a store besides secrets.
 * @throws {RangeError} If a timeout is not a positive number, there is no secret,
 * or one is too short.
 */
export function session(
  options: SessionOptions & { readonly lazy: true },
): Middleware<readonly [ContextEntry<typeof Session, LazySession>]>;
/**
 * Creates the middleware from options of which the types do not say whether it
 * is lazy.
 *
 * @param options The store, the cookie and the timeouts.
 * @returns The middleware.
 * @throws {TypeError} If an option of the cookie, the origin or the secrets are
 * malformed, or there is a store besides secrets.
 * @throws {RangeError} If a timeout is not a positive number, there is no secret,
 * or one is too short.
 */
export function session(
  options: SessionOptions,
): Middleware<readonly [ContextEntry<typeof Session, Session>]>;
export function session(
  options: SessionOptions = {},
): Middleware<readonly [ContextEntry<typeof Session, Session>]> {
  const { lazy = false, now = Date.now, storeTimeout = STORE_TIMEOUT } =
    options;
  const timeouts = resolveTimeouts(options.timeouts ?? {});
  checkPositive(
    "session middleware",
    "storeTimeout",
    storeTimeout,
    Number.MAX_VALUE,
  );
  const setup: SessionSetup = {
    isLazy: lazy,
    config: { timeouts, now, storeTimeout },
    policy: new CookiePolicy(options.cookie ?? {}, options.origin),
    storage: storageOf(options),
    quota: new AnonymousLimiter(options.anonymousLimit ?? {}, now),
  };
  const sweep = setup.storage instanceof CookieStorage
    ? () => {}
    : sweeper(setup.storage, now);

  return (context, next) => {
    const request = new RequestSession(setup, context);
    context.set(Session, createSession(request));
    // Once: to read a header is dear on Deno.
    const header = lazy ? null : context.request.headers.get("Cookie");
    return handleRequest(request, context, header, next, sweep);
  };
}

/** Loads the session, runs the rest of the chain, and saves. */
async function handleRequest(
  request: RequestSession,
  context: RequestContext,
  cookies: string | null,
  next: () => Promise<Response>,
  sweep: () => void,
): Promise<Response> {
  try {
    if (cookies !== null) await request.load(cookies);
  } catch (error) {
    request.close();
    throw error;
  }
  const response = await next();
  return context.error === undefined
    ? saveAfterHandler(response, request, sweep)
    : respondToError(response, request);
}

function storageOf(
  { secrets, store }: SessionOptions,
): SessionStore | CookieStorage {
  if (secrets === undefined) {
    return (store ?? createMemorySessionStore()) as
      | SessionStore
      | CookieStorage;
  }
  if (store === undefined) return new CookieStorage({ secrets });
  throw new TypeError(
    "Cannot create session middleware: it takes a store or secrets, not both",
  );
}

function resolveTimeouts(timeouts: SessionTimeouts): ResolvedTimeouts {
  const minute = 60_000;
  const resolved = {
    idle: timeouts.idle ?? 30 * minute,
    absolute: timeouts.absolute ?? 720 * minute,
    anonymous: timeouts.anonymous ?? 10 * minute,
  };
  for (const [name, value] of Object.entries(resolved)) {
    checkPositive(
      "session middleware",
      `timeout ${name}`,
      value,
      Number.MAX_VALUE,
    );
  }
  return resolved;
}

/** Saves the session and has the response tell the browser of it. */
function saveAfterHandler(
  response: Response,
  request: RequestSession,
  sweep: () => void,
): Response | Promise<Response> {
  request.close();
  return !request.isUntouched && request.changes.isDue
    ? saveAndRespond(response, request, sweep)
    : addHeaders(response, request);
}

async function saveAndRespond(
  response: Response,
  request: RequestSession,
  sweep: () => void,
): Promise<Response> {
  let isOurs;
  try {
    isOurs = await saveChanges(request);
  } catch (error) {
    cancelBody(response);
    // Nobody gets the cookie of a login that was committed before.
    await request.changes.discard().catch(() => {});
    throw error;
  }
  if (request.cookies.length > 0) sweep();
  if (isOurs) return addHeaders(response, request);
  cancelBody(response);
  return addHeaders(new SessionConflictError("taken").toResponse(), request);
}

/** Has a stream that nobody is going to read come to its end. */
function cancelBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/**
 * Finishes the response to an error: saves nothing more, but sends the cookie of
 * what was committed before. A session that was destroyed ends all the same: a
 * logout must not fail because of what comes after it.
 */
async function respondToError(
  response: Response,
  request: RequestSession,
): Promise<Response> {
  request.close();
  if (request.isUntouched) return addHeaders(response, request);
  const { changes } = request;
  // A commit that the handler did not wait for is still a commit.
  await changes.waitForSave();
  if (changes.destroyed) {
    // The error that is being answered says what is wrong.
    await changes.save().catch(() => {});
  }
  return addHeaders(response, request);
}

/** Saves; tells whether everything that was taken was still there. */
async function saveChanges(request: RequestSession): Promise<boolean> {
  for (let isOurs = true;; isOurs = false) {
    try {
      await request.changes.save();
      return isOurs;
    } catch (error) {
      // What was lost, and all that came after, is out of the changes: what came
      // before can be saved.
      if (!(error instanceof SessionConflictError)) throw error;
    }
  }
}

function addHeaders(response: Response, request: RequestSession): Response {
  const { headers } = request;
  const { hostCookies } = request;
  const marked = request.isUntouched && hostCookies.length === 0
    ? response
    : addSessionHeaders(response, request, hostCookies);
  if (headers === undefined || marked.status === 101) return marked;
  return withHeaders(marked, (own) => {
    for (const [name, value] of headers) own.set(name, value);
  });
}

/** Tells the browser of a new or an ended session, and caches of any. */
function addSessionHeaders(
  response: Response,
  request: RequestSession,
  hostCookies: readonly string[],
): Response {
  const cookies = [...request.cookies, ...hostCookies];
  if (cookies.length > 0) return withCookies(response, cookies);
  return request.changes.accessed ? makePrivate(response) : response;
}
