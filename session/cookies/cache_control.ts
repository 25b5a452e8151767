import { withHeaders } from "../../router/mod.ts";

/**
 * Headers that shared caches obey instead of `Cache-Control` (RFC 9213 and its
 * predecessors; `X-Accel-Expires` is nginx's). By their names: to list all
 * headers takes as long as half a digest.
 */
const TARGETED = [
  "CDN-Cache-Control",
  "Akamai-Cache-Control",
  "Cloudflare-CDN-Cache-Control",
  "Deno-CDN-Cache-Control",
  "Netlify-CDN-Cache-Control",
  "Vercel-CDN-Cache-Control",
  "Edge-Control",
  "Surrogate-Control",
  "X-Accel-Expires",
  "X-LiteSpeed-Cache-Control",
];

/** The directives of a list; a comma in a quoted string ends none. */
const DIRECTIVES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/**
 * Directives that let a shared cache store the response, or that are about one
 * header only, as `private="Name"` (RFC 9111, section 5.2.2.7). A cache that
 * knows `must-understand` ignores `no-store` (section 5.2.2.3).
 */
const PERMISSIVE = /^(?:public|s-maxage|must-understand|private)\b|"/i;

/** Keeps shared caches out, and leaves to browsers what they may do. */
export function makePrivate(response: Response): Response {
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
  const parts = (directives.match(DIRECTIVES) ?? []).map((part) => part.trim())
    .filter((part) => part !== "");
  const isPlain = (part: string) => /^(?:private|no-store)$/i.test(part);
  const kept = parts.filter((part) => isPlain(part) || !PERMISSIVE.test(part));
  if (kept.some(isPlain)) {
    return kept.length === parts.length ? directives : kept.join(", ");
  }
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
 * and would hand the cookie to the next visitor. (What `makePrivate` leaves on
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
