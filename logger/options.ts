import type { RequestContext } from "../router/mod.ts";
import type { LogNames } from "./_json_formats.ts";
import type { LogInfo } from "./log_info.ts";
import type { LogIdOptions } from "./_trace.ts";

/** Builds the line of a request. */
export type LogFormatter = (info: LogInfo) => string;

/** Which requests are logged when not all of them are. */
export interface LogSampling {
  /** The share of the others that is logged, from 0 to 1. */
  readonly rate: number;

  /**
   * The milliseconds from which a request is slow, and always logged.
   *
   * @default {1_000}
   */
  readonly slow?: number;

  /**
   * Draws a number from 0 up to 1.
   *
   * @default {Math.random}
   */
  readonly random?: () => number;
}

/** Options for {@linkcode logger}. */
export interface LoggerOptions {
  /**
   * How a line looks: a named format, or a function that builds the line.
   *
   * Trust: what a function is given comes from the network. Escape it, as the
   * named formats do.
   *
   * @default {"dev"}
   */
  readonly format?: "dev" | "short" | "combined" | "json" | LogFormatter;

  /**
   * The names of the `json` format: those of the Elastic Common Schema, or
   * OpenTelemetry's.
   *
   * @default {"ecs"}
   */
  readonly names?: LogNames;

  /**
   * Keeps a request out of the log when it returns `true`. It is not asked
   * about a request whose handler threw.
   *
   * @default {() => false}
   */
  readonly skip?: (context: RequestContext, response: Response) => boolean;

  /**
   * Logs a share of the requests, but always those that failed (status 5xx, or
   * an error) and those that were slow.
   *
   * @default {{ rate: 1 }}
   */
  readonly sample?: LogSampling;

  /**
   * Receives every finished line, without a trailing newline.
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
   * Colours the `dev` format.
   *
   * On the console, which the default output and a `batchOutput` without a
   * `flush` of its own print on, NO_COLOR, FORCE_COLOR, TERM and the terminal
   * decide, in this order. Where an output of one's own leads nobody knows: say
   * `false`, or take the `short` format, if it is a file.
   *
   * @default {true, and on the console what the environment says}
   */
  readonly colors?: boolean;

  /**
   * Logs a response when its body has ended rather than when it is there:
   * counts its bytes, and tells whether it was sent whole, left by the client,
   * or failed. It costs about 20 microseconds, and a response whose length is
   * not in its headers is sent in chunks. On Bun one without a Content-Type is
   * sent as a text.
   *
   * @default {false}
   */
  readonly countBytes?: boolean;

  /**
   * Returns `true` if a parameter holds a secret, by its decoded name. The
   * logger replaces its value in the URL and in the referrer: in the query, in
   * matrix parameters, and in values that contain such a parameter or such a
   * JSON property. `false` turns this off.
   *
   * @default {isSecretName}
   */
  readonly redact?: false | ((name: string) => boolean);

  /**
   * Names the user of a request, after its handler has run, for formats that
   * have a place for it: `combined`, `json` and functions.
   *
   * @default {() => undefined}
   */
  readonly user?: (context: RequestContext) => string | undefined;

  /**
   * Where the ids of requests come from, and where they go.
   *
   * @default {{ trust: false, header: "X-Request-Id", respond: false }}
   */
  readonly ids?: LogIdOptions;
}
