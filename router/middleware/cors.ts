import { VariesByOrigin, varyByOrigin } from "../context/varies_by_origin.ts";
import { isToken } from "../method.ts";
import type { Middleware, RequestContext } from "../mod.ts";
import { withHeaders } from "../with_headers.ts";
import { createOriginCheck, type TrustedOrigins } from "./_trusted_origins.ts";

/** Options for {@linkcode cors}. */
export interface CORSOptions {
  /**
   * The origins whose scripts may read responses, the same as for
   * `crossOriginProtection()`. `"*"` stands for all origins, without credentials.
   */
  readonly trustedOrigins: TrustedOrigins | "*";
  /**
   * `true` to let scripts send cookies, and read the responses to them.
   *
   * @default {false}
   */
  readonly credentials?: boolean;
  /**
   * The request headers that scripts may set in addition to the safelisted ones.
   *
   * @default {all that a preflight asks for}
   */
  readonly allowedHeaders?: readonly string[];
  /**
   * The response headers that scripts may read in addition to the safelisted ones.
   *
   * @default {[]}
   */
  readonly exposedHeaders?: readonly string[];
  /**
   * The time in seconds for which browsers cache the answer to a preflight.
   * Chromium caches it for two hours at most.
   *
   * @default {600}
   */
  readonly maxAge?: number;
  /**
   * `true` to let public sites reach a server in a private network, if the browser
   * asks for it.
   *
   * @default {false}
   */
  readonly privateNetwork?: boolean;
}

/**
 * Creates a middleware that allows scripts of trusted origins to read
 * responses, including errors, and that answers preflights.
 *
 * Put it first in the middleware of the router: guards after it never see a
 * preflight, which has no credentials. A preflight gets the methods that have a
 * route for its path, including routes of mounted routers. For a path without
 * routes it gets the method that it asks for, so that scripts can read the 404.
 *
 * Trust: CORS restricts only what scripts may read. It does not stop a form of
 * another site, so use `crossOriginProtection()` with the same options. This
 * middleware replaces the `Access-Control-Allow-Origin` of handlers.
 *
 * @example One list of origins for reading and writing
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { cors, crossOriginProtection } from "@gatehouse/web/middleware";
 *
 * const options = {
 *   trustedOrigins: ["https://app.example"],
 *   credentials: true,
 * };
 * const router = createRouter({
 *   middleware: [cors(options), crossOriginProtection(options)],
 * });
 * router.get("/notes", () => Response.json([]));
 *
 * const { headers } = await router.fetch("https://api.example/notes", {
 *   headers: { Origin: "https://app.example" },
 * });
 * assertEquals(
 *   headers.get("Access-Control-Allow-Origin"),
 *   "https://app.example",
 * );
 * ```
 *
 * @param options The trusted origins, and what their scripts may do.
 * @returns The middleware.
 * @throws {TypeError} If an origin or the name of a header is invalid, or if `"*"`
 * is combined with credentials.
 * @throws {RangeError} If `maxAge` is not an integer of at least zero.
 * @see {@link https://fetch.spec.whatwg.org/#http-cors-protocol | Fetch Standard, CORS protocol}
 */
export function cors(options: CORSOptions): Middleware<readonly []> {
  checkOptions(options);
  const { trustedOrigins, credentials, exposedHeaders = [] } = options;
  const isTrusted = trustedOrigins === "*"
    ? null
    : createOriginCheck(trustedOrigins);

  /** Returns the origin that may read the response, `"*"` for any, or `null`. */
  function allowedOrigin(context: RequestContext): string | null {
    if (isTrusted === null) return "*";
    const origin = context.request.headers.get("Origin");
    try {
      return isTrusted(origin, context) ? origin : null;
    } catch (error) {
      context.set(VariesByOrigin, new VariesByOrigin());
      throw error;
    }
  }

  return async (context, next) => {
    // The origin is checked first, so that no handler runs if the application's
    // function throws.
    const origin = allowedOrigin(context);
    if (isPreflight(context.request)) {
      const headers = new Headers({ Vary: REQUESTED });
      setOrigin(headers, origin, credentials);
      if (origin !== null) allowPreflight(headers, context, options);
      return new Response(null, { status: 204, headers });
    }
    const response = await next();
    if (response.status === 101) return response;
    return withHeaders(response, (headers) => {
      setOrigin(headers, origin, credentials);
      if (origin !== null && exposedHeaders.length > 0) {
        headers.append("Access-Control-Expose-Headers", exposedHeaders.join());
      }
    });
  };
}

/** Sets the headers that preflights and other responses have. */
function setOrigin(
  headers: Headers,
  origin: string | null,
  credentials: boolean | undefined,
): void {
  headers.delete("Access-Control-Allow-Origin");
  headers.delete("Access-Control-Allow-Credentials");
  varyByOrigin(headers);
  if (origin === null) return;
  headers.set("Access-Control-Allow-Origin", origin);
  if (credentials) headers.set("Access-Control-Allow-Credentials", "true");
}

/** The request headers that change the answer to a preflight. */
const REQUESTED =
  "Access-Control-Request-Method, Access-Control-Request-Headers";

/** Returns `true` for a CORS-preflight request (Fetch, 3.3.2). */
function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("Origin") &&
    headers.has("Access-Control-Request-Method");
}

/** Sets the headers of an allowed preflight. */
function allowPreflight(
  headers: Headers,
  { request, router }: RequestContext,
  { allowedHeaders, maxAge = 600, privateNetwork }: CORSOptions,
): void {
  const asked = (name: string) =>
    request.headers.get(`Access-Control-Request-${name}`) ?? "";
  const allow = (name: string, values: readonly string[]) => {
    if (values[0]) {
      headers.set(`Access-Control-Allow-${name}`, values.join(", "));
    }
  };
  const methods = router.allowedMethods(request.url);
  allow("Methods", methods[0] ? methods : tokens(asked("Method")));
  allow("Headers", allowedHeaders ?? tokens(asked("Headers")));
  headers.set("Access-Control-Max-Age", `${maxAge}`);
  if (privateNetwork && asked("Private-Network") === "true") {
    allow("Private-Network", ["true"]);
  }
}

/** Returns the valid elements of a list in a header. */
function tokens(list: string): string[] {
  return list.split(",").map((value) => value.trim()).filter(isToken);
}

function checkOptions(options: CORSOptions): void {
  const { trustedOrigins, credentials, maxAge = 0 } = options;
  const { allowedHeaders = [], exposedHeaders = [] } = options;
  const names = [...allowedHeaders, ...exposedHeaders];
  if (credentials && [trustedOrigins, ...names].includes("*")) {
    throw new TypeError(
      'Cannot allow "*" with credentials: browsers reject it',
    );
  }
  const invalid = names.find((name) => !isToken(name));
  if (invalid !== undefined) {
    throw new TypeError(
      `Cannot allow header "${invalid}": it is not the name of a header`,
    );
  }
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
    throw new RangeError(
      `Cannot cache preflights for "${maxAge}" seconds: it is not an integer of at least zero`,
    );
  }
}
