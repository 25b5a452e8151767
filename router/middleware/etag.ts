import type { RequestContext } from "../context/context.ts";
import { HTTPError } from "../errors/http_error.ts";
import type { Middleware } from "../middleware.ts";
import { addContentType } from "../operation/add_content_type.ts";
import { withHeaders } from "../with_headers.ts";

/** Options for {@linkcode etag}. */
export interface ETagOptions {
  /**
   * `true` for weak tags: a proxy may then compress the response.
   *
   * @default {false}
   */
  readonly weak?: boolean;
  /**
   * The largest body that gets a tag, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxBytes?: number;
}

/** Options for {@linkcode requireMatch}. */
export interface RequireMatchOptions {
  /**
   * `true` to answer 428 to a request without a condition.
   *
   * @default {false}
   */
  readonly required?: boolean;
}

/**
 * Creates a middleware that gives responses to GET an `ETag`, the hash of their
 * body, and answers 304 if the client has the same one.
 *
 * It keeps an `ETag` of the handler, and then does not read the body. It also
 * compares `Last-Modified` with `If-Modified-Since`. Other statuses, responses with
 * `no-store` and large or empty bodies stay as they are. HEAD gets the tag of GET
 * only if the middleware is on the route: the router removes the body after it.
 *
 * It reads the whole body before the response begins, so use it only on routes that
 * do not stream.
 *
 * @example A page that the browser has already
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { etag } from "@gatehouse/web/middleware";
 *
 * const router = createRouter({ middleware: [etag()] });
 * router.get("/", () => new Response("Hello"));
 *
 * const first = await router.fetch("https://example.com/");
 * const second = await router.fetch("https://example.com/", {
 *   headers: { "If-None-Match": first.headers.get("ETag") ?? "" },
 * });
 * assertEquals([first.status, second.status], [200, 304]);
 * ```
 *
 * @param options The kind of tag, and the largest body.
 * @returns The middleware.
 * @throws {RangeError} If `maxBytes` is negative or not a number.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-13 | RFC 9110, Conditional Requests}
 */
export function etag(options: ETagOptions = {}): Middleware<readonly []> {
  const { weak = false, maxBytes = 1_048_576 } = options;
  if (!(maxBytes >= 0)) {
    throw new RangeError(
      `Cannot create etag: maxBytes "${maxBytes}" is not a size`,
    );
  }
  return async (context, next) => {
    const response = await next();
    const { method } = context.request;
    if (response.status !== 200 || !/^(?:GET|HEAD)$/.test(method)) {
      return response;
    }
    const tagged = isTaggable(response, maxBytes)
      ? await addTag(response, weak, maxBytes)
      : response;
    return isCurrent(context, tagged.headers) ? notModified(tagged) : tagged;
  };
}

/**
 * Throws a 412 if the client changes a version that is not the current one.
 *
 * It evaluates `If-Match`, and `If-None-Match` of a request that creates
 * something (`*`). Another request may still come in between, so make the
 * change in the database depend on the same version.
 *
 * @example A change of the version that the client has read
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { requireMatch } from "@gatehouse/web/middleware";
 *
 * const note = { version: 2, text: "Milk" };
 * const router = createRouter();
 * router.put("/note", (context) => {
 *   requireMatch(context, `"${note.version}"`);
 *   return new Response("Saved");
 * });
 *
 * const response = await router.fetch("https://example.com/note", {
 *   method: "PUT",
 *   headers: { "If-Match": '"1"' },
 * });
 * assertEquals(response.status, 412);
 * ```
 *
 * @param context The context of the request.
 * @param current The current `ETag`, or `null` if there is nothing yet.
 * @param options The answer to a request without a condition.
 * @throws {HTTPError} 412 if the condition is false, or 428 if it is missing and
 * `required`.
 * @throws {TypeError} If `current` is not an `ETag`, such as `"7"` with its quotes.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1 | RFC 9110, If-Match}
 */
export function requireMatch(
  { request: { headers } }: RequestContext,
  current: string | null,
  { required = false }: RequireMatchOptions = {},
): void {
  if (current !== null && !TAG.test(current)) {
    throw new TypeError(`Cannot compare ETag ${current}: it needs quotes`);
  }
  const match = headers.get("If-Match");
  const noneMatch = headers.get("If-None-Match");
  // `If-None-Match` with several tags does not say which version the client
  // changes.
  if (required && match === null && noneMatch?.trim() !== "*") {
    throw new HTTPError(428);
  }
  const isWeak = current?.startsWith("W/");
  // A weak tag never matches here (section 8.8.3.2).
  const isFalse = match !== null &&
      (match.trim() === "*"
        ? current === null
        : isWeak || !tagsOf(match).includes(current)) ||
    noneMatch !== null && matchesWeakly(noneMatch, current);
  if (isFalse) throw new HTTPError(412);
}

/** An entity tag (RFC 9110, section 8.8.3). */
const TAG = /^(?:W\/)?"[!#-~\x80-\xff]*"$/;

/** Returns the tags of a list. Malformed elements match nothing. */
function tagsOf(list: string): readonly (string | null)[] {
  return list.match(/(?:W\/)?"[!#-~\x80-\xff]*"/g) ?? [];
}

function matchesWeakly(list: string, tag: string | null): boolean {
  if (tag === null) return false;
  const opaque = (tag: string | null) => tag?.replace(/^W\//, "");
  return list.trim() === "*" || tagsOf(list).map(opaque).includes(opaque(tag));
}

/** Returns `true` for a response that gets a tag. */
function isTaggable({ body, headers }: Response, maxBytes: number): boolean {
  return body !== null && !headers.has("ETag") &&
    !/\bno-store\b/i.test(headers.get("Cache-Control") ?? "") &&
    Number(headers.get("Content-Length") ?? 0) <= maxBytes;
}

async function addTag(
  response: Response,
  weak: boolean,
  maxBytes: number,
): Promise<Response> {
  // The headers are read first, because reading `body` makes Bun forget the
  // type of a file.
  const headers = new Headers(response.headers);
  const [body, copy] = response.body!.tee();
  const bytes = await readUpTo(copy, maxBytes);
  if (bytes !== null) {
    body.cancel();
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    const hash = btoa(String.fromCharCode(...new Uint8Array(digest, 0, 18)));
    headers.set("ETag", `${weak ? "W/" : ""}"${hash}"`);
  }
  return addContentType(new Response(bytes ?? body, { headers }));
}

/**
 * Reads a body, or returns `null` if it is too large or empty: the router has
 * removed the body of HEAD before its own middleware runs.
 */
async function readUpTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<ArrayBuffer | null> {
  const reader = body.getReader();
  const chunks = [];
  let size = 0;
  while (size <= maxBytes) {
    const { done, value } = await reader.read();
    if (done) return size > 0 ? await new Blob(chunks).arrayBuffer() : null;
    chunks.push(value);
    // A chunk without a length ends the loop, too.
    size += value.byteLength;
  }
  // The promise settles only when the other half ends, which reports an error.
  reader.cancel().catch(() => {});
  return null;
}

/** Returns `true` if the client has this response (RFC 9110, section 13.2.2). */
function isCurrent({ request }: RequestContext, headers: Headers): boolean {
  const noneMatch = request.headers.get("If-None-Match");
  if (noneMatch !== null) {
    return matchesWeakly(noneMatch, headers.get("ETag"));
  }
  const since = Date.parse(request.headers.get("If-Modified-Since") ?? "");
  return Date.parse(headers.get("Last-Modified") ?? "") <= since;
}

/** Creates a 304 (RFC 9110, section 15.4.5). */
function notModified(response: Response): Response {
  response.body?.cancel().catch(() => {});
  const copy = new Response(null, { status: 304, headers: response.headers });
  return withHeaders(copy, (headers) => {
    for (const name of ["Encoding", "Language", "Length", "Range", "Type"]) {
      headers.delete(`Content-${name}`);
    }
  });
}
