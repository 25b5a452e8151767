import {
  type ContextEntry,
  type Middleware,
  type RequestContext,
  withHeaders,
} from "../router/mod.ts";
import { report } from "./_batch.ts";
import { writeLine } from "./batch_output.ts";
import { truncate } from "./_escape.ts";
import { Log } from "./log.ts";
import type { LoggerOptions } from "./options.ts";
import { RequestLog } from "./_request_log.ts";
import { type BodyEnd, contentLengthOf, watchBody } from "./_response_body.ts";
import { resolveOptions } from "./_settings.ts";
import { endsWithClient, waitUntilOf } from "./_workers.ts";

/**
 * Creates a middleware that logs each request.
 *
 * Put it first, so that the time includes all other middleware. If a handler
 * throws, the line has the status of the error response and the error's name.
 * If it gave up because the client left, the status is 499.
 *
 * All fields are escaped and truncated: no header and no path can forge a line
 * or control a terminal. The logger never reads cookies and `Authorization`.
 *
 * `console.error` reports errors of a format, a filter or an output. They do
 * not fail the request.
 *
 * @example One line for each request
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { logger } from "@gatehouse/web/logger-middleware";
 *
 * const lines: string[] = [];
 * const router = createRouter({
 *   middleware: [
 *     logger({
 *       format: ({ method, url, status }) => `${method} ${url} ${status}`,
 *       output: (line) => lines.push(line),
 *     }),
 *   ],
 * });
 * await router.fetch("https://example.com/a?token=s3cret");
 *
 * assertEquals(lines, ["GET /a?token=REDACTED 404"]);
 * ```
 *
 * @param options The format, the output and the filters.
 * @returns The middleware.
 * @throws {TypeError} If `format` or `names` is unknown, or `ids.header` is not
 * a header name.
 * @throws {RangeError} If `sample.rate` is not between 0 and 1.
 */
export function logger(
  options: LoggerOptions = {},
): Middleware<readonly [ContextEntry<typeof Log, Log>]> {
  const settings = resolveOptions(options);
  const log: LogMiddleware = async (context, next) => {
    const request = new RequestLog(context, settings);
    context.set(Log, request);
    return logResponse(request, await next());
  };
  return endsWithClient ? keepAlive(log) : log;
}

type LogMiddleware = (
  context: RequestContext,
  next: () => Promise<Response>,
) => Promise<Response>;

/** Keeps a request on Workers alive until its line is written. */
function keepAlive(log: LogMiddleware): LogMiddleware {
  return (context, next) => {
    const response = log(context, next);
    waitUntilOf(context)?.(response.catch(() => {}));
    return response;
  };
}

/** Logs a response, now or when its body ends. */
function logResponse(log: RequestLog, original: Response): Response {
  const { context, line, settings } = log;
  const { skip, countBytes, hasHeaders } = settings;
  const response = addRequestId(log, original);
  const { error } = context;
  if (error === undefined && skip?.(context, response)) return response;
  addHandlerFields(log, response.status);
  // The router answers 499 if the handler gave up because the client left.
  if (response.status === 499) {
    finishLine(log, { outcome: "aborted" });
    return response;
  }
  // An error that is answered with a 4xx is the client's.
  if (error !== undefined && !(line.status >= 400 && line.status < 500)) {
    line.error = errorName(error);
  }
  // The body of a response to HEAD is never sent.
  if (countBytes && line.method !== "HEAD") {
    return watchBody(response, context, (end) => finishLine(log, end));
  }
  finishLine(log, {
    bytes: hasHeaders ? contentLengthOf(response) : undefined,
  });
  return response;
}

function addRequestId(log: RequestLog, response: Response): Response {
  const { ids } = log.settings;
  // The headers of an upgrade cannot be changed.
  if (!ids.respond || response.status === 101) return response;
  return withHeaders(
    response,
    (headers) => headers.set(ids.header, log.requestId),
  );
}

/** Adds the fields that are known when the handler returns. */
function addHandlerFields(log: RequestLog, status: number): void {
  const { line, settings, context } = log;
  line.status = status;
  if (settings.hasHeaders) line.user = settings.user?.(context);
  if (!settings.hasIds) return;
  const { requestId, traceId, spanId } = log.ids;
  line.requestId = requestId;
  line.traceId = traceId;
  line.spanId = spanId;
  line.route = context.route?.pattern.source;
}

/** Adds the last fields and writes the line. */
function finishLine(
  { settings, context, line, start }: RequestLog,
  end: BodyEnd,
): void {
  if (settings.isTimed) line.responseTime = performance.now() - start;
  line.contentLength = line.method === "HEAD" ? 0 : end.bytes;
  line.outcome = end.outcome ?? "complete";
  if ("error" in end) line.error = errorName(end.error);
  try {
    if (!settings.isSampled(line)) return;
    writeLine(settings.output, settings.format(line), context);
  } catch (error) {
    // A log that fails must not fail the request.
    report(error);
  }
}

/** Returns the kind of an error. Its message may contain secrets. */
function errorName(error: unknown): string {
  try {
    return error instanceof Error ? truncate(String(error.name)) : typeof error;
  } catch {
    return "Error";
  }
}
