import { ActiveTrace, type TraceIds, withHeaders } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import { report } from "./_report.ts";
import { writeLine } from "./batch_output.ts";
import { truncate } from "./_escape.ts";
import type { Log, LogFields, LogLevel } from "./log.ts";
import type { LogInfo, LogOutcome } from "./log_info.ts";
import { redactReferrer } from "./redaction.ts";
import { contentLengthOf, watchBody } from "./_response_body.ts";
import type { LoggerSettings } from "./_settings.ts";
import * as trace from "./_trace.ts";

/** The fields of a line, filled in while the request is handled. */
type Line = { -readonly [Name in keyof LogInfo]: LogInfo[Name] };

/** The log of one request: its line, its ids, and `context.get(Log)`. */
export class RequestLog implements Log {
  readonly #context: RequestContext;
  readonly #settings: LoggerSettings;
  readonly #line: Line;
  /** The time of the request, by the clock for durations. */
  readonly #start: number;
  // The id is created late, because formats without ids do not need it.
  #requestId: string | undefined;
  #trace: trace.Trace | undefined;
  #spanId: string | undefined;

  constructor(context: RequestContext, settings: LoggerSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#start = settings.isTimed ? settings.elapsed() : 0;
    this.#line = createLine(context, settings);
    const { trust, header } = settings.ids;
    if (trust === false || (trust !== true && !trust(context))) return;
    const { headers } = context.request;
    this.#requestId = trace.readRequestId(headers.get(header));
    this.#trace = trace.readTrace(headers);
  }

  get requestId(): string {
    return this.#requestId ??= crypto.randomUUID();
  }

  get traceId(): string {
    return this.#activeIds?.traceId ??
      (this.#trace ??= trace.createTrace()).traceId;
  }

  get spanId(): string {
    return this.#activeIds?.spanId ?? (this.#spanId ??= trace.randomHex(16));
  }

  traceHeaders(): Record<string, string> {
    const ids = this.#activeIds;
    return ids === undefined
      ? trace.traceHeadersOf(this.#trace ??= trace.createTrace())
      : trace.headersOfSpan(ids);
  }

  /** The ids of the active span, if `telemetry()` runs. */
  get #activeIds(): TraceIds | undefined {
    return this.#context.get(ActiveTrace)?.();
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
    const { formatMessage, messages, now } = this.#settings;
    try {
      const timestamp = now();
      const line = formatMessage({
        timestamp,
        level,
        message,
        fields,
        ids: this,
      });
      writeLine(messages, line, this.#context);
    } catch (error) {
      report(error);
    }
  }

  /** Logs a response, now or when its body ends, and returns it. */
  logResponse(original: Response): Response | Promise<Response> {
    const { error } = this.#context;
    const { skip, countBytes, hasHeaders } = this.#settings;
    const response = this.#addRequestId(original);
    const { status } = response;
    if (error === undefined && skip?.(this.#context, response)) return response;
    this.#addHandlerFields(status);
    // The router answers 499 if the handler gave up because the client left.
    if (status === 499) {
      this.#finish("aborted");
      return response;
    }
    // An error that leads to a 4xx is the client's.
    if (error !== undefined && (status < 400 || status >= 500)) {
      this.#line.error = errorName(error);
    }
    // The body of a response to HEAD is never sent.
    if (countBytes && this.#line.method !== "HEAD") {
      return watchBody(response, this.#context, (outcome, bytes, error) => {
        if (outcome === "failed") this.#line.error = errorName(error);
        this.#finish(outcome, bytes);
      });
    }
    this.#finish(
      "complete",
      hasHeaders ? contentLengthOf(response) : undefined,
    );
    return response;
  }

  #addRequestId(response: Response): Response {
    const { respond, header } = this.#settings.ids;
    // The headers of an upgrade cannot be changed.
    if (!respond || response.status === 101) return response;
    return withHeaders(
      response,
      (headers) => headers.set(header, this.requestId),
    );
  }

  /** Adds the fields that are known when the handler returns. */
  #addHandlerFields(status: number): void {
    const { user, hasHeaders, hasIds } = this.#settings;
    const line = this.#line;
    line.status = status;
    if (hasHeaders) line.user = user?.(this.#context);
    if (!hasIds) return;
    line.requestId = this.requestId;
    line.traceId = this.traceId;
    line.spanId = this.spanId;
    line.route = this.#context.routePath;
  }

  /** Adds the last fields and writes the line. */
  #finish(outcome: LogOutcome, bytes?: number): void {
    const { elapsed, isTimed, isSampled, output, format } = this.#settings;
    const line = this.#line;
    if (isTimed) line.responseTime = elapsed() - this.#start;
    line.contentLength = line.method === "HEAD" ? 0 : bytes;
    line.outcome = outcome;
    try {
      if (isSampled(line)) writeLine(output, format(line), this.#context);
    } catch (error) {
      // A log that fails must not fail the request.
      report(error);
    }
  }
}

/**
 * Creates the line when a request comes in. It reads everything at once,
 * because some runtimes cannot read a request after its response.
 */
function createLine(
  context: RequestContext,
  settings: LoggerSettings,
): Line {
  const { hasHeaders, escape, urls } = settings;
  const { request } = context;
  const remoteAddress = hasHeaders ? context.remoteAddress : undefined;
  const headers = hasHeaders ? request.headers : undefined;
  const userAgent = headers?.get("user-agent") ?? undefined;
  const referrer = headers?.get("referer") ?? undefined;
  const { origin, target } = urls.read(context);
  return {
    method: truncate(request.method),
    url: target,
    status: 500,
    responseTime: 0,
    contentLength: undefined,
    userAgent: userAgent && escape(userAgent),
    referrer: referrer && readReferrer(truncate(referrer), settings),
    remoteAddress: remoteAddress && escape(remoteAddress),
    timestamp: settings.now(),
    protocol: protocolOf(request),
    scheme: origin.scheme,
    host: origin.host,
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
 * without `?`, `#`, `@`, `;`, `%`, quotes, backslashes and JSON Web Tokens.
 */
const plainReferrer = /^(?!.*eyJ)[ !$&-:<->A-[\]-~]*$/;

/** Returns a referrer that has already been truncated. */
function readReferrer(
  referrer: string,
  { isSecret, escape }: LoggerSettings,
): string {
  return plainReferrer.test(referrer)
    ? referrer
    : escape(redactReferrer(referrer, isSecret));
}

/** Returns the protocol, which only Workers know. */
function protocolOf({ cf }: Request & { cf?: { httpProtocol?: unknown } }) {
  const protocol = cf?.httpProtocol;
  return protocol === "HTTP/2" || protocol === "HTTP/3"
    ? `${protocol}.0`
    : "HTTP/1.1";
}

/** Returns the kind of an error. Its message may contain secrets. */
function errorName(error: unknown): string {
  try {
    return error instanceof Error ? truncate(String(error.name)) : typeof error;
  } catch {
    return "Error";
  }
}
