import { reportDenied } from "../../router/internal.ts";
import { MountPrefix, type RequestContext } from "../../router/mod.ts";
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
export function unauthorized(context: RequestContext): Response {
  const { schemes, refused } = context.get(State);
  const challenges = schemes.map((scheme) =>
    scheme.challenge?.(refused.includes(scheme) ? "refused" : "absent")
  );
  return denied(context, "Unauthorized", 401, challenges);
}

/** Creates a 403, with a challenge if the scheme can grant more rights. */
export function forbidden(context: RequestContext): Response {
  const challenge = context.get(State).scheme?.challenge?.("insufficient");
  return denied(context, "Forbidden", 403, [challenge]);
}

/**
 * Creates a 401 for a user who must log in again (RFC 9470, section 3).
 *
 * @param maxAge The longest time since the login, in seconds, if that is why.
 */
export function loginTooOld(
  context: RequestContext,
  maxAge?: number,
): Response {
  const challenges = context.get(State).schemes
    .map((scheme) => scheme.challenge?.("stale", maxAge));
  return denied(context, "Unauthorized", 401, challenges);
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
 * Creates a response with the reason phrase, or with a problem document for
 * clients that ask for JSON (RFC 9457). No cache may store it: the next client
 * may have credentials.
 */
function denied(
  { request }: RequestContext,
  title: string,
  status: number,
  challenges: readonly (string | undefined)[],
): Response {
  const json = prefersJSON(request.headers.get("Accept"));
  const headers = new Headers({
    "Cache-Control": "no-store",
    "Content-Type": json
      ? "application/problem+json"
      : "text/plain;charset=UTF-8",
  });
  for (const challenge of challenges) {
    if (challenge !== undefined) headers.append("WWW-Authenticate", challenge);
  }
  const body = json
    ? JSON.stringify({ type: "about:blank", title, status })
    : title;
  return new Response(body, { status, headers });
}

/** The longest header that is parsed. Browsers send about 150 characters. */
const MAX_ACCEPT_LENGTH = 1024;

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)$/;

/**
 * Returns `true` if a client asks for a JSON type, and prefers no text type to
 * it. A wildcard does not count.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 | RFC 9110, Accept}
 */
function prefersJSON(accept: string | null): boolean {
  if (accept === null || accept.length > MAX_ACCEPT_LENGTH) return false;
  let jsonQuality = 0;
  let textQuality = 0;
  for (const range of accept.toLowerCase().split(",")) {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (JSON_TYPE.test(type)) jsonQuality = Math.max(jsonQuality, quality);
    if (type === "text/html" || type === "text/plain") {
      textQuality = Math.max(textQuality, quality);
    }
  }
  return jsonQuality > 0 && jsonQuality >= textQuality;
}

function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
    ? Number(weight.slice(2))
    : 0;
}
