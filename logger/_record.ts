import type { RequestContext } from "../router/mod.ts";
import { truncate } from "./_escape.ts";
import type { Log, LogFields, LogLevel } from "./log.ts";
import type { LogInfo } from "./log_info.ts";
import type { LoggerPlan } from "./_plan.ts";
import { redactQuery, redactReferrer } from "./redaction.ts";
import { RequestIds } from "./_trace.ts";

/** The fields of a line, filled in as the request goes on. */
export type LineFields = { -readonly [Name in keyof LogInfo]: LogInfo[Name] };

/**
 * What is kept of a request until its line is written, and its `Log`. Copied
 * before the handler runs: some runtimes can't read a request once it is
 * answered.
 */
export class RequestRecord implements Log {
  readonly plan: LoggerPlan;
  readonly context: RequestContext;
  readonly line: LineFields;
  readonly start: number;
  #ids: RequestIds | undefined;

  constructor(context: RequestContext, plan: LoggerPlan) {
    const { isSecret } = plan;
    const { request } = context;
    const path = truncate(pathOf(context));
    const referrer = truncated(request.headers.get("referer"));
    this.plan = plan;
    this.context = context;
    this.start = performance.now();
    this.line = {
      method: truncate(request.method),
      url: isSecret === false ? path : redactQuery(path, isSecret),
      status: 500,
      responseTime: 0,
      contentLength: undefined,
      userAgent: truncated(request.headers.get("user-agent")),
      referrer: isSecret === false || referrer === undefined
        ? referrer
        : redactReferrer(referrer, isSecret),
      remoteAddress: context.remoteAddress,
      timestamp: timeAt(this.start),
      protocol: protocolOf(request),
      scheme: "",
      host: "",
      route: undefined,
      user: undefined,
      outcome: "complete",
      error: undefined,
      requestId: undefined,
      traceId: undefined,
      spanId: undefined,
    };
  }

  get requestId(): string {
    return this.ids.requestId;
  }

  get traceId(): string {
    return this.ids.traceId;
  }

  get traceparent(): string {
    return this.ids.traceparent;
  }

  /** Made when first asked for. */
  get ids(): RequestIds {
    return this.#ids ??= new RequestIds(this.context, this.plan.ids);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { message: format, messages, onProblem } = this.plan;
    try {
      messages(format(level, message, fields, this.ids));
    } catch (problem) {
      onProblem(problem);
    }
  }
}

/** What to add to `performance.now()` for the time of day, and when it was so. */
let offset = 0;
let offsetAt = -Infinity;

/** The time of day: asking for it again each second costs less than each time. */
function timeAt(now: number): number {
  if (now - offsetAt >= 1000) {
    offset = Date.now() - now;
    offsetAt = now;
  }
  return Math.floor(now + offset);
}

/**
 * Fills in what only some lines have a place for, and what takes time to find
 * out, while the request can be read.
 */
export function completeLine({ context, line, ids }: RequestRecord): void {
  const { protocol, host } = context.url;
  line.scheme = protocol.slice(0, -1);
  line.host = truncate(host);
  line.route = context.route?.pattern.source;
  line.requestId = ids.requestId;
  line.traceId = ids.traceId;
  line.spanId = ids.spanId;
}

function truncated(value: string | null): string | undefined {
  return value === null ? undefined : truncate(value);
}

/** A URL that its parser leaves as it is, if no segment begins with a dot. */
const plain = /^https?:\/\/[\w.:-]+\/[\w~!$&()*+,;=:@/.?-]*$/;

/** The path and the query. To parse a URL would cost more than all the rest. */
function pathOf(context: RequestContext): string {
  const { url } = context.request;
  if (plain.test(url)) {
    const path = url.slice(url.indexOf("/", "https://".length));
    if (!path.includes("/.")) return path;
  }
  const { href } = context.url;
  const end = href.indexOf("#");
  return href.slice(
    href.indexOf("/", "https://".length),
    end < 0 ? href.length : end,
  );
}

/** Only Workers tell the protocol, and they set it themselves. */
function protocolOf({ cf }: Request & { cf?: unknown }): string {
  if (typeof cf === "object" && cf !== null && "httpProtocol" in cf) {
    const { httpProtocol } = cf;
    if (httpProtocol === "HTTP/2" || httpProtocol === "HTTP/3") {
      return `${httpProtocol}.0`;
    }
  }
  return "HTTP/1.1";
}
