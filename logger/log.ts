import { type ContextKey, createContextKey } from "../router/mod.ts";

/** How grave a message is. */
export type LogLevel = "info" | "warn" | "error";

/** Facts that go with a message. Leave secrets out of them. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined>
>;

/** Writes more lines about a request, all with its id. */
export interface Log {
  /** The id of the request. */
  readonly requestId: string;
  /** The id of the trace that the request is part of. */
  readonly traceId: string;
  /**
   * Creates the `traceparent` header of one outgoing request and, if the trace
   * has one, its `tracestate`. Call it once for each outgoing request: every
   * call has a parent id of its own.
   *
   * @returns The headers, to spread into those of the request.
   */
  traceHeaders(): Record<string, string>;
  /**
   * Writes a line.
   *
   * @param message What happened. It is escaped.
   * @param fields Facts that go with it.
   */
  info(message: string, fields?: LogFields): void;
  /**
   * Writes a line about something that should be looked at.
   *
   * @param message What happened. It is escaped.
   * @param fields Facts that go with it.
   */
  warn(message: string, fields?: LogFields): void;
  /**
   * Writes a line about something that went wrong.
   *
   * @param message What happened. It is escaped.
   * @param fields Facts that go with it.
   */
  error(message: string, fields?: LogFields): void;
}

/**
 * The key of the log of a request, behind the `logger` middleware.
 *
 * @example A line of one's own
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
export const Log: ContextKey<Log> = /* @__PURE__ */ createContextKey<Log>(
  undefined,
  { name: "Log" },
);
