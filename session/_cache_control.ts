import { withHeaders } from "../router/mod.ts";

/**
 * What CDNs go by instead of `Cache-Control` (RFC 9213), and went by before. By
 * their names: to list all headers takes as long as half a digest.
 */
const TARGETED = [
  "CDN-Cache-Control",
  "Cloudflare-CDN-Cache-Control",
  "Netlify-CDN-Cache-Control",
  "Vercel-CDN-Cache-Control",
  "Surrogate-Control",
];

/** Keeps shared caches out, and leaves to browsers what they may do. */
export function madePrivate(response: Response): Response {
  // A 101 is no representation that anyone could cache.
  if (response.status === 101) return response;
  const { headers } = response;
  const directives = headers.get("Cache-Control") ?? "";
  const kept = privateDirectives(directives);
  const isPrivate = kept === directives &&
    !TARGETED.some((name) => headers.has(name));
  return isPrivate
    ? response
    : withHeaders(response, (headers) => setCacheControl(headers, kept));
}

function privateDirectives(directives: string): string {
  // private="Name" is about one header alone (RFC 9111, section 5.2.2.7).
  if (/(?:^|,)\s*(?:private|no-store)\s*(?:,|$)/i.test(directives)) {
    return directives;
  }
  const kept = directives.split(",").map((part) => part.trim()).filter((part) =>
    part !== "" && !/^(?:public|s-maxage|private)\b|"/i.test(part)
  );
  return ["private", ...kept].join(", ");
}

/** Tells all caches the same. */
function setCacheControl(headers: Headers, directives: string): void {
  for (const name of TARGETED) if (headers.has(name)) headers.delete(name);
  headers.set("Cache-Control", directives);
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
    setCacheControl(headers, "private, no-store");
  });
}

function copyOf(response: Response): Response {
  const { headers } = response;
  // Workers forget of a clone that it is compressed, and do it once more.
  if (headers.has("Content-Type") || headers.has("Content-Encoding")) {
    return new Response(response.body, response);
  }
  // Bun tells that a text is one when it sends it, unless its body was asked for.
  const copy = response.clone();
  // Else what the copy reads would be kept for the original too.
  response.body?.cancel().catch(() => {});
  return copy;
}
