import { isServed } from "./abort.ts";
import {
  type FindAllowedMethods,
  toggleTrailingSlash,
} from "./_allowed_methods.ts";
import {
  catchErrors,
  type ErrorHandler,
  type SafeHandler,
} from "./_safe_handler.ts";
import type { RequestContext } from "./context/context.ts";
import { ArrayMatcher } from "./matching/array_matcher.ts";
import { canonicalHref, pathStart } from "./matching/canonical_url.ts";
import type { Match, Matcher } from "./matching/matcher.ts";
import { MountPrefix } from "./context/mount_prefix.ts";
import { redirect } from "./redirect.ts";
import { addContentType } from "./operation/add_content_type.ts";
import type { MatchData, RouterOptions } from "./router.ts";

/**
 * Finds the routes of requests and calls their handlers.
 *
 * Engines inline the code that all requests run only if it is short, so rare
 * cases are in separate methods.
 */
export class Dispatcher {
  readonly #matcher: Matcher<MatchData>;
  readonly #arrayMatcher: ArrayMatcher<MatchData> | undefined;
  readonly #trailingSlash: Required<RouterOptions>["trailingSlash"];
  readonly #allowedMethods: FindAllowedMethods;
  readonly #defaultHandler: SafeHandler;
  readonly #badRequest: SafeHandler;
  readonly #handleError: ErrorHandler;

  constructor(
    matcher: Matcher<MatchData>,
    trailingSlash: Required<RouterOptions>["trailingSlash"],
    allowedMethods: FindAllowedMethods,
    defaultHandler: SafeHandler,
    handleError: ErrorHandler,
  ) {
    this.#matcher = matcher;
    this.#arrayMatcher = matcher instanceof ArrayMatcher ? matcher : undefined;
    this.#trailingSlash = trailingSlash;
    this.#allowedMethods = allowedMethods;
    this.#defaultHandler = defaultHandler;
    this.#badRequest = catchErrors(
      (context) => context.createErrorResponse({ status: 400 }),
      handleError,
    );
    this.#handleError = handleError;
  }

  /** Responds to a request. */
  dispatch(context: RequestContext): Response | Promise<Response> {
    try {
      const { method, request: { url } } = context;
      const start = pathStart(url);
      // Our own matcher notices by itself if a path is not canonical.
      const match = this.#arrayMatcher === undefined || start < 0
        ? this.#matchSlowly(method, url)
        : this.#arrayMatcher.match(method, url, start);
      return match === null
        ? this.#handleUnmatched(method, context, start)
        : this.#handle(method, context, match);
    } catch (error) {
      // A custom matcher may throw.
      return this.#handleError(error, context);
    }
  }

  #matchSlowly(method: string, url: string): Match<MatchData> | null {
    const href = canonicalHref(url);
    return href === null ? null : this.#matcher.match(method, href);
  }

  /** Calls the handler of a route. HEAD gets no body from a GET route. */
  #handle(
    method: string,
    context: RequestContext,
    { data, params }: Match<MatchData>,
  ): Response | Promise<Response> {
    context.params = params;
    context.route = data;
    const result = data.handler(context);
    return method === "HEAD" && data.method !== "HEAD"
      ? removeBody(result, context)
        .catch((error) => this.#handleError(error, context))
      : result;
  }

  /** Tries the path with its other trailing slash, then the default handler. */
  #handleUnmatched(
    method: string,
    context: RequestContext,
    start: number,
  ): Response | Promise<Response> {
    const { url } = context.request;
    const href = this.#arrayMatcher === undefined || start < 0
      ? canonicalHref(url)
      : url;
    if (href === null) return this.#badRequest(context);
    if (this.#trailingSlash !== "strict") {
      const other = toggleTrailingSlash(href);
      const match = this.#matcher.match(method, other);
      if (match !== null) {
        return this.#trailingSlash === "redirect"
          ? redirectToPath(context, other)
          : this.#handle(method, context, match);
      }
    }
    context.allowedMethods = this.#allowedMethods(href);
    return this.#defaultHandler(context);
  }
}

/** Removes the body of a response, and cancels it so that it can clean up. */
async function removeBody(
  result: Response | Promise<Response>,
  context: RequestContext,
): Promise<Response> {
  const response = await result;
  // For a null body, servers send the length 0, which differs from that of GET
  // (RFC 9110, section 8.6). For a stream they send none. The code reads the
  // headers first, because Bun forgets the type of a file once its body was
  // read.
  const isLengthKept = response.headers.has("Content-Length") ||
    !isServed(context);
  if (response.body === null) return response;
  response.body.cancel().catch(() => {});
  const empty = isLengthKept ? null : ReadableStream.from([]);
  return addContentType(new Response(empty, response));
}

/**
 * Redirects to the path of a URL. The location has no origin: behind a proxy the
 * client uses another scheme and host.
 */
function redirectToPath(context: RequestContext, href: string): Response {
  const { pathname, search } = new URL(href);
  const path = context.get(MountPrefix) + pathname;
  // Two slashes at the start would name a host. "/.//" is the same path.
  const location = (path.startsWith("//") ? `/.${path}` : path) + search;
  const status = ["GET", "HEAD"].includes(context.method) ? 301 : 308;
  return redirect(location, status);
}
