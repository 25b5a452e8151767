import { isoTime } from "./_clock.ts";
import { escapeJSON, toASCII, truncate } from "./_escape.ts";
import type { LogFields, LogLevel } from "./log.ts";
import type { LogInfo } from "./log_info.ts";
import type { Message } from "./_text_formats.ts";

const ecsVersion = "8.11.0";

// Lines are built by hand: JSON.stringify takes 1.2 times as long in Bun and
// twice as long in Deno. Each piece of a line takes time, so constant text is in
// as few pieces as possible. JSON lines always have ids.

/** Formats a line with the names of the Elastic Common Schema. */
export function formatECS(info: LogInfo): string {
  const method = escapeJSON(info.method);
  const url = escapeJSON(info.url);
  return `{"@timestamp":"${isoTime(info.timestamp)}",` +
    `"ecs.version":"${ecsVersion}","log.level":"${levelOf(info)}",` +
    `"message":"${summaryOf(info, method, url)}",` +
    `"trace.id":"${info.traceId}","span.id":"${info.spanId}"` +
    string(',"http.request.referrer":"', info.referrer) +
    number(',"http.response.body.bytes":', info.contentLength) +
    `,"http.version":"${versionOf(info)}"` +
    hostFields(info.host, ',"url.domain":"', ',"url.port":') +
    string(',"client.ip":"', info.remoteAddress) +
    `,"event.duration":${Math.round(info.responseTime * 1e6)}` +
    `,"event.outcome":"${isFailure(info) ? "failure" : "success"}"` +
    string(',"event.reason":"', problemOf(info)) +
    string(',"error.type":"', info.error) +
    commonFields(info, method, url);
}

/** Formats a line with the names of OpenTelemetry. */
export function formatOpenTelemetry(info: LogInfo): string {
  const method = escapeJSON(info.method);
  const url = escapeJSON(info.url);
  // HTTP spans without an error name have the status as their error type.
  const error = info.error ?? problemOf(info) ??
    (info.status >= 500 ? String(info.status) : undefined);
  return `{"timestamp":"${isoTime(info.timestamp)}",` +
    `"severity_text":"${levelOf(info).toUpperCase()}",` +
    `"body":"${summaryOf(info, method, url)}",` +
    `"trace_id":"${info.traceId}","span_id":"${info.spanId}"` +
    string(',"http.request.header.referer":"', info.referrer) +
    number(',"http.response.body.size":', info.contentLength) +
    `,"network.protocol.version":"${versionOf(info)}"` +
    hostFields(info.host, ',"server.address":"', ',"server.port":') +
    string(',"client.address":"', info.remoteAddress) +
    `,"http.server.request.duration":${info.responseTime / 1000}` +
    string(',"error.type":"', error) +
    commonFields(info, method, url);
}

/**
 * Formats the fields with the same name in both conventions.
 *
 * @param method The escaped method.
 * @param url The escaped URL. Escapes contain no `?`.
 */
function commonFields(info: LogInfo, method: string, url: string): string {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? "" : `,"url.query":"${url.slice(mark + 1)}"`;
  return `,"http.request.id":"${info.requestId}",` +
    `"http.request.method":"${method}",` +
    `"http.response.status_code":${info.status}` +
    string(',"http.route":"', info.route) +
    `,"url.scheme":"${info.scheme}","url.path":"${path}"` + query +
    string(',"user.id":"', info.user) +
    string(',"user_agent.original":"', info.userAgent) + "}";
}

function hostFields(host: string, domain: string, port: string): string {
  const colon = host.lastIndexOf(":");
  if (colon <= host.lastIndexOf("]")) return string(domain, host);
  const digits = Number(host.slice(colon + 1));
  // A truncated host has no port.
  return digits >= 0
    ? string(domain, host.slice(0, colon)) + number(port, digits)
    : string(domain, host);
}

/** Formats an optional string. `start` has its name and the first quote. */
function string(start: string, value: string | undefined): string {
  return value === undefined ? "" : start + escapeJSON(value) + '"';
}

/** Formats an optional number. `start` has its name. */
function number(start: string, value: number | undefined): string {
  return value === undefined ? "" : start + value;
}

function versionOf({ protocol }: LogInfo): string {
  return protocol.slice("HTTP/".length);
}

function summaryOf(
  { status, responseTime }: LogInfo,
  method: string,
  url: string,
): string {
  return `${method} ${url} ${status} ${Math.round(responseTime)}ms`;
}

function levelOf(info: LogInfo): LogLevel {
  if (isFailure(info)) return "error";
  return info.status >= 400 || info.outcome === "aborted" ? "warn" : "info";
}

/** Returns `true` if the server is at fault. */
export function isFailure(info: LogInfo): boolean {
  return info.status >= 500 || info.error !== undefined ||
    info.outcome === "failed";
}

function problemOf({ outcome }: LogInfo): string | undefined {
  return outcome === "complete" ? undefined : outcome;
}

/** Formats a line of `context.get(Log)` with the names of ECS. */
export function formatECSMessage(
  { timestamp, level, message, fields, ids }: Message,
): string {
  return formatObject(fields, {
    "@timestamp": isoTime(timestamp),
    "ecs.version": ecsVersion,
    "log.level": level,
    message: truncate(message),
    "http.request.id": ids.requestId,
    "trace.id": ids.traceId,
    "span.id": ids.spanId,
  });
}

/** Formats a line of `context.get(Log)` with the names of OpenTelemetry. */
export function formatOpenTelemetryMessage(
  { timestamp, level, message, fields, ids }: Message,
): string {
  return formatObject(fields, {
    timestamp: isoTime(timestamp),
    severity_text: level.toUpperCase(),
    body: truncate(message),
    trace_id: ids.traceId,
    span_id: ids.spanId,
    "http.request.id": ids.requestId,
  });
}

/** Formats the fields of a message. They cannot replace the logger's fields. */
function formatObject(fields: LogFields, own: LogFields): string {
  const shortened = Object.entries(fields).map(([name, value]) => [
    truncate(name),
    typeof value === "string" ? truncate(value) : value,
  ]);
  return toASCII(JSON.stringify({ ...Object.fromEntries(shortened), ...own }));
}
