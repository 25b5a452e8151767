import { isoTime } from "./_clock.ts";
import { quote, toASCII, truncate } from "./_escape.ts";
import type { LogFields, LogLevel } from "./log.ts";
import type { LogInfo } from "./log_info.ts";
import type { RequestIds } from "./_trace.ts";

/**
 * The field names of JSON lines: those of the Elastic Common Schema, or of
 * OpenTelemetry.
 */
export type LogNames = "ecs" | "opentelemetry";

/** The names that differ. A field without a name is left out. */
const conventions = {
  ecs: {
    time: "@timestamp",
    version: "ecs.version",
    level: "log.level",
    message: "message",
    traceId: "trace.id",
    spanId: "span.id",
    referrer: "http.request.referrer",
    size: "http.response.body.bytes",
    protocol: "http.version",
    domain: "url.domain",
    port: "url.port",
    client: "client.ip",
    nanoseconds: "event.duration",
    seconds: "",
    outcome: "event.outcome",
    reason: "event.reason",
  },
  opentelemetry: {
    time: "timestamp",
    version: "",
    level: "severity_text",
    message: "body",
    traceId: "trace_id",
    spanId: "span_id",
    referrer: "http.request.header.referer",
    size: "http.response.body.size",
    protocol: "network.protocol.version",
    domain: "server.address",
    port: "server.port",
    client: "client.address",
    nanoseconds: "",
    seconds: "http.server.request.duration",
    outcome: "",
    reason: "",
  },
} as const;

/**
 * Formats a line of the `json` format. The string is built by hand, which takes
 * half the time of `JSON.stringify`.
 */
export function formatJSON(info: LogInfo, convention: LogNames): string {
  const names = conventions[convention];
  const [path, query] = splitURL(info.url);
  const [domain, port] = splitHost(info.host);
  const time = Math.round(info.responseTime);
  const isECS = convention === "ecs";
  return `{"${names.time}":"${isoTime(info.timestamp)}"` +
    plain(names.version, "8.11.0") +
    plain(names.level, levelName(levelOf(info), convention)) +
    string(
      names.message,
      `${info.method} ${info.url} ${info.status} ${time}ms`,
    ) +
    plain("http.request.id", info.requestId) +
    plain(names.traceId, info.traceId) +
    plain(names.spanId, info.spanId) +
    string("http.request.method", info.method) +
    string(names.referrer, info.referrer) +
    number("http.response.status_code", info.status) +
    number(names.size, info.contentLength) +
    plain(names.protocol, info.protocol.slice("HTTP/".length)) +
    string("http.route", info.route) +
    plain("url.scheme", info.scheme) +
    string(names.domain, domain) +
    number(names.port, port) +
    string("url.path", path) +
    string("url.query", query) +
    string(names.client, info.remoteAddress) +
    string("user.id", info.user) +
    string("user_agent.original", info.userAgent) +
    number(names.nanoseconds, Math.round(info.responseTime * 1e6)) +
    number(names.seconds, info.responseTime / 1000) +
    plain(names.outcome, isFailure(info) ? "failure" : "success") +
    plain(names.reason, abnormalOutcome(info)) +
    string("error.type", isECS ? info.error : errorType(info)) + "}";
}

/** Formats a line of `context.get(Log)`. */
export function formatJSONMessage(
  level: LogLevel,
  message: string,
  fields: LogFields,
  { requestId, traceId, spanId }: RequestIds,
  convention: LogNames,
): string {
  const names = conventions[convention];
  return toASCII(JSON.stringify({
    ...shorten(fields),
    [names.time]: isoTime(Date.now()),
    ...names.version && { [names.version]: "8.11.0" },
    [names.level]: levelName(level, convention),
    [names.message]: truncate(message),
    "http.request.id": requestId,
    [names.traceId]: traceId,
    [names.spanId]: spanId,
  }));
}

function shorten(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      truncate(name),
      typeof value === "string" ? truncate(value) : value,
    ]),
  );
}

/** Formats a field with any string. */
function string(name: string, value: string | undefined): string {
  return name === "" || value === undefined ? "" : `,"${name}":${quote(value)}`;
}

/** Formats a field with a string that needs no escapes: a word or an id. */
function plain(name: string, value: string | undefined): string {
  return name === "" || value === undefined ? "" : `,"${name}":"${value}"`;
}

function number(name: string, value: number | undefined): string {
  return name === "" || value === undefined ? "" : `,"${name}":${value}`;
}

function splitURL(url: string): [path: string, query: string | undefined] {
  const mark = url.indexOf("?");
  return mark < 0
    ? [url, undefined]
    : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Splits a host from its port. A host that was truncated has none. */
function splitHost(host: string): [domain: string, port: number | undefined] {
  const colon = host.lastIndexOf(":");
  const port = Number(host.slice(colon + 1));
  return colon > host.lastIndexOf("]") && port >= 0
    ? [host.slice(0, colon), port]
    : [host, undefined];
}

function levelOf(info: LogInfo): LogLevel {
  if (isFailure(info)) return "error";
  return info.status >= 400 || info.outcome === "aborted" ? "warn" : "info";
}

function levelName(level: LogLevel, convention: LogNames): string {
  return convention === "ecs" ? level : level.toUpperCase();
}

/** Returns `true` if the server is at fault. */
export function isFailure(info: LogInfo): boolean {
  return info.status >= 500 || info.error !== undefined ||
    info.outcome === "failed";
}

function abnormalOutcome({ outcome }: LogInfo): string | undefined {
  return outcome === "complete" ? undefined : outcome;
}

/** Returns the status if no error has a name (OpenTelemetry, HTTP spans). */
function errorType(info: LogInfo): string | undefined {
  return info.error ?? abnormalOutcome(info) ??
    (info.status >= 500 ? String(info.status) : undefined);
}
