import { escapeField } from "./_escape.ts";
import type { LogInfo } from "./log_info.ts";

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
  return `${method} ${escapeField(url)} ${status} ${time}ms${end}`;
}

/**
 * The combined line of the Apache HTTP Server, byte for byte:
 * `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`.
 */
export function formatCombined(info: LogInfo): string {
  const { method, url, protocol, status, contentLength } = info;
  const request = `${method} ${escapeField(url)} ${protocol}`;
  const size = contentLength || "-";
  return `${field(info.remoteAddress)} - ${userField(info.user)} [${
    apacheTime(info.timestamp)
  }] "${request}" ${status} ${size} "${field(info.referrer)}" "${
    field(info.userAgent)
  }"`;
}

function field(value: string | undefined): string {
  return value === undefined ? "-" : escapeField(value);
}

/** An empty name is written as `""`. A space and a `[` would end the field. */
function userField(user: string | undefined): string {
  if (user === undefined) return "-";
  return user === ""
    ? '""'
    : escapeField(user, 128).replaceAll(" ", "\\x20").replaceAll("[", "\\x5b");
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec";

let lastSecond = NaN;
let lastTime = "";

/** A time such as `20/Nov/2026:17:55:48 +0000`, built once a second. */
function apacheTime(timestamp: number): string {
  const second = Math.floor(timestamp / 1000);
  if (second === lastSecond) return lastTime;
  const iso = new Date(second * 1000).toISOString();
  const start = 3 * Number(iso.slice(5, 7)) - 3;
  const month = months.slice(start, start + 3);
  lastSecond = second;
  return lastTime = `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${
    iso.slice(11, 19)
  } +0000`;
}
