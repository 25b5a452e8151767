import type { AnyContextKey, ContextValue } from "./context_key.ts";
import type { ContextEntries, ProvidedGetters } from "./context_entry.ts";
import {
  createErrorResponse,
  type ErrorResponse,
  type ProblemInit,
} from "../errors/error_response.ts";
import { MissingContextValueError } from "../errors/missing_context_value_error.ts";
import type { RequestMethod } from "../method.ts";
import { NO_PARAMS } from "../matching/matcher.ts";
import { MountPrefix } from "./mount_prefix.ts";
import { EMPTY, Platform } from "./platform.ts";
import { clientAddress, type TrustedProxies } from "./remote_address.ts";
import type { RoutePattern } from "../pattern/route_pattern.ts";
import type { Router } from "../router.ts";

/** The route that matches a request. */
export interface MatchedRoute {
  /** The method that the route was registered for. */
  readonly method: RequestMethod | "ANY";
  /** The pattern that matched. */
  readonly pattern: RoutePattern;
}

/** Options for {@linkcode RequestContext}. */
export interface RequestContextOptions {
  /**
   * The router that handles the request.
   *
   * @default {undefined}
   */
  readonly router?: Router;
  /**
   * The client's address.
   *
   * @default {undefined}
   */
  readonly remoteAddress?: string | undefined;
  /**
   * The arguments of the runtime after the request: the value of `Platform`, from
   * which the client's address is read.
   *
   * @default {[]}
   */
  readonly platform?: readonly unknown[];
  /**
   * The proxies whose `X-Forwarded-For` header is trusted.
   *
   * @default {0}
   */
  readonly trustedProxies?: TrustedProxies;
  /**
   * Creates error responses, like the option of the router.
   *
   * @default {undefined}
   */
  readonly errorResponse?: ErrorResponse | undefined;
  /**
   * A context that shares its router, address, platform, error responses and
   * values.
   *
   * @default {undefined}
   */
  readonly parent?: RequestContext;
}

/**
 * A request with its params, its route and the values that middleware shares with
 * handlers. Call its methods on it: `const { get } = context` is a type error.
 *
 * `url`, `headers` and the values are created when first read. On some runtimes
 * the request cannot be read once the response is sent: copy what you need later.
 *
 * @example Creating a context in a test
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const context = new RequestContext(new Request("https://example.com/a?b=1"));
 * assertEquals(context.url.pathname, "/a");
 * assertEquals(context.method, "GET");
 * ```
 *
 * @typeParam RouteParams The params of the matched pattern.
 */
export class RequestContext<RouteParams = Record<string, string>> {
  /** The request as it came in. */
  readonly request: Request;

  /**
   * The method that the request is dispatched on. Middleware may set it, as the
   * method-override middleware does.
   */
  method: RequestMethod;

  /** The params of the matched pattern, percent-decoded. */
  params: RouteParams;

  /** The matched route; `undefined` until one is matched. */
  route: MatchedRoute | undefined = undefined;

  /** The methods that have a route for the path, if no route matched. */
  allowedMethods: readonly string[] = EMPTY;

  /**
   * The error that a handler or an inner middleware threw; `undefined` if there
   * was none. After an error, `next()` returns the response to it.
   *
   * A middleware that replaces this response may set it to `undefined` for the
   * outer middleware.
   */
  error: unknown = undefined;

  readonly #options: RequestContextOptions;
  #remoteAddress: string | undefined;
  #url: URL | undefined;
  #headers: Headers | undefined;
  /** Keys and values in turn. There are few, so a map would be slower. */
  #values: unknown[] | undefined;
  /** The path before the routes of this context: the prefixes of mounts. */
  readonly #prefix: string = "";
  /** The context of the mounted router that handled the request last. */
  #mounted: RequestContext | undefined;

  /**
   * Creates the context of a request.
   *
   * @param request The request.
   * @param options The router, the platform and a parent.
   */
  constructor(request: Request, options: RequestContextOptions = {}) {
    this.request = request;
    this.method = request.method as RequestMethod;
    this.params = NO_PARAMS as RouteParams;
    this.#options = options;
    const { parent } = options;
    if (parent === undefined) return;
    this.#values = parent.#values ??= [];
    this.#prefix = parent.#values.length > 0 ? parent.get(MountPrefix) : "";
    parent.#mounted = this as RequestContext;
  }

  /**
   * The canonical URL of the request, the one that routes are matched on.
   *
   * It has no credentials. If the request has no valid http or https URL, this
   * is `https://malformed.invalid/`. The router responds to both with 400.
   */
  get url(): URL {
    return this.#url ??= parseURL(this.request.url);
  }

  /**
   * The path of the matched route's pattern with the prefixes of mounts, such as
   * `/admin/users/:id`; `undefined` until a route is matched. Logs and metrics
   * group requests by it.
   */
  get routePath(): string | undefined {
    const inner = this.#mounted?.routePath;
    if (inner !== undefined) return inner;
    const source = this.route?.pattern.source;
    // A pattern with a host has no prefix.
    if (this.#prefix === "" || !source?.startsWith("/")) return source;
    return source === "/" ? this.#prefix : this.#prefix + source;
  }

  /** The client's address, if the runtime provides it. */
  get remoteAddress(): string | undefined {
    const { remoteAddress, parent, platform, trustedProxies } = this.#options;
    return this.#remoteAddress ??= remoteAddress ?? (
      platform === undefined
        ? parent?.remoteAddress
        : clientAddress(this.request, platform, trustedProxies ?? 0)
    );
  }

  /** A copy of the request's headers. */
  get headers(): Headers {
    return this.#headers ??= new Headers(this.request.headers);
  }

  /**
   * The router that handles the request.
   *
   * @throws {TypeError} If the context was created without one.
   */
  get router(): Router {
    const { router = this.#options.parent?.router } = this.#options;
    if (router === undefined) {
      throw new TypeError(
        "Cannot read context.router: the context was created without one",
      );
    }
    return router;
  }

  /**
   * Reads a value.
   *
   * @param key The key, or the class of the value.
   * @returns The value that was set, or the key's default.
   * @throws {MissingContextValueError} If both are missing.
   */
  get<Key extends AnyContextKey>(
    this: RequestContext<RouteParams>,
    key: Key,
  ): ContextValue<Key> {
    const values = this.#values;
    const index = indexOf(values, key);
    if (index >= 0) return values![index + 1] as ContextValue<Key>;
    // Most runtimes pass a platform: storing it would need an array per request.
    if (key === Platform) return this.#platform as ContextValue<Key>;
    if (!("defaultValue" in key) || key.defaultValue === undefined) {
      throw new MissingContextValueError(key.name);
    }
    return key.defaultValue as ContextValue<Key>;
  }

  /**
   * Stores a value.
   *
   * @param key The key, or the class of the value.
   * @param value The value.
   */
  set<Key extends AnyContextKey>(
    this: RequestContext<RouteParams>,
    key: Key,
    value: ContextValue<Key>,
  ): void {
    const values = this.#values;
    const index = indexOf(values, key);
    if (index >= 0) values![index + 1] = value;
    else if (values === undefined) this.#values = [key, value];
    else values.push(key, value);
  }

  /**
   * Returns `true` if a value was set. A default does not count.
   *
   * @param key The key, or the class of the value.
   * @returns `true` if a value was set.
   */
  has(this: RequestContext<RouteParams>, key: AnyContextKey): boolean {
    return indexOf(this.#values, key) >= 0 ||
      (key === Platform && this.#platform.length > 0);
  }

  /**
   * Creates the response to an error: problem details (RFC 9457) for clients that
   * prefer JSON, and a short text for others. The router's `errorResponse` can
   * replace it.
   *
   * Use it in middleware. Functions that have no context can throw an
   * `HTTPError`.
   *
   * @example A middleware that rejects old clients
   * ```ts
   * import { assertEquals } from "@std/assert";
   * import { createRouter } from "@gatehouse/web/fetch-router";
   *
   * const router = createRouter({
   *   middleware: [(context, next) =>
   *     context.request.headers.get("X-Version") === "1"
   *       ? context.createErrorResponse({ status: 410, detail: "Update the app" })
   *       : next()],
   * });
   *
   * const response = await router.fetch("https://example.com/", {
   *   headers: { "X-Version": "1" },
   * });
   * assertEquals(response.status, 410);
   * assertEquals(await response.text(), "Update the app");
   * ```
   *
   * @param problem The status, and what the client may know about the error.
   * @param headers Headers of the response, such as `Retry-After`.
   * @returns The response. It has `Vary: Accept`, unless it has
   * `Cache-Control: no-store`.
   */
  createErrorResponse(
    this: RequestContext<RouteParams>,
    problem: ProblemInit,
    headers?: HeadersInit,
  ): Response | Promise<Response> {
    const context = this as RequestContext;
    return createErrorResponse(context, this.#errorResponse, problem, headers);
  }

  get #errorResponse(): ErrorResponse | undefined {
    const { errorResponse, parent } = this.#options;
    if (errorResponse !== undefined || parent === undefined) {
      return errorResponse;
    }
    return parent.#errorResponse;
  }

  get #platform(): readonly unknown[] {
    const { platform, parent } = this.#options;
    return platform ?? (parent === undefined ? EMPTY : parent.#platform);
  }
}

// The mapped type is empty. It makes TypeScript compare the members of contexts
// instead of their entries, of which there may be more than a handler needs.
/**
 * The context of a handler, with the params of its pattern and the values that
 * the middleware before it provides.
 */
export type HandlerContext<
  RouteParams = Record<string, string>,
  Entries extends ContextEntries = readonly [],
> =
  & { [Index in keyof Entries as never]-?: 0 }
  & ProvidedGetters<Entries>
  & RequestContext<RouteParams>;

/** The URL of requests with a malformed one (RFC 2606, section 2). */
const MALFORMED = "https://malformed.invalid/";

/** Parses the URL of a request, which may be malformed. */
function parseURL(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return new URL(MALFORMED);
  }
  if (url.username || url.password) url.username = url.password = "";
  return url;
}

/** Returns the index of a key among keys and values, or below zero. */
function indexOf(
  values: readonly unknown[] | undefined,
  key: AnyContextKey,
): number {
  if (values === undefined) return -1;
  let index = values.length - 2;
  while (index >= 0 && values[index] !== key) index -= 2;
  return index;
}
