import type { LogInfo } from "./log_info.ts";

/** The names of a JSON line: Elastic Common Schema, or OpenTelemetry's. */
export type LogNames = "ecs" | "opentelemetry";

/** A line of JSON about a request. */
export function formatJSON(info: LogInfo, names: LogNames): string {
  return toLine((names === "ecs" ? ecsFields : openTelemetryFields)(info));
}

/**
 * One line of printable ASCII. JSON leaves DEL, the 8-bit controls that move a
 * terminal, and characters that change its writing direction as they are.
 */
export function toLine(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function ecsFields(info: LogInfo): Record<string, unknown> {
  const [path, query] = splitURL(info.url);
  const [domain, port] = splitHost(info.host);
  return {
    "@timestamp": new Date(info.timestamp).toISOString(),
    "ecs.version": "8.11.0",
    "log.level": levelOf(info),
    message: summaryOf(info),
    "http.request.id": info.requestId,
    "trace.id": info.traceId,
    "span.id": info.spanId,
    "http.request.method": info.method,
    "http.request.referrer": info.referrer,
    "http.response.status_code": info.status,
    "http.response.body.bytes": info.contentLength,
    "http.version": info.protocol.slice(5),
    "http.route": info.route,
    "url.scheme": info.scheme,
    "url.domain": domain,
    "url.port": port,
    "url.path": path,
    "url.query": query,
    "client.ip": info.remoteAddress,
    "user.id": info.user,
    "user_agent.original": info.userAgent,
    "event.duration": Math.round(info.responseTime * 1e6),
    "event.outcome": isFailure(info) ? "failure" : "success",
    "event.reason": info.outcome === "complete" ? undefined : info.outcome,
    "error.type": info.error,
  };
}

function openTelemetryFields(info: LogInfo): Record<string, unknown> {
  const [path, query] = splitURL(info.url);
  const [domain, port] = splitHost(info.host);
  return {
    timestamp: new Date(info.timestamp).toISOString(),
    severity_text: levelOf(info).toUpperCase(),
    body: summaryOf(info),
    trace_id: info.traceId,
    span_id: info.spanId,
    "http.request.id": info.requestId,
    "http.request.method": info.method,
    "http.request.header.referer": info.referrer,
    "http.response.status_code": info.status,
    "http.response.body.size": info.contentLength,
    "http.route": info.route,
    "http.server.request.duration": info.responseTime / 1000,
    "network.protocol.version": info.protocol.slice(5),
    "url.scheme": info.scheme,
    "server.address": domain,
    "server.port": port,
    "url.path": path,
    "url.query": query,
    "client.address": info.remoteAddress,
    "user.id": info.user,
    "user_agent.original": info.userAgent,
    // Where no error has a name, the status is its type (HTTP conventions).
    "error.type": info.error ??
      (info.outcome !== "complete"
        ? info.outcome
        : info.status >= 500
        ? String(info.status)
        : undefined),
  };
}

function splitURL(url: string): [path: string, query: string | undefined] {
  const mark = url.indexOf("?");
  return mark < 0
    ? [url, undefined]
    : [url.slice(0, mark), url.slice(mark + 1)];
}

function splitHost(host: string): [domain: string, port: number | undefined] {
  const [, domain = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return [domain, port === undefined ? undefined : Number(port)];
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
