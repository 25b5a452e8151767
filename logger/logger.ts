import { endsWithClient, waitUntilOf } from "../router/internal.ts";
import type {
  ContextEntry,
  Middleware,
  RequestContext,
} from "../router/mod.ts";
import { Log } from "./log.ts";
import type { LoggerOptions } from "./options.ts";
import { RequestLog } from "./_request_log.ts";
import { resolveOptions } from "./_settings.ts";

type Next = () => Promise<Response>;

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
  const handle = async (context: RequestContext, next: Next) => {
    const log = new RequestLog(context, settings);
    context.set(Log, log);
    return log.logResponse(await next());
  };
  if (!endsWithClient) return handle;
  // Workers must stay alive until the line is written.
  return (context, next) => {
    const response = handle(context, next);
    waitUntilOf(context)?.(response.catch(() => {}));
    return response;
  };
}
