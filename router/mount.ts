import type { RequestHandler } from "./action.ts";
import { type ContextRouter, RequestContext } from "./context.ts";
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
export const MountPrefix: ContextKey<string> = /* @__PURE__ */ createContextKey(
  "",
  { name: "MountPrefix" },
);

/** A router that can be handed a context in place of a request. */
interface KnownRouter {
  readonly router: ContextRouter;
  readonly handle: (context: RequestContext) => Promise<Response>;
}

/** The routers, by themselves and by their `fetch`. */
const knownRouters = /* @__PURE__ */ new WeakMap<object, KnownRouter>();

/** Makes a router known, so that it keeps the context when it is mounted. */
export function rememberRouter(known: KnownRouter): void {
  knownRouters.set(known.router, known);
  knownRouters.set(known.router.fetch, known);
}

/** The patterns and the handler that a mounted target is registered with. */
export function toMounted(
  prefix: string,
  target: MountTarget,
): { patterns: string[]; handler: RequestHandler } {
  const isCanonical = /^(?:\/[\w.~@%-]+)+$/.test(prefix) &&
    new URL(prefix, "http://localhost").pathname === prefix;
  if (!isCanonical) {
    throw new TypeError(
      `Cannot mount at "${prefix}": it is not a path such as "/admin"`,
    );
  }
  // Else every request would fail, of whoever calls without types.
  if (typeof target !== "function" && typeof target?.fetch !== "function") {
    throw new TypeError(
      `Cannot mount at "${prefix}": the target is no function and has no fetch`,
    );
  }
  const known = knownRouters.get(target);
  const handler: RequestHandler = (context) => {
    if (UNMADE.test(context.request.method)) return methodNotAllowed();
    const request = withoutPrefix(context, prefix.length);
    if (known === undefined) {
      const platform = context.get(Platform);
      return typeof target === "function"
        ? target(request, ...platform)
        : target.fetch(request, ...platform);
    }
    const { router, handle } = known;
    const inner = new RequestContext(request, { router, parent: context });
    inner.method = context.method;
    const outside = context.get(MountPrefix);
    inner.set(MountPrefix, outside + prefix);
    // The two contexts share their values.
    return handle(inner).finally(() => context.set(MountPrefix, outside));
  };
  return { patterns: [prefix, `${prefix}/*`], handler };
}

/** The methods that no request can be made with (Fetch, "forbidden method"). */
const UNMADE = /^(?:CONNECT|TRACE|TRACK)$/i;

function methodNotAllowed(): Response {
  const init = { status: 405, headers: { Allow: "" } };
  return new Response("Method Not Allowed", init);
}

function withoutPrefix(context: RequestContext, length: number): Request {
  const { request } = context;
  const url = new URL(context.url);
  // Two slashes at the start of a path are no host: the setter keeps the path.
  url.pathname = url.pathname.slice(length) || "/";
  // A copy of the request itself has all of it, but reads the signal.
  if (!request.bodyUsed && hasSignal(context)) return new Request(url, request);
  const headers = new Headers(request.headers);
  let body: BodyInit | null = request.body;
  if (request.bodyUsed) {
    body = bodyAgain(context);
    for (const name of ["Content-Type", "Content-Length"]) headers.delete(name);
  }
  const init = { method: request.method, headers, body };
  return new Request(
    url,
    hasSignal(context) ? { ...init, signal: request.signal } : init,
  );
}

/** The types of what `FormData` has; it is empty for all others. */
const FORM_TYPE =
  /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** The form that a middleware has read, as a body once more. */
function bodyAgain(context: RequestContext): FormData | URLSearchParams {
  const type = context.request.headers.get("Content-Type") ?? "";
  if (!FORM_TYPE.test(type) || !context.has(FormData)) {
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
