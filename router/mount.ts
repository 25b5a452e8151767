import type { RequestHandler } from "./action.ts";
import { RequestContext } from "./context.ts";
import { type ContextKey, createContextKey } from "./context_key.ts";
import { hasSignal } from "./_abort.ts";
import { Platform } from "./platform.ts";

/** Anything that answers requests as servers hand them over. */
export type MountTarget =
  | MountedFetch
  | {
    /** Answers a request. */
    readonly fetch: MountedFetch;
  };

/** Answers a request; gets what the runtime passed besides. */
export type MountedFetch = (
  request: Request,
  // deno-lint-ignore no-explicit-any -- foreign handlers name what they expect
  ...platform: any[]
) => Response | Promise<Response>;

/**
 * The key of the prefix that was taken off the URL of a request for a mounted
 * handler: the beginning of the path as the client sees it, or `""`.
 */
export const MountPrefix: ContextKey<string> = createContextKey("", {
  name: "MountPrefix",
});

type Dispatch = (context: RequestContext) => Promise<Response>;

/** How to hand a context to a router, by the router and by its `fetch`. */
const dispatches = new WeakMap<object, Dispatch>();

/** Makes a router known, so that it keeps the context when it is mounted. */
export function rememberDispatch(
  router: object,
  fetch: object,
  dispatch: Dispatch,
): void {
  dispatches.set(router, dispatch);
  dispatches.set(fetch, dispatch);
}

/** The patterns and the handler that a mounted target is registered with. */
export function toMounted(
  prefix: string,
  target: MountTarget,
): { patterns: string[]; handler: RequestHandler } {
  if (!/^(?:\/[\w.~@%-]+)+$/.test(prefix)) {
    throw new TypeError(
      `Cannot mount at "${prefix}": it is not a path such as "/admin"`,
    );
  }
  const fetch = typeof target === "function" ? target : target.fetch;
  const dispatch = dispatches.get(target);
  const handler: RequestHandler = (context) => {
    const request = withoutPrefix(context, prefix.length);
    if (dispatch === undefined) {
      return fetch(request, ...context.get(Platform));
    }
    const inner = new RequestContext(request, { parent: context });
    inner.method = context.method;
    inner.set(MountPrefix, context.get(MountPrefix) + prefix);
    return dispatch(inner);
  };
  return { patterns: [prefix, `${prefix}/*`], handler };
}

function withoutPrefix(context: RequestContext, length: number): Request {
  const { request } = context;
  const url = new URL(context.url);
  // Two slashes at the start of a path are no host: the setter keeps the path.
  url.pathname = url.pathname.slice(length) || "/";
  if (!request.bodyUsed) return new Request(url, request);
  const headers = new Headers(request.headers);
  for (const name of ["Content-Type", "Content-Length"]) headers.delete(name);
  const { method, signal } = request;
  const init = { method, headers, body: bodyAgain(context) };
  return new Request(url, hasSignal(context) ? { ...init, signal } : init);
}

/** The form that a middleware has read, as a body once more. */
function bodyAgain(context: RequestContext): FormData | URLSearchParams {
  if (!context.has(FormData)) {
    throw new TypeError(
      "Cannot hand on the request to a mounted handler: its body was read before",
    );
  }
  const form = context.get(FormData);
  const fields: [string, string][] = [];
  for (const [name, value] of form) {
    if (typeof value !== "string") return form;
    fields.push([name, value]);
  }
  return new URLSearchParams(fields);
}
