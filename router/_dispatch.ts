import type { RequestHandler } from "./action.ts";
import { canonicalHref, pathStart } from "./_canonical.ts";
import { checked, type Handle } from "./_chain.ts";
import type { RequestContext } from "./context.ts";
import { toHead } from "./_defaults.ts";
import { ArrayMatcher, type Match, type Matcher } from "./matcher.ts";
import type { Registration } from "./_registration.ts";
import type { RouterOptions } from "./router.ts";
import { redirectToOther, withOtherSlash } from "./_trailing_slash.ts";

/**
 * Makes what finds the route of a request and has it answer.
 *
 * Engines make one piece of what all requests pass, as long as it is short: what
 * few of them need is in functions of its own.
 */
export function dispatchWith(
  matcher: Matcher<Registration>,
  trailingSlash: Required<RouterOptions>["trailingSlash"],
  defaultHandler: RequestHandler,
): Handle {
  const own = matcher instanceof ArrayMatcher ? matcher : undefined;

  function findOther(method: string, url: string): Match<Registration> | null {
    const href = canonicalHref(url);
    return href === null ? null : matcher.match(method, href);
  }

  /** Looks for the path with its trailing slash taken off or put on. */
  function answerOther(
    method: string,
    context: RequestContext,
  ): Response | Promise<Response> {
    const href = canonicalHref(context.request.url);
    if (href === null) return badRequest();
    const forms = [href];
    if (trailingSlash !== "strict") {
      const other = withOtherSlash(href);
      forms.push(other);
      const match = matcher.match(method, other);
      if (match !== null) {
        return trailingSlash === "redirect"
          ? redirectToOther(context, other)
          : answer(method, context, match);
      }
    }
    const methods = forms.flatMap((form) => matcher.allowedMethods(form));
    context.allowedMethods = [...new Set(methods)].sort();
    return defaultHandler(context);
  }

  return (context) => {
    const { method, request: { url } } = context;
    const start = pathStart(url);
    // Our own matcher notices by itself where a path is not canonical.
    const match = own === undefined || start < 0
      ? findOther(method, url)
      : own.match(method, url, start);
    return match === null
      ? answerOther(method, context)
      : answer(method, context, match);
  };
}

/** Has the matched route answer; HEAD gets no body from those of GET. */
function answer(
  method: string,
  context: RequestContext,
  { data, params }: Match<Registration>,
): Response | Promise<Response> {
  context.params = params;
  context.route = data;
  const result = data.handler(context);
  return method === "HEAD" && data.method !== "HEAD"
    ? toHead(checked(result, context), context)
    : result;
}

/** Middleware may rely on `context.url`. */
export function forValidUrls(run: Handle): Handle {
  return (context) => {
    const { url } = context.request;
    return pathStart(url) < 0 && canonicalHref(url) === null
      ? badRequest()
      : run(context);
  };
}

function badRequest(): Response {
  return new Response("Bad Request", { status: 400 });
}
