import {
  type ContextEntry,
  type Middleware,
  type RequestContext,
  withHeaders,
} from "../router/mod.ts";
import { report } from "./_batch.ts";
import { hand } from "./batch_output.ts";
import { truncate } from "./_escape.ts";
import { Log } from "./log.ts";
import type { LoggerOptions } from "./options.ts";
import { planLogger } from "./_plan.ts";
import { RequestRecord } from "./_record.ts";
import { endsWithClient, waitUntilOf } from "./_wait_until.ts";
import { type BodyEnd, lengthOf, watchBody } from "./_watch_body.ts";

/**
 * Creates a middleware that logs each request once its response is there.
 *
 * Put it first, so that the time includes all other middleware. If a handler
 * throws, the line has the status that answers the error and the error's name;
 * if it gave up because the client left, the status is 499. All fields are
 * escaped and cut to a readable length: no header and no path can forge a line
 * or move a terminal. Cookies and `Authorization` are never looked at.
 *
 * A format, a filter or an output that throws is reported by `console.error`;
 * it does not fail the request.
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
 * @param options How lines look, where they go, and what is left out.
 * @returns The middleware.
 * @throws {TypeError} If the format or the names are not known, or the header
 * of the request id is no header name.
 * @throws {RangeError} If the rate of the sampling is not from 0 to 1.
 */
export function logger(
  options: LoggerOptions = {},
): Middleware<readonly [ContextEntry<typeof Log, Log>]> {
  const plan = planLogger(options);
  const log: Logging = async (context, next) => {
    const record = new RequestRecord(context, plan);
    context.set(Log, record);
    return answer(record, await next());
  };
  return endsWithClient ? outlivingClients(log) : log;
}

type Logging = (
  context: RequestContext,
  next: () => Promise<Response>,
) => Promise<Response>;

/** Has Workers wait for the line where they need not for the answer. */
function outlivingClients(log: Logging): Logging {
  return (context, next) => {
    const answered = log(context, next);
    waitUntilOf(context)?.(answered.catch(() => {}));
    return answered;
  };
}

/** Logs a response, now or once its body has ended. */
function answer(record: RequestRecord, response: Response): Response {
  const { skip, countBytes, hasHeaders, ids } = record.plan;
  const sent = ids.respond ? identify(record, response) : response;
  const { error } = record.context;
  if (error === undefined && skip?.(record.context, sent)) return sent;
  finish(record, sent.status);
  // The router answers 499 if the handler gave up because the client left.
  if (sent.status === 499) {
    end(record, { outcome: "aborted" });
    return sent;
  }
  if (error !== undefined) noteError(record, error);
  // Nobody reads the body of an answer to HEAD.
  if (countBytes && record.line.method !== "HEAD") {
    return watchBody(sent, record.context, (body) => end(record, body));
  }
  end(record, { bytes: hasHeaders ? lengthOf(sent) : undefined });
  return sent;
}

/** Notes an error, unless its response says that the request was at fault. */
function noteError({ line }: RequestRecord, error: unknown): void {
  if (line.status >= 400 && line.status < 500) return;
  line.error = nameOf(error);
}

/** Fills in what is known once the handler is done, and later may not be. */
function finish(record: RequestRecord, status: number): void {
  const { line, plan, context } = record;
  line.status = status;
  if (plan.hasHeaders) line.user = plan.user?.(context);
  if (plan.hasIds) {
    const { requestId, traceId, spanId } = record.ids;
    line.requestId = requestId;
    line.traceId = traceId;
    line.spanId = spanId;
    line.route = context.route?.pattern.source;
  }
}

function identify(
  { plan, requestId }: RequestRecord,
  response: Response,
): Response {
  // The headers of an upgrade can't be changed.
  return response.status === 101 ? response : withHeaders(
    response,
    (headers) => headers.set(plan.ids.header, requestId),
  );
}

/** Writes the line. */
function end({ plan, context, line, start }: RequestRecord, body: BodyEnd) {
  const { isKept, format, output } = plan;
  if (plan.isTimed) line.responseTime = performance.now() - start;
  line.contentLength = line.method === "HEAD" ? 0 : body.bytes;
  line.outcome = body.outcome ?? "complete";
  try {
    if ("error" in body) line.error = nameOf(body.error);
    if (!isKept(line)) return;
    hand(output, format(line), context);
  } catch (problem) {
    // A log that fails must not fail the request, nor hide what it threw.
    report(problem);
  }
}

/** The kind of an error. Its message may hold what should not be logged. */
function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? truncate(String(error.name)) : typeof error;
  } catch {
    return "Error";
  }
}
