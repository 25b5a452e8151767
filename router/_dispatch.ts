import { canonicalHref, pathStart } from "./matching/canonical_url.ts";
import type { AnswerError, Handle } from "./_chain.ts";
import type { RequestContext } from "./context/context.ts";
import { toHead } from "./_defaults.ts";
import { ArrayMatcher } from "./matching/array_matcher.ts";
import type { Match, Matcher } from "./matching/matcher.ts";
import type { Registration } from "./_registration.ts";
import type { RouterOptions } from "./router.ts";
import { redirectToOther, withOtherSlash } from "./_trailing_slash.ts";

/**
 * Creates the function that finds the route of a request and lets it answer.
 *
 * Engines make one piece of what all requests pass, as long as it is short: what
 * few of them need is in functions of its own.
 */
export function dispatchWith(
  matcher: Matcher<Registration>,
  trailingSlash: Required<RouterOptions>["trailingSlash"],
  defaultHandler: Handle,
  answerError: AnswerError,
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

  /** Lets the matched route answer; HEAD gets no body from a GET route. */
  function answer(
    method: string,
    context: RequestContext,
    { data, params }: Match<Registration>,
  ): Response | Promise<Response> {
    context.params = params;
    context.route = data;
    const result = data.handler(context);
    return method === "HEAD" && data.method !== "HEAD"
      ? toHead(result, context).catch((error) => answerError(error, context))
      : result;
  }

  return (context) => {
    try {
      const { method, request: { url } } = context;
      const start = pathStart(url);
      // Our own matcher notices by itself if a path is not canonical.
      const match = own === undefined || start < 0
        ? findOther(method, url)
        : own.match(method, url, start);
      return match === null
        ? answerOther(method, context)
        : answer(method, context, match);
    } catch (error) {
      // A matcher of the application may throw.
      return answerError(error, context);
    }
  };
}

function badRequest(): Response {
  return new Response("Bad Request", { status: 400 });
}
