import { quote } from "./_escape.ts";
import type { LogInfo } from "./log_info.ts";
import { isoTime } from "./_time.ts";

/** The names of a JSON line: Elastic Common Schema, or OpenTelemetry's. */
export type LogNames = "ecs" | "opentelemetry";

// Lines are put together by hand: to make an object and to stringify it takes
// twice the time.

/** A line of JSON in the names of the Elastic Common Schema. */
export function formatECS(info: LogInfo): string {
  const [path, query] = splitURL(info.url);
  const [domain, port] = splitHost(info.host);
  const reason = info.outcome === "complete" ? undefined : info.outcome;
  return `{"@timestamp":"${isoTime(info.timestamp)}"` +
    own("ecs.version", "8.11.0") +
    own("log.level", levelOf(info)) +
    text("message", summaryOf(info)) +
    own("http.request.id", info.requestId) +
    own("trace.id", info.traceId) +
    own("span.id", info.spanId) +
    text("http.request.method", info.method) +
    text("http.request.referrer", info.referrer) +
    number("http.response.status_code", info.status) +
    number("http.response.body.bytes", info.contentLength) +
    own("http.version", info.protocol.slice(5)) +
    text("http.route", info.route) +
    own("url.scheme", info.scheme) +
    text("url.domain", domain) +
    number("url.port", port) +
    text("url.path", path) +
    text("url.query", query) +
    text("client.ip", info.remoteAddress) +
    text("user.id", info.user) +
    text("user_agent.original", info.userAgent) +
    number("event.duration", Math.round(info.responseTime * 1e6)) +
    own("event.outcome", isFailure(info) ? "failure" : "success") +
    own("event.reason", reason) +
    text("error.type", info.error) + "}";
}

/** A line of JSON in the names of OpenTelemetry. */
export function formatOpenTelemetry(info: LogInfo): string {
  const [path, query] = splitURL(info.url);
  const [domain, port] = splitHost(info.host);
  return `{"timestamp":"${isoTime(info.timestamp)}"` +
    own("severity_text", levelOf(info).toUpperCase()) +
    text("body", summaryOf(info)) +
    own("trace_id", info.traceId) +
    own("span_id", info.spanId) +
    own("http.request.id", info.requestId) +
    text("http.request.method", info.method) +
    text("http.request.header.referer", info.referrer) +
    number("http.response.status_code", info.status) +
    number("http.response.body.size", info.contentLength) +
    text("http.route", info.route) +
    number("http.server.request.duration", info.responseTime / 1000) +
    own("network.protocol.version", info.protocol.slice(5)) +
    own("url.scheme", info.scheme) +
    text("server.address", domain) +
    number("server.port", port) +
    text("url.path", path) +
    text("url.query", query) +
    text("client.address", info.remoteAddress) +
    text("user.id", info.user) +
    text("user_agent.original", info.userAgent) +
    text("error.type", errorTypeOf(info)) + "}";
}

/** Where no error has a name, the status is its type (HTTP conventions). */
function errorTypeOf(info: LogInfo): string | undefined {
  if (info.error !== undefined) return info.error;
  if (info.outcome !== "complete") return info.outcome;
  return info.status >= 500 ? String(info.status) : undefined;
}

function text(name: string, value: string | undefined): string {
  return value === undefined ? "" : `,"${name}":${quote(value)}`;
}

function number(name: string, value: number | undefined): string {
  return value === undefined ? "" : `,"${name}":${value}`;
}

/** A text that holds nothing to escape: a word of ours, or a checked id. */
function own(name: string, value: string | undefined): string {
  return value === undefined ? "" : `,"${name}":"${value}"`;
}

function splitURL(url: string): [path: string, query: string | undefined] {
  const mark = url.indexOf("?");
  return mark < 0
    ? [url, undefined]
    : [url.slice(0, mark), url.slice(mark + 1)];
}

/** A host that was cut has lost its port. */
function splitHost(host: string): [domain: string, port: number | undefined] {
  const colon = host.lastIndexOf(":");
  const port = Number(host.slice(colon + 1));
  return colon > host.lastIndexOf("]") && port >= 0
    ? [host.slice(0, colon), port]
    : [host, undefined];
}

function summaryOf({ method, url, status, responseTime }: LogInfo): string {
  return `${method} ${url} ${status} ${Math.round(responseTime)}ms`;
}

function levelOf(info: LogInfo): "info" | "warn" | "error" {
  if (isFailure(info)) return "error";
  return info.status >= 400 || info.outcome === "aborted" ? "warn" : "info";
}

/** Whether the fault is the server's. */
export function isFailure(info: LogInfo): boolean {
  return info.status >= 500 || info.error !== undefined ||
    info.outcome === "failed";
}
