import { type ContextKey, createContextKey } from "../router/mod.ts";
import { escapeField, toASCII, truncate } from "./_escape.ts";
import { isoTime } from "./_time.ts";
import type { RequestIds } from "./_trace.ts";

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

/** Builds a line of a message. */
export type MessageFormatter = (
  level: LogLevel,
  message: string,
  fields: LogFields,
  ids: RequestIds,
) => string;

/** A line for people, every value quoted. */
export const formatMessage: MessageFormatter = (
  level,
  message,
  fields,
  { requestId },
) => {
  const facts = Object.entries({ ...fields, request_id: requestId })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      ` ${escapeField(name).replaceAll(" ", "\\x20")}="${
        escapeField(String(value))
      }"`
    );
  return `${level}: ${escapeField(message)}${facts.join("")}`;
};

/** A line of JSON in the names of the Elastic Common Schema. */
export const formatECSMessage: MessageFormatter = (
  level,
  message,
  fields,
  ids,
) =>
  toASCII(JSON.stringify({
    ...shortened(fields),
    "@timestamp": isoTime(Date.now()),
    "ecs.version": "8.11.0",
    "log.level": level,
    message: truncate(message),
    "http.request.id": ids.requestId,
    "trace.id": ids.traceId,
    "span.id": ids.spanId,
  }));

/** A line of JSON in the names of OpenTelemetry. */
export const formatOpenTelemetryMessage: MessageFormatter = (
  level,
  message,
  fields,
  ids,
) =>
  toASCII(JSON.stringify({
    ...shortened(fields),
    timestamp: isoTime(Date.now()),
    severity_text: level.toUpperCase(),
    body: truncate(message),
    trace_id: ids.traceId,
    span_id: ids.spanId,
    "http.request.id": ids.requestId,
  }));

/** The fields, those too long to be read cut. */
function shortened(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      truncate(name),
      typeof value === "string" ? truncate(value) : value,
    ]),
  );
}
