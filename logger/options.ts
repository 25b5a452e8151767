import type { RequestContext } from "../router/mod.ts";
import type { LogInfo } from "./log_info.ts";

/**
 * The field names of JSON lines: those of the Elastic Common Schema, or of
 * OpenTelemetry.
 */
export type LogNames = "ecs" | "opentelemetry";

/** Returns the line of a request. */
export type LogFormatter = (info: LogInfo) => string;

/** Options for logging a share of the requests. */
export interface LogSampling {
  /** The share of the requests to log, from 0 to 1. */
  readonly rate: number;

  /**
   * The response time from which a request is always logged, in milliseconds.
   *
   * @default {1_000}
   */
  readonly slow?: number;

  /**
   * Returns a random number from 0 to 1, 1 excluded.
   *
   * @default {Math.random}
   */
  readonly random?: () => number;
}

/** Options for the ids of requests and traces. */
export interface LogIdOptions {
  /**
   * `true` to continue the request id, the `traceparent` and the `tracestate`
   * of incoming requests, or a function that decides for each request.
   *
   * Trust: anyone can send these headers. Continue them only behind proxies of
   * yours that set, check or remove them.
   *
   * @default {false}
   */
  readonly trust?: boolean | ((context: RequestContext) => boolean);

  /**
   * The header of the request id.
   *
   * @default {"X-Request-Id"}
   */
  readonly header?: string;

  /**
   * `true` to send the request id to the client, in the same header.
   *
   * @default {false}
   */
  readonly respond?: boolean;
}

/** Options for {@linkcode logger}. */
export interface LoggerOptions {
  /**
   * The format of a line: a named format, or a function that returns the line.
   *
   * Trust: the fields that a function receives come from the network. Escape
   * them, as the named formats do.
   *
   * @default {"dev"}
   */
  readonly format?: "dev" | "short" | "combined" | "json" | LogFormatter;

  /**
   * The field names of the `json` format: those of the Elastic Common Schema,
   * or of OpenTelemetry.
   *
   * @default {"ecs"}
   */
  readonly names?: LogNames;

  /**
   * Excludes a request from the log by returning `true`. Requests whose handler
   * threw are always logged.
   *
   * @default {() => false}
   */
  readonly skip?: (context: RequestContext, response: Response) => boolean;

  /**
   * Logs only a share of the requests, and always those that failed (status 5xx
   * or an error) or were slow.
   *
   * @default {rate: 1}
   */
  readonly sample?: LogSampling;

  /**
   * Receives each line, without a trailing newline.
   *
   * @default {console.log}
   */
  readonly output?: (message: string) => void;

  /**
   * Receives the lines of `context.get(Log)`.
   *
   * @default {output, but console.error with the combined format}
   */
  readonly messages?: (message: string) => void;

  /**
   * Colors the `dev` format.
   *
   * On the console, NO_COLOR, FORCE_COLOR, TERM and the terminal decide, in
   * this order. The default `output` and a `batchOutput` without `flush` write
   * to the console. Lines for another `output` are colored: set `false`, or use
   * the `short` format, if it writes to a file.
   *
   * @default {true, and on the console as the environment says}
   */
  readonly colors?: boolean;

  /**
   * Logs a response when its body ends, with the number of bytes and whether
   * the body was sent completely.
   *
   * This takes about 10 microseconds per request, since the body becomes a
   * stream. A response without a `Content-Length` is sent in chunks. Under
   * `Deno.serve`, a body in memory of at most 64 KiB takes 5 microseconds and
   * keeps its length. On Bun, a response without a `Content-Type` is sent as
   * plain text.
   *
   * @default {false}
   */
  readonly countBytes?: boolean;

  /**
   * Returns `true` if a parameter contains a secret, judging by its decoded
   * name. The logger replaces its value in the URL and in the referrer: in the
   * query, in matrix parameters, and in values that contain such a parameter or
   * such a JSON property. `false` turns this off.
   *
   * @default {isSecretName}
   */
  readonly redact?: false | ((name: string) => boolean);

  /**
   * Returns the name of the user. It runs after the handler, for the formats
   * that have the user: `combined`, `json` and functions.
   *
   * @default {() => undefined}
   */
  readonly user?: (context: RequestContext) => string | undefined;

  /**
   * Options for the ids of requests and traces.
   *
   * @default {trust: false, header: "X-Request-Id", respond: false}
   */
  readonly ids?: LogIdOptions;

  /**
   * Returns the time in epoch milliseconds, for timestamps and response times.
   *
   * @default {Date.now, and performance.now for response times}
   */
  readonly now?: () => number;
}
