import { apacheTime } from "./_clock.ts";
import { escapeField } from "./_escape.ts";
import type { LogFields, LogLevel } from "./log.ts";
import type { LogInfo } from "./log_info.ts";

// The fields of a LogInfo are escaped before they get here.

/** The colors of the status classes 2xx, 3xx, 4xx and 5xx (spec, appendix B). */
const colors = ["32", "36", "33", "31"];

/** Formats a line of the `short` format. */
export function formatShort(info: LogInfo): string {
  return formatBrief(info, String(info.status));
}

/** Formats a line of the `dev` format, with a colored status. */
export function formatDev(info: LogInfo): string {
  const { status } = info;
  const color = colors[Math.floor(status / 100) - 2];
  return formatBrief(
    info,
    color === undefined ? String(status) : `\x1b[${color}m${status}\x1b[0m`,
  );
}

function formatBrief(info: LogInfo, status: string): string {
  const { method, url, responseTime, outcome } = info;
  const end = outcome === "complete" ? "" : ` ${outcome}`;
  return `${method} ${url} ${status} ${Math.round(responseTime)}ms${end}`;
}

/**
 * Formats the combined line of the Apache HTTP Server:
 * `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`.
 */
export function formatCombined(info: LogInfo): string {
  const { remoteAddress = "-", timestamp, method, url, protocol } = info;
  const { status, contentLength, referrer = "-", userAgent = "-" } = info;
  const user = info.user === undefined ? "-" : escapeUser(info.user);
  const time = apacheTime(timestamp);
  return `${remoteAddress} - ${user} [${time}] "${method} ${url} ${protocol}" ` +
    `${status} ${contentLength || "-"} "${referrer}" "${userAgent}"`;
}

/** Escapes a `[` too, which would end the field. */
function escapeUser(user: string): string {
  return user === "" ? '""' : escapeWord(user, 128).replaceAll("[", "\\x5b");
}

/** Escapes spaces too. */
function escapeWord(string: string, limit?: number): string {
  return escapeField(string, limit).replaceAll(" ", "\\x20");
}

/** A line of `context.get(Log)`. */
export interface Message {
  readonly timestamp: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  readonly ids: Pick<LogInfo, "requestId" | "traceId" | "spanId">;
}

/** Formats a line of `context.get(Log)` with quoted values. */
export function formatMessage(
  { level, message, fields, ids }: Message,
): string {
  const pairs = Object.entries({ ...fields, request_id: ids.requestId })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      ` ${escapeWord(name)}="${escapeField(String(value))}"`
    );
  return `${level}: ${escapeField(message)}${pairs.join("")}`;
}
