import { canonicalHref } from "../matching/canonical_url.ts";
import { copyRequest } from "../abort.ts";
import { describeMiddleware } from "./describe_middleware.ts";
import type { Middleware, NextFunction, RequestContext } from "../mod.ts";
import { discard } from "../read_bytes.ts";

/** Options for {@linkcode bodyLimit}. */
export interface BodyLimitOptions {
  /**
   * The largest body, in bytes.
   *
   * @default {1_048_576} 1 MiB
   */
  readonly maxBytes?: number;
}

/**
 * Thrown to a handler that reads a body beyond the limit of {@linkcode bodyLimit}.
 * If nothing catches it, the router answers 413.
 *
 * @example Recognizing it by its code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { BodyTooLargeError } from "@gatehouse/web/middleware";
 *
 * const error = new BodyTooLargeError(1024);
 * assertEquals(error.code, "body_too_large");
 * ```
 */
export class BodyTooLargeError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "BodyTooLargeError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code = "body_too_large";

  /**
   * Creates the error.
   *
   * @param maxBytes The limit, in bytes.
   */
  constructor(maxBytes: number) {
    super(`Cannot read request body: it has more than ${maxBytes} bytes`);
  }

  /**
   * Creates the response that the router sends: 413 Content Too Large.
   *
   * @param context The context of the request.
   * @returns The response.
   */
  toResponse(context: RequestContext): Response | Promise<Response> {
    return context.createErrorResponse({ status: 413 });
  }
}

/**
 * Creates a middleware that limits the size of request bodies, for handlers that
 * read `context.request` themselves. `formData()` and `validate()` have limits
 * already.
 *
 * A request whose `Content-Length` is beyond the limit gets a 413 at once.
 * Every other body is counted while the handler reads it, even if it comes in
 * chunks without a length. Beyond the limit the read rejects, and the request
 * gets a 413. The body is not kept in memory. If the client leaves before the
 * body has arrived, the read rejects, and the response is a 400.
 *
 * Behind it, `context.request` is a copy. Functions of the runtime that need
 * the original request find it before this middleware.
 *
 * @example A webhook of 64 kB at most
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { bodyLimit } from "@gatehouse/web/middleware";
 *
 * const router = createRouter();
 * const limit = bodyLimit({ maxBytes: 65_536 });
 * router.post("/webhook", { middleware: [limit] }, async ({ request }) => {
 *   const text = await request.text();
 *   return new Response(`${text.length}`);
 * });
 *
 * const send = (body: string) =>
 *   router.fetch("https://example.com/webhook", { method: "POST", body });
 * assertEquals((await send("x".repeat(65_536))).status, 200);
 * assertEquals((await send("x".repeat(65_537))).status, 413);
 * ```
 *
 * @param options The limit.
 * @returns The middleware.
 * @throws {RangeError} If the limit is not an integer of at least zero.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-15.5.14 | RFC 9110, 413 Content Too Large}
 */
export function bodyLimit(
  options: BodyLimitOptions = {},
): Middleware<readonly []> {
  const { maxBytes = 1_048_576 } = options;
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
    throw new RangeError(
      `Cannot limit bodies to "${maxBytes}": it is not an integer of at least zero`,
    );
  }
  const middleware: Middleware<readonly []> = (context, next) => {
    const { request } = context;
    const { body } = request;
    // The router answers a malformed URL with 400, and no handler runs.
    const isLeft = body === null || body.locked || request.bodyUsed ||
      canonicalHref(request.url) === null;
    if (isLeft) return next();
    const length = Number(request.headers.get("Content-Length") ?? 0);
    if (length <= maxBytes && !UNCOPIED.test(request.method)) {
      return limitBody(body, maxBytes, context, next);
    }
    discard(body.getReader(), context);
    return new BodyTooLargeError(maxBytes).toResponse(context);
  };
  return describeMiddleware(middleware, {
    responses: { 413: "" },
    unsafeOnly: true,
  });
}

const BROKEN_OFF = "Cannot read request body: the connection broke off";

/** No request with these methods and a body can be created (Fetch, 5.4). */
const UNCOPIED = /^(?:GET|HEAD|CONNECT|TRACE|TRACK)$/i;

/** Thrown to a handler that reads a body whose end does not arrive. */
class BrokenBodyError extends Error {
  toResponse(context: RequestContext): Response | Promise<Response> {
    return context.createErrorResponse({ status: 400 });
  }
}

/** Runs the handler with a limited body, and responds to a failure of it. */
async function limitBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  context: RequestContext,
  next: NextFunction,
): Promise<Response> {
  let failure: BodyTooLargeError | BrokenBodyError | undefined;
  const limited = limit(body, maxBytes, context, (isExceeded) => {
    return failure = isExceeded
      ? new BodyTooLargeError(maxBytes)
      : new BrokenBodyError(BROKEN_OFF);
  });
  replaceRequest(context, limited);
  const response = await next();
  // A handler that refuses a request reads no body, although the client keeps
  // sending.
  const isUnread = !context.request.bodyUsed && !limited.locked &&
    !body.locked;
  if (isUnread && (response.status >= 300 || response.body === null)) {
    discard(body.getReader(), context);
  }
  // Some runtimes reject with another error, and handlers may wrap it.
  if (failure === undefined || context.error === undefined) return response;
  response.body?.cancel().catch(() => {});
  return failure.toResponse(context);
}

/** Passes a body through, and fails beyond so many bytes or if the body fails. */
function limit(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  context: RequestContext,
  createError: (isExceeded: boolean) => Error,
): ReadableStream<Uint8Array> {
  // The reader is created late: on Node, srvx creates the properties of a
  // request that only copies need from its body, and fails if the body is
  // locked.
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let rest = maxBytes;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      reader ??= body.getReader();
      const chunk = await reader.read().catch(() => null);
      if (chunk === null) return controller.error(createError(false));
      if (chunk.done) return controller.close();
      rest -= chunk.value.byteLength;
      if (rest >= 0) return controller.enqueue(chunk.value);
      discard(reader, context);
      controller.error(createError(true));
    },
    cancel: (reason) => (reader ?? body).cancel(reason),
  }, { highWaterMark: 0 });
}

function replaceRequest(
  context: RequestContext,
  body: ReadableStream<Uint8Array>,
): void {
  const { request, remoteAddress } = context;
  const { headers, url } = request;
  const copy = copyRequest(context, url, { headers, body, duplex: "half" });
  // Bun only knows the address of the original request.
  Object.defineProperty(context, "remoteAddress", { value: remoteAddress });
  (context as { request: Request }).request = copy;
}
