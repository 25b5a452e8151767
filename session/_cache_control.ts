import { withHeaders } from "../router/mod.ts";

/** Keeps shared caches out, and leaves to browsers what they may do. */
export function madePrivate(response: Response): Response {
  // A 101 is no representation that anyone could cache.
  if (response.status === 101) return response;
  const directives = response.headers.get("Cache-Control") ?? "";
  // private="Name" is about one header alone (RFC 9111, section 5.2.2.7).
  if (/(?:^|,)\s*(?:private|no-store)\s*(?:,|$)/i.test(directives)) {
    return response;
  }
  const kept = directives.split(",").map((part) => part.trim()).filter((part) =>
    part !== "" && !/^(?:public|s-maxage|private)\b|"/i.test(part)
  );
  return withHeaders(
    response,
    (headers) => headers.set("Cache-Control", ["private", ...kept].join(", ")),
  );
}

/**
 * Adds cookies, which no cache may keep and hand to another visitor.
 *
 * Always on a copy: a response without a body can be made once for all requests
 * and would hand the cookie to the next visitor. (What `madePrivate` leaves on
 * such a response only keeps caches out.)
 */
export function withCookies(
  response: Response,
  cookies: readonly string[],
): Response {
  // An upgrade cannot be copied; it is made for one request alone.
  const own = response.status === 101 ? response : copyOf(response);
  return withHeaders(own, (headers) => {
    for (const cookie of cookies) headers.append("Set-Cookie", cookie);
    headers.set("Cache-Control", "private, no-store");
  });
}

function copyOf(response: Response): Response {
  if (response.headers.has("Content-Type")) {
    return new Response(response.body, response);
  }
  // Bun tells that a text is one when it sends it, unless its body was asked for.
  const copy = response.clone();
  // Else what the copy reads would be kept for the original too.
  response.body?.cancel().catch(() => {});
  return copy;
}
