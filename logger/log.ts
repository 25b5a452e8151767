import { RequestIds } from "../router/internal.ts";
import type { ContextKey } from "../router/mod.ts";

/** The severity of a message. */
export type LogLevel = "info" | "warn" | "error";

/** The fields of a message. They must not contain secrets. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** Writes lines about a request, all with its id. */
export interface Log {
  /** The id of the request. */
  readonly requestId: string;
  /** The id of the trace that the request is part of. */
  readonly traceId: string;
  /**
   * Creates the `traceparent` header of one outgoing request and, if the trace
   * has one, its `tracestate`. Call it once for each outgoing request: every
   * call returns a new parent id.
   *
   * @returns The headers to send.
   */
  traceHeaders(): Record<string, string>;
  /**
   * Writes a line of the level `info`.
   *
   * @param message The message. It is escaped.
   * @param fields The fields of the line. They are escaped too.
   */
  info(message: string, fields?: LogFields): void;
  /**
   * Writes a line of the level `warn`.
   *
   * @param message The message. It is escaped.
   * @param fields The fields of the line. They are escaped too.
   */
  warn(message: string, fields?: LogFields): void;
  /**
   * Writes a line of the level `error`.
   *
   * @param message The message. It is escaped.
   * @param fields The fields of the line. They are escaped too.
   */
  error(message: string, fields?: LogFields): void;
}

/**
 * The context key of a request's log. The `logger` middleware sets it.
 *
 * @example Writing a line in a handler
 * ```ts
 * import { assertMatch } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { Log, logger } from "@gatehouse/web/logger-middleware";
 *
 * const lines: string[] = [];
 * const router = createRouter({
 *   middleware: [
 *     logger({ format: "short", output: (line) => lines.push(line) }),
 *   ],
 * });
 * router.get("/", (context) => {
 *   context.get(Log).warn("Stock is low", { item: 7 });
 *   return new Response("Hello");
 * });
 * await router.fetch("https://example.com/");
 *
 * assertMatch(lines[0], /^warn: Stock is low item="7" request_id="[\w-]{36}"$/);
 * assertMatch(lines[1], /^GET \/ 200 \d+ms$/);
 * ```
 */
export const Log: ContextKey<Log> = RequestIds as unknown as ContextKey<Log>;
