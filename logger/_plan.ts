import { report } from "./_batch.ts";
import { prints } from "./batch_output.ts";
import { wantsColor } from "./_colors.ts";
import { escapeField, truncate } from "./_escape.ts";
import { formatCombined, formatDev, formatShort } from "./_formats.ts";
import { formatECS, formatOpenTelemetry, isFailure } from "./_json.ts";
import {
  formatECSMessage,
  formatMessage,
  formatOpenTelemetryMessage,
  type MessageFormatter,
} from "./log.ts";
import type { LogInfo } from "./log_info.ts";
import type { LogFormatter, LoggerOptions, LogSampling } from "./options.ts";
import { isSecretName } from "./redaction.ts";
import { type ResolvedIdOptions, resolveIdOptions } from "./_trace.ts";

/** The options of a logger, resolved once for all requests. */
export interface LoggerPlan
  extends Pick<LoggerOptions, "skip" | "user" | "countBytes"> {
  readonly format: LogFormatter;
  /** Whether a line has a place for headers and the user. */
  readonly hasHeaders: boolean;
  /** Whether it has one for ids and the route. */
  readonly hasIds: boolean;
  /** Whether a line or the sampling asks how long the request took. */
  readonly isTimed: boolean;
  /**
   * What is done to a text from the network: it is escaped for lines of text.
   * JSON has escapes of its own, and a function is told to escape.
   */
  readonly clean: (text: string) => string;
  readonly isKept: (info: LogInfo) => boolean;
  readonly output: (line: string) => void;
  readonly message: MessageFormatter;
  readonly messages: (line: string) => void;
  readonly isSecret: false | ((name: string) => boolean);
  readonly ids: ResolvedIdOptions;
}

/** Reads the options. */
export function planLogger(options: LoggerOptions): LoggerPlan {
  const { format = "dev", names = "ecs", redact = isSecretName } = options;
  if (names !== "ecs" && names !== "opentelemetry") {
    throw new TypeError(`Cannot create logger: no names "${names}"`);
  }
  const { skip, user, countBytes, sample } = options;
  const isText = format !== "json" && typeof format !== "function";
  const output = options.output ?? ((line) => console.log(line));
  const ids = resolveIdOptions(options.ids ?? {});
  const { trust } = ids;
  return {
    skip: skip && safely(skip, false),
    user: user && safely((context) => userName(user(context)), undefined),
    countBytes,
    format: formatterOf(options),
    hasHeaders: format !== "dev" && format !== "short",
    hasIds: !isText,
    isTimed: format !== "combined" || sample !== undefined,
    clean: isText ? escapeField : truncate,
    isKept: samplerOf(sample),
    output,
    message: format !== "json"
      ? formatMessage
      : names === "ecs"
      ? formatECSMessage
      : formatOpenTelemetryMessage,
    // Programs that read an access log would trip over other lines.
    messages: options.messages ??
      (format === "combined" ? (line) => console.error(line) : output),
    isSecret: redact === false || redact === isSecretName
      ? redact
      : safely(redact, true),
    ids: typeof trust === "function"
      ? { ...ids, trust: safely(trust, false) }
      : ids,
  };
}

/** Names come from databases, and may be what their types do not say. */
function userName(user: unknown): string | undefined {
  return user == null ? undefined : truncate(String(user));
}

/** A function of the options that reports what it throws, and fails nothing. */
function safely<Input extends unknown[], Result>(
  ask: (...input: Input) => Result,
  otherwise: Result,
): (...input: Input) => Result {
  return (...input) => {
    try {
      return ask(...input);
    } catch (problem) {
      report(problem);
      return otherwise;
    }
  };
}

function formatterOf(options: LoggerOptions): LogFormatter {
  const { format = "dev", names = "ecs", output, colors } = options;
  const isPrinted = output === undefined || prints(output);
  if (typeof format === "function") return format;
  switch (format) {
    case "dev":
      return colors ?? (!isPrinted || wantsColor()) ? formatDev : formatShort;
    case "short":
      return formatShort;
    case "combined":
      return formatCombined;
    case "json":
      return names === "ecs" ? formatECS : formatOpenTelemetry;
    default:
      throw new TypeError(`Cannot create logger: no format "${format}"`);
  }
}

function samplerOf(
  sampling: LogSampling | undefined,
): (info: LogInfo) => boolean {
  if (sampling === undefined) return () => true;
  const { rate, slow = 1000, random = Math.random } = sampling;
  if (!(rate >= 0 && rate <= 1)) {
    throw new RangeError(
      `Cannot create logger: the rate "${rate}" is not from 0 to 1`,
    );
  }
  return (info) =>
    isFailure(info) || info.responseTime >= slow || random() < rate;
}
