import { escapeField } from "./_escape.ts";
import type { LogInfo } from "./log_info.ts";
import { apacheTime } from "./_time.ts";

// What these lines are given is escaped already.

/** Colours by status class (spec, appendix B): 2xx, 3xx, 4xx, 5xx. */
const colors = ["32", "36", "33", "31"];

/** The line for people: what was asked, and how it went. */
export function formatShort(info: LogInfo): string {
  return formatBrief(info, String(info.status));
}

/** The same with the status in the colour of its class. */
export function formatDev(info: LogInfo): string {
  const color = colors[Math.floor(info.status / 100) - 2];
  return formatBrief(
    info,
    color === undefined
      ? String(info.status)
      : `\x1b[${color}m${info.status}\x1b[0m`,
  );
}

function formatBrief(info: LogInfo, status: string): string {
  const { method, url, responseTime, outcome } = info;
  const time = Math.round(responseTime);
  const end = outcome === "complete" ? "" : ` ${outcome}`;
  return `${method} ${url} ${status} ${time}ms${end}`;
}

/**
 * The combined line of the Apache HTTP Server, byte for byte:
 * `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`.
 */
export function formatCombined(info: LogInfo): string {
  const { method, url, protocol, status, contentLength } = info;
  const { remoteAddress, user, referrer, userAgent } = info;
  const name = user === undefined ? "-" : userField(user);
  const request = `${apacheTime(info.timestamp)}${method} ${url} ${protocol}`;
  const size = contentLength || "-";
  return `${remoteAddress ?? "-"} - ${name}${request}" ${status} ${size} "${
    referrer ?? "-"
  }" "${userAgent ?? "-"}"`;
}

/** An empty name is written as `""`. A space and a `[` would end the field. */
function userField(user: string): string {
  return user === ""
    ? '""'
    : escapeField(user, 128).replaceAll(" ", "\\x20").replaceAll("[", "\\x5b");
}
