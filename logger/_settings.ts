import { isToken } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import { report } from "./_report.ts";
import { isConsoleOutput } from "./batch_output.ts";
import { wantsColor } from "./_colors.ts";
import { escapeField, truncate } from "./_escape.ts";
import * as json from "./_json_formats.ts";
import type { LogInfo } from "./log_info.ts";
import type {
  LogFormatter,
  LoggerOptions,
  LogIdOptions,
  LogSampling,
} from "./options.ts";
import { isSecretName } from "./redaction.ts";
import { RequestURLReader } from "./_request_url.ts";
import * as text from "./_text_formats.ts";

/** The options of a logger with their defaults. */
export type LoggerSettings = ReturnType<typeof resolveOptions>;

type MessageFormatter = (message: text.Message) => string;

/** Checks the options and adds their defaults. */
export function resolveOptions(options: LoggerOptions) {
  const { format = "dev", redact = isSecretName, sample, skip, user } = options;
  const [formatLine, formatMessage] = formattersOf(options);
  const hasIds = format === "json" || typeof format === "function";
  // JSON has its own escapes.
  const escape = hasIds ? truncate : escapeField;
  const isSecret = redact === isSecretName ? redact : safely(redact, true);
  const output = options.output ?? ((line: string) => console.log(line));
  // Other lines would confuse programs that read an access log.
  const messageOutput = format === "combined"
    ? (line: string) => console.error(line)
    : output;
  return {
    skip: safely(skip, false),
    user: user &&
      safely((context: RequestContext) => userName(user(context)), undefined),
    countBytes: options.countBytes,
    format: formatLine,
    formatMessage,
    /** `true` if a line has headers and the user. Reading them takes time. */
    hasHeaders: hasIds || format === "combined",
    /** `true` if a line has ids and the route. */
    hasIds,
    /** `true` if a line or the sampling needs the response time. */
    isTimed: format !== "combined" || sample !== undefined,
    now: options.now ?? Date.now,
    /** Returns a time in milliseconds for durations. */
    elapsed: options.now ?? (() => performance.now()),
    escape,
    isSampled: samplerOf(sample),
    output,
    messages: options.messages ?? messageOutput,
    isSecret,
    urls: new RequestURLReader(isSecret, escape),
    ids: resolveIds(options.ids),
  };
}

function resolveIds(
  { trust = false, header = "X-Request-Id", respond = false }: LogIdOptions =
    {},
): Required<LogIdOptions> {
  if (isToken(header)) {
    return { trust: safely(trust, false), header, respond };
  }
  throw new TypeError(`Cannot create logger: "${header}" is not a header name`);
}

/** Returns the name of a user, which may be any value despite its type. */
function userName(user: unknown): string | undefined {
  return user == null ? undefined : truncate(String(user));
}

/** Wraps a function of the options, so that its errors fail no request. */
function safely<Option>(option: Option, fallback: unknown): Option {
  if (typeof option !== "function") return option;
  const call = (...input: unknown[]) => {
    try {
      return option(...input);
    } catch (error) {
      report(error);
      return fallback;
    }
  };
  return call as Option;
}

/** Returns the functions that format lines and messages. */
function formattersOf(
  { format = "dev", names = "ecs", output, colors }: LoggerOptions,
): [line: LogFormatter, message: MessageFormatter] {
  if (names !== "ecs" && names !== "opentelemetry") {
    throw new TypeError(`Cannot create logger: unknown names "${names}"`);
  }
  if (typeof format === "function") return [format, text.formatMessage];
  const isConsole = output === undefined || isConsoleOutput(output);
  const isColored = () => colors ?? (!isConsole || wantsColor());
  switch (format) {
    case "dev":
      if (isColored()) return [text.formatDev, text.formatMessage];
      // falls through
    case "short":
      return [text.formatShort, text.formatMessage];
    case "combined":
      return [text.formatCombined, text.formatMessage];
    case "json":
      return names === "ecs"
        ? [json.formatECS, json.formatECSMessage]
        : [json.formatOpenTelemetry, json.formatOpenTelemetryMessage];
    default:
      throw new TypeError(`Cannot create logger: unknown format "${format}"`);
  }
}

function samplerOf(
  sampling: LogSampling | undefined,
): (info: LogInfo) => boolean {
  if (sampling === undefined) return () => true;
  const { rate, slow = 1000, random = Math.random } = sampling;
  if (!(rate >= 0 && rate <= 1)) {
    throw new RangeError(
      `Cannot create logger: the rate "${rate}" is not between 0 and 1`,
    );
  }
  return (info) =>
    json.isFailure(info) || info.responseTime >= slow || random() < rate;
}
