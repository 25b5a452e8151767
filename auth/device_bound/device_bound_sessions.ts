import {
  checkPositive,
  createContextKey,
  reportDenied,
} from "../../router/internal.ts";
import type {
  ContextKey,
  Middleware,
  RequestContext,
} from "../../router/mod.ts";
import {
  BINDING_KEY,
  type DeviceBinding,
  hasLoggedIn,
  type HostCookie,
  hostCookie,
  leaveSession,
  loginTimeOf,
  readBinding,
  setResponseHeader,
  storeOf,
} from "../../session/internal.ts";
import type { Session } from "../../session/mod.ts";
import { currentSession } from "../login/current_session.ts";
import { Auth } from "../middleware/mod.ts";
import {
  type BindingState,
  checkCookie,
  type RequestBinding,
} from "./_binding.ts";
import {
  ask,
  isForeign,
  isRecent,
  offer,
  offerLater,
} from "./_registration_header.ts";
import {
  CHALLENGE,
  challengeHeader,
  refresh,
  register,
  replace,
  type RouteRequest,
  type Settings,
} from "./_routes.ts";

/** Options for {@linkcode deviceBoundSessions}. */
export interface DeviceBoundSessionsOptions {
  /**
   * The path of the two routes that browsers call: `registration` and `refresh`
   * below it.
   *
   * @default {"/device-session"}
   */
  readonly path?: string;
  /**
   * The lifetime of the bound cookie in milliseconds, and so the time for which
   * copied cookies work. The maximum is one hour.
   *
   * @default {600_000}
   */
  readonly lifetime?: number;
  /**
   * The name of the bound cookie, without the prefix that the library adds.
   *
   * @default {"bound"}
   */
  readonly cookie?: string;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The longest lifetime of the bound cookie, in milliseconds. */
const MAX_LIFETIME = 3_600_000;

/** The context key of the request's state. */
export const Binding: ContextKey<BindingState> = /* @__PURE__ */
  createContextKey<BindingState>(undefined, { name: "deviceBoundSessions" });

/**
 * Creates a middleware that binds sessions to the devices of their users, with
 * Device Bound Session Credentials. Copied cookies then stop working within
 * minutes: only the device has the key that renews them. Other browsers ignore it.
 *
 * Put it between `session()` and `auth()`. A login asks the browser to register a
 * key. From the first request with the bound cookie, the session needs this
 * cookie. Without it, a request is anonymous, and the stored session does not
 * change. `requireBoundSession` also refuses sessions that were never bound.
 *
 * Trust: the connection must be HTTPS, and caches must not store the two routes.
 *
 * @example Ask for a key after the login
 * ```ts
 * import { completeAuth } from "@gatehouse/web/auth";
 * import { deviceBoundSessions } from "@gatehouse/web/auth/device-bound";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { assertMatch } from "@std/assert";
 *
 * const router = createRouter({
 *   middleware: [session(), deviceBoundSessions()],
 * });
 * router.post("/login", async (context) => {
 *   await completeAuth(context, 7);
 *   return new Response("Welcome");
 * });
 *
 * const { headers } = await router.fetch("https://example.com/login", {
 *   method: "POST",
 * });
 * assertMatch(
 *   headers.get("Secure-Session-Registration") ?? "",
 *   /^\(ES256 RS256\);path="\/device-session\/registration";challenge="/,
 * );
 * ```
 *
 * @param options The path, the lifetime of the cookie and the clock.
 * @returns The middleware.
 * @throws {TypeError} If the path does not begin with `/`.
 * @throws {RangeError} If the lifetime is not a positive number up to one hour.
 * @see {@link https://w3c.github.io/webappsec-dbsc/ | Device Bound Session Credentials}
 */
export function deviceBoundSessions(
  options: DeviceBoundSessionsOptions = {},
): Middleware<readonly []> {
  const settings = checkOptions(options);
  return async (context, next) => {
    const session = await openSession(context);
    const cookie = openCookie(session, settings.cookie);
    const time = settings.now();
    const binding = readBinding(session);
    const request = { context, session, cookie, settings };
    const route = routeOf(context, settings);
    if (route !== null) return await route(request, binding);
    const found = await checkCookie(binding, cookie.value, time);
    context.set(Binding, found.state);
    if (found.state === "unproven") {
      const isForeign = isForeignNavigation(context);
      if (!isForeign) {
        reportDenied(context, "device-cookie", session.userId);
      }
      // The session is left even before a reload, because copied cookies must
      // not keep it alive.
      leaveSession(session);
      if (isForeign) return reload(0);
    } else if (found.state === "bound" && binding?.boundAt === undefined) {
      confirm(session, time);
    }
    const response = await next();
    // A session saves no changes after an error.
    if (context.error === undefined) {
      await finish(request, binding, found);
    }
    return response;
  };
}

function checkOptions(
  {
    cookie = "bound",
    lifetime = 600_000,
    now = Date.now,
    path = "/device-session",
  }: DeviceBoundSessionsOptions,
): Settings {
  if (!/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new TypeError(
      `Cannot create deviceBoundSessions: path "${path}" is not a path such as "/device-session"`,
    );
  }
  checkPositive("deviceBoundSessions", "lifetime", lifetime, MAX_LIFETIME);
  return {
    registrationPath: `${path}/registration`,
    refreshPath: `${path}/refresh`,
    lifetime,
    cookie,
    now,
  };
}

/** Returns the loaded session, if its middleware and `auth` are in order. */
async function openSession(context: RequestContext): Promise<Session> {
  const session = currentSession(context, "bind the session to a device");
  const problem = context.has(Auth)
    ? "auth() ran before, and would accept a copied cookie"
    : storeOf(session) === null
    ? "it is in cookies, and an older copy of them would not be bound"
    : storeOf(session)?.consistency === "eventual"
    ? "its store is only eventually consistent, and a challenge would work several times"
    : undefined;
  if (problem !== undefined) {
    throw new TypeError(`Cannot bind the session to a device: ${problem}`);
  }
  // A request without a cookie has no session, so nothing needs to be loaded.
  return context.request.headers.has("Cookie") ? await session.load() : session;
}

/** Returns the bound cookie, if browsers can bind a session to it. */
function openCookie(session: Session, name: string): HostCookie {
  // Chromium 156 refuses to bind a session to a cookie with `__Host-Http-`.
  // `__Host-` is enough, because a cookie that a script plants has no valid
  // HMAC.
  const cookie = hostCookie(session, name, "__Host-");
  if (!/partitioned/i.test(cookie.attributes ?? "")) return cookie;
  throw new TypeError(
    "Cannot bind the session to a device: its cookie is partitioned",
  );
}

function routeOf(
  { request, url }: RequestContext,
  { refreshPath, registrationPath }: Settings,
): typeof refresh | null {
  if (request.method !== "POST") return null;
  if (url.pathname === refreshPath) return refresh;
  return url.pathname === registrationPath ? register : null;
}

/** Remembers that the browser has the bound cookie. From now on, it is needed. */
function confirm(session: Session, time: number): void {
  session.update(BINDING_KEY, (value) => {
    const binding = value as unknown as DeviceBinding | undefined;
    return { ...binding, boundAt: binding?.boundAt ?? time };
  });
}

/** Adds headers and cookies to the response. */
async function finish(
  request: RouteRequest,
  binding: DeviceBinding | null,
  { expiresAt, state }: RequestBinding,
): Promise<void> {
  const { context, cookie, session, settings: { lifetime, now } } = request;
  if (hasLoggedIn(session)) {
    if (cookie.attributes !== null) await offer(request);
  } else if (state === "bound" && readBinding(session) === null) {
    // The user has logged out, so the browser forgets its key when it next
    // refreshes the cookie.
    cookie.set("", 0);
  } else if (state === "bound" && expiresAt - now() < lifetime / 2) {
    // With this challenge, the refresh takes one request instead of two.
    const headers = await challengeHeader(binding!, now());
    setResponseHeader(session, CHALLENGE, headers[CHALLENGE]!);
  } else if (
    binding?.askUntil !== undefined && now() < binding.askUntil &&
    !isForeign(context) && readBinding(session) === binding
  ) {
    // The handler's changes are saved first, so that a conflict in them is not
    // mistaken for one in the changes below.
    await session.commit();
    const next = { ...binding, askUntil: undefined };
    // Only one response may ask, because browsers would create a key for each.
    if (await replace(request, next)) await ask(request, next);
  } else if (
    binding === null && isRecent(loginTimeOf(session), now()) &&
    !isForeign(context) && cookie.attributes !== null
  ) {
    // The login's handler has thrown, so a later response asks.
    await offerLater(request);
  }
}

/**
 * Returns `true` for a link on another site. Browsers renew the cookie only for
 * requests of the same origin.
 */
function isForeignNavigation(context: RequestContext): boolean {
  const { headers, method } = context.request;
  return method === "GET" && headers.get("Sec-Fetch-Mode") === "navigate" &&
    isForeign(context);
}

/** Lets the browser open the same page again, as a request of the same origin. */
export function reload(seconds: number): Response {
  return new Response("<!doctype html><title>…</title>", {
    headers: {
      "Cache-Control": "no-store",
      "Content-Type": "text/html; charset=utf-8",
      Refresh: String(seconds),
    },
  });
}
