import type { RequestContext } from "../router/mod.ts";
import { report } from "./_batch.ts";
import { hand } from "./batch_output.ts";
import { truncate } from "./_escape.ts";
import type { Log, LogFields, LogLevel } from "./log.ts";
import type { LogInfo } from "./log_info.ts";
import type { LoggerPlan } from "./_plan.ts";
import { redactReferrer } from "./redaction.ts";
import { originOf, targetOf } from "./_target.ts";
import { timeAt } from "./_time.ts";
import { RequestIds } from "./_trace.ts";

/** The fields of a line, filled in as the request goes on. */
export type LineFields = { -readonly [Name in keyof LogInfo]: LogInfo[Name] };

/**
 * What is kept of a request until its line is written, and its `Log`. Copied
 * before the handler runs: some runtimes can't read a request once it is
 * answered.
 */
export class RequestRecord implements Log {
  declare readonly plan: LoggerPlan;
  declare readonly context: RequestContext;
  declare readonly line: LineFields;
  declare readonly start: number;
  #ids: RequestIds | undefined;

  constructor(context: RequestContext, plan: LoggerPlan) {
    this.plan = plan;
    this.context = context;
    // To ask for the time is a tenth of the work: not twice without need.
    this.start = plan.isTimed ? performance.now() : 0;
    const timestamp = plan.isTimed ? timeAt(this.start) : Date.now();
    this.line = lineOf(context, plan, timestamp);
    // What is trusted has to be copied now; the rest can be made at any time.
    if (plan.ids.trust !== false) this.#ids = new RequestIds(context, plan.ids);
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
    const { message: format, messages } = this.plan;
    try {
      hand(messages, format(level, message, fields, this.ids), this.context);
    } catch (problem) {
      report(problem);
    }
  }
}

/** The line as far as it is known when a request comes in. */
function lineOf(
  context: RequestContext,
  plan: LoggerPlan,
  timestamp: number,
): LineFields {
  const line = textOf(context, plan, timestamp);
  if (!plan.hasIds) return line as LineFields;
  const { scheme, host } = originOf(context);
  return {
    ...line,
    scheme,
    host: truncate(host),
    route: undefined,
    requestId: undefined,
    traceId: undefined,
    spanId: undefined,
  };
}

/** What lines of text have a place for. To make less takes less time. */
function textOf(
  context: RequestContext,
  plan: LoggerPlan,
  timestamp: number,
) {
  const { request } = context;
  const { hasHeaders, clean } = plan;
  const headers = hasHeaders ? request.headers : undefined;
  const agent = headers?.get("user-agent") ?? undefined;
  const referrer = headers?.get("referer") ?? undefined;
  const address = hasHeaders ? context.remoteAddress : undefined;
  return {
    method: truncate(request.method),
    url: targetOf(context, plan),
    status: 500,
    responseTime: 0,
    contentLength: undefined,
    userAgent: agent && clean(agent),
    referrer: referrer && referrerOf(referrer, plan),
    remoteAddress: address && clean(address),
    timestamp,
    protocol: protocolOf(request),
    user: undefined,
    outcome: "complete" as const,
    error: undefined,
  };
}

/**
 * A referrer that needs neither redaction nor escapes: printable ASCII without
 * `?`, `#`, `@`, `;`, `%`, quotes and backslashes.
 */
const plain = /^[ !$&-:<->A-[\]-~]*$/;

function referrerOf(
  header: string,
  { isSecret, clean }: LoggerPlan,
): string {
  const referrer = truncate(header);
  if (plain.test(referrer)) return referrer;
  return clean(
    isSecret === false ? referrer : redactReferrer(referrer, isSecret),
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
