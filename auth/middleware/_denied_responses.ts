import { MountPrefix, reportDenied } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { State } from "./_auth_state.ts";

/** Reports a request without a user, or with credentials that were refused. */
export function reportUnauthenticated(context: RequestContext): void {
  const isRefused = context.get(State).refused.length > 0;
  const reason = isRefused ? "invalid-credentials" : "unauthenticated";
  reportDenied(context, reason);
}

/**
 * Creates a 401 with the challenges of the schemes (RFC 9110, section 15.5.2).
 */
export function unauthorized(
  context: RequestContext,
): Response | Promise<Response> {
  const { schemes, refused } = context.get(State);
  const challenges = schemes.map((scheme) =>
    scheme.challenge?.(refused.includes(scheme) ? "refused" : "absent")
  );
  return denied(context, 401, challenges);
}

/** Creates a 403, with a challenge if the scheme can grant more rights. */
export function forbidden(
  context: RequestContext,
): Response | Promise<Response> {
  const challenge = context.get(State).scheme?.challenge?.("insufficient");
  return denied(context, 403, [challenge]);
}

/**
 * Creates a 401 for a user who must log in again (RFC 9470, section 3).
 *
 * @param maxAge The longest time since the login, in seconds, if that is why.
 */
export function loginTooOld(
  context: RequestContext,
  maxAge?: number,
): Response | Promise<Response> {
  const challenges = context.get(State).schemes
    .map((scheme) => scheme.challenge?.("stale", maxAge));
  return denied(context, 401, challenges);
}

/** The mount prefixes of the denied requests. */
const prefixes = /* @__PURE__ */ new WeakMap<Request, string>();

/** Returns the path prefix that outer routers removed from a denied request. */
export function mountPrefixOf(request: Request): string {
  return prefixes.get(request) ?? "";
}

/**
 * Checks an `onUnauthenticated` or `onStale` option.
 *
 * @throws {TypeError} If it is present and not a function.
 */
export function checkCallback(name: string, callback: unknown): void {
  if (callback === undefined || typeof callback === "function") return;
  throw new TypeError(
    `Cannot create the guard: ${name} is not a function, such as redirectToLogin("/login")`,
  );
}

/**
 * Calls the application's callback for a denied request. Without a response, the
 * request would pass the guard, so that is an error.
 */
export async function callbackResponse(
  callback: (request: Request) => Response | Promise<Response>,
  context: RequestContext,
): Promise<Response> {
  const { request } = context;
  const prefix = context.get(MountPrefix);
  if (prefix !== "") prefixes.set(request, prefix);
  const response = await callback(request);
  if (response instanceof Response) return response;
  throw new TypeError(
    "Cannot reject the request: the callback returned no Response",
  );
}

/**
 * Creates a response with challenges. No cache may store it: the next client may
 * have credentials.
 */
function denied(
  context: RequestContext,
  status: 401 | 403,
  challenges: readonly (string | undefined)[],
): Response | Promise<Response> {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const challenge of challenges) {
    if (challenge !== undefined) headers.append("WWW-Authenticate", challenge);
  }
  const problem = { type: "about:blank", status };
  return context.createErrorResponse(problem, headers);
}
