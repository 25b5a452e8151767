import { MountPrefix, reportDenied } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { State } from "./_auth_state.ts";
import type { ChallengeDetails } from "./scheme.ts";

/** Reports a request without a user, or with credentials that were refused. */
export function reportUnauthenticated(context: RequestContext): void {
  const isRefused = context.get(State).refused.size > 0;
  const reason = isRefused ? "invalid-credentials" : "unauthenticated";
  reportDenied(context, reason);
}

/**
 * Creates a 401 with the challenges of the schemes (RFC 9110, section 15.5.2).
 *
 * @param scopes The scopes that the route requires, if known.
 */
export function unauthorized(
  context: RequestContext,
  scopes?: readonly string[],
): Response | Promise<Response> {
  const { schemes, refused } = context.get(State);
  const headers = new Headers();
  let detail: string | undefined;
  for (const scheme of schemes) {
    const refusal = refused.get(scheme);
    const { error, description } = refusal ?? {};
    const reason = refusal === undefined ? "absent" : "refused";
    const details = { scopes, error, description };
    addChallenge(headers, scheme.challenge?.(reason, details));
    for (const [name, value] of Object.entries(refusal?.headers ?? {})) {
      headers.set(name, value);
    }
    detail ??= description;
  }
  return denied(context, 401, headers, detail);
}

/**
 * Creates a 403, with a challenge if the scheme can grant more rights.
 *
 * @param scopes The scopes that the route requires, if that is why.
 */
export function forbidden(
  context: RequestContext,
  scopes?: readonly string[],
): Response | Promise<Response> {
  const { scheme } = context.get(State);
  const headers = new Headers();
  const detail = scopes && `The request needs the scope ${scopes.join(" ")}`;
  const details = { scopes, description: detail };
  addChallenge(headers, scheme?.challenge?.("insufficient", details));
  return denied(context, 403, headers, detail);
}

/**
 * Creates a 401 for a user who must log in again (RFC 9470, section 3).
 *
 * @param details The longest time since the login and the accepted
 * authentication context classes, if that is why.
 */
export function loginTooOld(
  context: RequestContext,
  details: ChallengeDetails = {},
): Response | Promise<Response> {
  const headers = new Headers();
  const description = "The request needs a newer or stronger login";
  for (const scheme of context.get(State).schemes) {
    const challenge = scheme.challenge?.("stale", { ...details, description });
    addChallenge(headers, challenge);
  }
  return denied(context, 401, headers, description);
}

function addChallenge(headers: Headers, challenge: string | undefined): void {
  if (challenge !== undefined) headers.append("WWW-Authenticate", challenge);
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
  headers: Headers,
  detail?: string,
): Response | Promise<Response> {
  headers.set("Cache-Control", "no-store");
  const problem = { type: "about:blank", status, ...detail && { detail } };
  return context.createErrorResponse(problem, headers);
}
