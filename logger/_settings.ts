import { report } from "./_batch.ts";
import { isConsoleOutput } from "./batch_output.ts";
import { wantsColor } from "./_colors.ts";
import { escapeField, truncate } from "./_escape.ts";
import {
  formatECS,
  formatECSMessage,
  formatOpenTelemetry,
  formatOpenTelemetryMessage,
  isFailure,
} from "./_json_formats.ts";
import type { LogInfo } from "./log_info.ts";
import type { LogFormatter, LoggerOptions, LogSampling } from "./options.ts";
import { isSecretName, type SecretTest } from "./redaction.ts";
import { RequestURLReader } from "./_request_url.ts";
import {
  formatCombined,
  formatDev,
  formatMessage,
  formatShort,
} from "./_text_formats.ts";
import { type ResolvedIdOptions, resolveIdOptions } from "./_trace.ts";

/** The options of a logger with their defaults. */
export interface LoggerSettings
  extends Pick<LoggerOptions, "skip" | "user" | "countBytes"> {
  readonly format: LogFormatter;
  readonly formatMessage: typeof formatMessage;
  /** `true` if a line has headers and the user. Reading them takes time. */
  readonly hasHeaders: boolean;
  /** `true` if a line has ids and the route. */
  readonly hasIds: boolean;
  /** `true` if a line or the sampling needs the response time. */
  readonly isTimed: boolean;
  /** Escapes or truncates a field from the network. JSON has its own escapes. */
  readonly escape: (field: string) => string;
  readonly isSampled: (info: LogInfo) => boolean;
  readonly output: (line: string) => void;
  readonly messages: (line: string) => void;
  readonly isSecret: false | SecretTest;
  readonly urls: RequestURLReader;
  readonly ids: ResolvedIdOptions;
}

/** Checks the options and adds their defaults. */
export function resolveOptions(options: LoggerOptions): LoggerSettings {
  const { format = "dev", names = "ecs", redact = isSecretName } = options;
  if (names !== "ecs" && names !== "opentelemetry") {
    throw new TypeError(`Cannot create logger: unknown names "${names}"`);
  }
  const { skip, user, countBytes, sample } = options;
  const isText = format !== "json" && typeof format !== "function";
  const output = options.output ?? ((line) => console.log(line));
  const escape = isText ? escapeField : truncate;
  const isSecret = redact === false || redact === isSecretName
    ? redact
    : safely(redact, true);
  const ids = resolveIdOptions(options.ids ?? {});
  const { trust } = ids;
  return {
    skip: skip && safely(skip, false),
    user: user && safely((context) => userName(user(context)), undefined),
    countBytes,
    format: formatterOf(options),
    formatMessage: format !== "json"
      ? formatMessage
      : names === "ecs"
      ? formatECSMessage
      : formatOpenTelemetryMessage,
    hasHeaders: format !== "dev" && format !== "short",
    hasIds: !isText,
    isTimed: format !== "combined" || sample !== undefined,
    escape,
    isSampled: samplerOf(sample),
    output,
    // Other lines would confuse programs that read an access log.
    messages: options.messages ??
      (format === "combined" ? (line) => console.error(line) : output),
    isSecret,
    urls: new RequestURLReader(isSecret, escape),
    ids: typeof trust === "function"
      ? { ...ids, trust: safely(trust, false) }
      : ids,
  };
}

/** Returns the name of a user, which may be any value despite its type. */
function userName(user: unknown): string | undefined {
  return user == null ? undefined : truncate(String(user));
}

/** Wraps a function of the options, so that its errors fail no request. */
function safely<Input extends unknown[], Result>(
  call: (...input: Input) => Result,
  fallback: Result,
): (...input: Input) => Result {
  return (...input) => {
    try {
      return call(...input);
    } catch (error) {
      report(error);
      return fallback;
    }
  };
}

function formatterOf(options: LoggerOptions): LogFormatter {
  const { format = "dev", names = "ecs", output, colors } = options;
  const isConsole = output === undefined || isConsoleOutput(output);
  if (typeof format === "function") return format;
  switch (format) {
    case "dev":
      return colors ?? (!isConsole || wantsColor()) ? formatDev : formatShort;
    case "short":
      return formatShort;
    case "combined":
      return formatCombined;
    case "json":
      return names === "ecs" ? formatECS : formatOpenTelemetry;
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
    isFailure(info) || info.responseTime >= slow || random() < rate;
}
