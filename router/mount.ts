import type { RequestHandler } from "./action.ts";
import type { CollectedRoute } from "./_registration.ts";
import type { RequestContext } from "./context/context.ts";
import { MountPrefix } from "./context/mount_prefix.ts";
import { copyRequest, createdSignal, hasSignal } from "./abort.ts";
import { Platform } from "./context/platform.ts";
import type { Middleware } from "./middleware.ts";
import type { MountedFetch, MountTarget, Router } from "./router.ts";

export type { CollectedRoute };

/** Dispatches a request of a mounted router. */
export type MountedDispatch = (
  request: Request,
  outer: RequestContext,
) => Promise<Response>;

/** A router with the parts of it that are not public. */
interface RememberedRouter {
  readonly router: Router;
  readonly dispatch: MountedDispatch;
  readonly registered: Registered;
}

/** Everything that was registered on a router. */
export interface Registered {
  /** The middleware of the router. */
  readonly middleware: readonly Middleware[];
  /** The routes and the mounts, in order. */
  readonly entries: readonly (CollectedRoute | Mount)[];
}

/** A router or another handler below a prefix. */
export interface Mount {
  /** The beginning of the path. */
  readonly prefix: string;
  /** Everything that was registered on a router; `undefined` for others. */
  readonly target: Registered | undefined;
}

/**
 * The routers by their `fetch`, because `mount()` takes a `fetch` function too. A
 * property of the function would be public.
 */
const routers = /* @__PURE__ */ new WeakMap<MountedFetch, RememberedRouter>();

/** Stores a router, so that it keeps the context when it is mounted. */
export function rememberRouter(
  router: Router,
  dispatch: MountedDispatch,
  registered: Registered,
): void {
  routers.set(router.fetch, { router, dispatch, registered });
}

/** Returns what was registered on a router; `undefined` for other handlers. */
export function registeredOn(target: MountTarget): Registered | undefined {
  return routers.get(fetchOf(target))?.registered;
}

/** Creates the function that returns the methods of a mounted router for a URL. */
export function createMountedMethods(
  prefix: string,
  target: MountTarget,
): ((url: string) => string[]) | undefined {
  const router = routers.get(fetchOf(target))?.router;
  return router &&
    ((url) => router.allowedMethods(shortenPath(new URL(url), prefix.length)));
}

function fetchOf(target: MountTarget): MountedFetch {
  return typeof target === "function" ? target : target?.fetch;
}

/** Removes the beginning of the path. */
function shortenPath(url: URL, length: number): URL {
  // A parser would read two slashes at the start as a host, but the setter does
  // not.
  url.pathname = url.pathname.slice(length) || "/";
  return url;
}

/** Creates the handler of a mount, for its prefix and the paths below it. */
export function createMountHandler(
  prefix: string,
  target: MountTarget,
): RequestHandler {
  const isCanonical = /^(?:\/[\w.~@%-]+)+$/.test(prefix) &&
    new URL(prefix, "http://localhost").pathname === prefix;
  if (!isCanonical) {
    throw new TypeError(
      `Cannot mount at "${prefix}": it is not a path such as "/admin"`,
    );
  }
  const fetch = fetchOf(target);
  // Every request would otherwise fail if the caller uses no types.
  if (typeof fetch !== "function") {
    throw new TypeError(`Cannot mount at "${prefix}": its target has no fetch`);
  }
  const dispatch = routers.get(fetch)?.dispatch;
  return (context) => {
    if (FORBIDDEN.test(context.request.method)) {
      return context.createErrorResponse({ status: 405 }, { Allow: "" });
    }
    const request = withoutPrefix(context, prefix.length);
    if (dispatch === undefined) {
      const platform = context.get(Platform) as readonly never[];
      return typeof target === "function"
        ? target(request, ...platform)
        : target.fetch(request, ...platform);
    }
    // The two contexts share their values.
    const outside = context.get(MountPrefix);
    context.set(MountPrefix, outside + prefix);
    return dispatch(request, context)
      .finally(() => context.set(MountPrefix, outside));
  };
}

/** The methods that no new request can have (Fetch, "forbidden method"). */
const FORBIDDEN = /^(?:connect|trace|track)$/i;

/** The methods that requests can't have a body with (Fetch, 5.4). */
const BODYLESS = /^(?:get|head)$/i;

function withoutPrefix(context: RequestContext, length: number): Request {
  const { request } = context;
  const { bodyUsed } = request;
  const url = shortenPath(new URL(context.url), length);
  // Copying the request keeps all of its properties, but reads the signal.
  if (!bodyUsed && hasSignal(context) && createdSignal(request)) {
    return new Request(url, request);
  }
  const headers = new Headers(request.headers);
  if (bodyUsed) {
    headers.delete("Content-Type");
    headers.delete("Content-Length");
  }
  // Some servers pass `get` with a body, and requests turn it into GET.
  const given = BODYLESS.test(request.method) ? null : request.body;
  const body = bodyUsed ? recreateBody(context) : given;
  return copyRequest(context, url, { headers, body });
}

/**
 * The types of forms. If the body is not a form, the form-data middleware
 * stores an empty form.
 */
const FORM_TYPE =
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** Returns the form that a middleware has read, as a new body. */
function recreateBody(context: RequestContext): FormData | URLSearchParams {
  const type = context.request.headers.get("Content-Type") ?? "";
  if (!FORM_TYPE.test(type) || !context.has(FormData)) {
    throw new TypeError(
      "Cannot forward the request: its body was read before",
    );
  }
  const form = context.get(FormData);
  const fields = [...form] as [string, string][];
  return fields.every(([, value]) => typeof value === "string")
    ? new URLSearchParams(fields)
    : form;
}
