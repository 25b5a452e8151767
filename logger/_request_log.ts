import type { RequestContext } from "../router/mod.ts";
import { report } from "./_batch.ts";
import { writeLine } from "./batch_output.ts";
import { truncate } from "./_escape.ts";
import type { Log, LogFields, LogLevel } from "./log.ts";
import type { LogInfo } from "./log_info.ts";
import { redactReferrer } from "./redaction.ts";
import type { LoggerSettings } from "./_settings.ts";
import { RequestIds } from "./_trace.ts";

/** The fields of a line, filled in while the request is handled. */
type Line = { -readonly [Name in keyof LogInfo]: LogInfo[Name] };

/** The log of one request: its line, its ids, and `context.get(Log)`. */
export class RequestLog implements Log {
  readonly settings: LoggerSettings;
  readonly context: RequestContext;
  readonly line: Line;
  /** The time of the request, by `performance.now()`. */
  readonly start: number;
  #ids: RequestIds | undefined;

  constructor(context: RequestContext, settings: LoggerSettings) {
    this.settings = settings;
    this.context = context;
    this.start = settings.isTimed ? performance.now() : 0;
    this.line = createLine(context, settings);
    // Some runtimes cannot read the headers of a request after its response.
    if (settings.ids.trust !== false) {
      this.#ids = new RequestIds(context, settings.ids);
    }
  }

  get ids(): RequestIds {
    return this.#ids ??= new RequestIds(this.context, this.settings.ids);
  }

  get requestId(): string {
    return this.ids.requestId;
  }

  get traceId(): string {
    return this.ids.traceId;
  }

  traceHeaders(): Record<string, string> {
    return this.ids.traceHeaders();
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
    const { formatMessage, messages } = this.settings;
    try {
      const line = formatMessage(level, message, fields, this.ids);
      writeLine(messages, line, this.context);
    } catch (error) {
      report(error);
    }
  }
}

/**
 * Creates the line when a request comes in. Everything is read at once, since
 * some runtimes cannot read a request after its response.
 */
function createLine(
  context: RequestContext,
  { hasHeaders, hasIds, escape, isSecret, urls }: LoggerSettings,
): Line {
  const { request } = context;
  const headers = hasHeaders ? request.headers : undefined;
  const userAgent = headers?.get("user-agent") ?? undefined;
  const referrer = headers?.get("referer") ?? undefined;
  const remoteAddress = hasHeaders ? context.remoteAddress : undefined;
  const origin = hasIds ? urls.origin(context) : undefined;
  return {
    method: truncate(request.method),
    url: urls.target(context),
    status: 500,
    responseTime: 0,
    contentLength: undefined,
    userAgent: userAgent && escape(userAgent),
    referrer: referrer && readReferrer(truncate(referrer), isSecret, escape),
    remoteAddress: remoteAddress && escape(remoteAddress),
    timestamp: Date.now(),
    protocol: protocolOf(request),
    scheme: origin?.scheme ?? "",
    host: truncate(origin?.host ?? ""),
    route: undefined,
    user: undefined,
    outcome: "complete",
    error: undefined,
    requestId: undefined,
    traceId: undefined,
    spanId: undefined,
  };
}

/**
 * Matches a referrer that needs neither redaction nor escapes: printable ASCII
 * without `?`, `#`, `@`, `;`, `%`, quotes and backslashes.
 */
const plainReferrer = /^[ !$&-:<->A-[\]-~]*$/;

function readReferrer(
  referrer: string,
  isSecret: LoggerSettings["isSecret"],
  escape: (field: string) => string,
): string {
  if (plainReferrer.test(referrer)) return referrer;
  return escape(
    isSecret === false ? referrer : redactReferrer(referrer, isSecret),
  );
}

/** Returns the protocol, which only Workers know. */
function protocolOf({ cf }: Request & { cf?: unknown }): string {
  if (typeof cf === "object" && cf !== null && "httpProtocol" in cf) {
    const { httpProtocol } = cf;
    if (httpProtocol === "HTTP/2" || httpProtocol === "HTTP/3") {
      return `${httpProtocol}.0`;
    }
  }
  return "HTTP/1.1";
}
