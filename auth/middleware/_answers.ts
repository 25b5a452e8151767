import { MountPrefix, type RequestContext } from "../../router/mod.ts";
import { State } from "./_auth_state.ts";
import { prefersJSON } from "./_prefers_json.ts";

/**
 * Answers 401 with the challenges of the schemes (RFC 9110, section 15.5.2).
 */
export function unauthorized(context: RequestContext): Response {
  const { schemes, refused } = context.get(State);
  const challenges = schemes.map((scheme) =>
    scheme.challenge?.(refused.includes(scheme) ? "refused" : "absent")
  );
  return answer(context, "Unauthorized", 401, challenges);
}

/** Answers 403, with a challenge where more rights of the same kind would do. */
export function forbidden(context: RequestContext): Response {
  const challenge = context.get(State).winner?.challenge?.("insufficient");
  return answer(context, "Forbidden", 403, [challenge]);
}

/**
 * Answers 401 to a user who must log in again (RFC 9470, section 3).
 *
 * @param maxAge Seconds.
 */
export function stale(context: RequestContext, maxAge: number): Response {
  const challenges = context.get(State).schemes
    .map((scheme) => scheme.challenge?.("stale", maxAge));
  return answer(context, "Unauthorized", 401, challenges);
}

/** What was taken off the paths of the requests that guards turn away. */
const prefixes = /* @__PURE__ */ new WeakMap<Request, string>();

/** What a router that it is mounted in took off the path of a request. */
export function mountPrefixOf(request: Request): string {
  return prefixes.get(request) ?? "";
}

/**
 * Checks what should answer in a guard's place.
 *
 * @throws {TypeError} If it is there and not a function.
 */
export function checkAnswer(name: string, answer: unknown): void {
  if (answer === undefined || typeof answer === "function") return;
  throw new TypeError(
    `Cannot create the guard: ${name} is not a function, such as redirectToLogin("/login")`,
  );
}

/**
 * What the application answers in a guard's place. Nothing is not an answer: it
 * would let the request through.
 */
export async function answerOf(
  answer: (request: Request) => Response | Promise<Response>,
  context: RequestContext,
): Promise<Response> {
  const { request } = context;
  const prefix = context.get(MountPrefix);
  if (prefix !== "") prefixes.set(request, prefix);
  const response = await answer(request);
  if (response instanceof Response) return response;
  throw new TypeError(
    "Cannot turn away the request: the callback returned no Response",
  );
}

/**
 * The reason phrase, or a problem document for clients that ask for JSON
 * (RFC 9457). It must not be stored: the next client may have credentials.
 */
function answer(
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
