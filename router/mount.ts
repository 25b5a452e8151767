import type { RequestHandler } from "./action.ts";
import type { RequestContext } from "./context/context.ts";
import { type ContextKey, createContextKey } from "./context/context_key.ts";
import { hasSignal } from "./abort.ts";
import { Platform } from "./context/platform.ts";

/** Anything that answers requests as servers hand them over. */
export type MountTarget =
  | MountedFetch
  | {
    /** Answers a request. */
    readonly fetch: MountedFetch;
  };

/**
 * Answers a request; gets what the runtime passed besides, which each handler
 * names as it expects it.
 */
export type MountedFetch = (
  request: Request,
  ...platform: never[]
) => Response | Promise<Response>;

/**
 * The key of the prefix that was taken off the URL of a request for a mounted
 * handler: the beginning of the path as the client sees it, or `""`.
 */
export const MountPrefix: ContextKey<string> = /* @__PURE__ */ createContextKey(
  "",
  { name: "MountPrefix" },
);

/** Has a router answer a request within the context of another. */
type Enter = (request: Request, outer: RequestContext) => Promise<Response>;

/** How to enter the routers, by their `fetch`. */
const knownRouters = /* @__PURE__ */ new WeakMap<MountedFetch, Enter>();

/** Makes a router known, so that it keeps the context when it is mounted. */
export function rememberRouter(fetch: MountedFetch, enter: Enter): void {
  knownRouters.set(fetch, enter);
}

/** The handler that a target is registered with, at a prefix and below it. */
export function toMounted(
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
  const fetch = typeof target === "function" ? target : target?.fetch;
  // Else every request would fail, of whoever calls without types.
  if (typeof fetch !== "function") {
    throw new TypeError(`Cannot mount at "${prefix}": its target has no fetch`);
  }
  const enter = knownRouters.get(fetch);
  return (context) => {
    if (UNMADE.test(context.request.method)) {
      const headers = { Allow: "" };
      return new Response("Method Not Allowed", { status: 405, headers });
    }
    const request = withoutPrefix(context, prefix.length);
    if (enter === undefined) {
      const platform = context.get(Platform) as readonly never[];
      return typeof target === "function"
        ? target(request, ...platform)
        : target.fetch(request, ...platform);
    }
    // The two contexts share their values.
    const outside = context.get(MountPrefix);
    context.set(MountPrefix, outside + prefix);
    return enter(request, context)
      .finally(() => context.set(MountPrefix, outside));
  };
}

/** The methods that no request can be made with (Fetch, "forbidden method"). */
const UNMADE = /^(?:connect|trace|track)$/i;

function withoutPrefix(context: RequestContext, length: number): Request {
  const { request } = context;
  const { method, bodyUsed } = request;
  const url = new URL(context.url);
  // Two slashes at the start of a path are no host: the setter keeps the path.
  url.pathname = url.pathname.slice(length) || "/";
  const signal = hasSignal(context) ? request.signal : null;
  // A copy of the request itself has all of it, but reads the signal.
  if (!bodyUsed && signal !== null) return new Request(url, request);
  const headers = new Headers(request.headers);
  if (bodyUsed) {
    headers.delete("Content-Type");
    headers.delete("Content-Length");
  }
  const body = bodyUsed ? bodyAgain(context) : request.body;
  return new Request(url, { method, headers, body, signal });
}

/** The types of what `FormData` has; it is empty for all others. */
const FORM_TYPE =
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** The form that a middleware has read, as a body once more. */
function bodyAgain(context: RequestContext): FormData | URLSearchParams {
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
