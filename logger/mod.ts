/**
 * A middleware that logs requests. No request can forge a line.
 *
 * @example Logging in Apache's combined format
 * ```ts
 * import { assertMatch } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { logger } from "@gatehouse/web/logger-middleware";
 *
 * const lines: string[] = [];
 * const router = createRouter({
 *   middleware: [
 *     logger({ format: "combined", output: (line) => lines.push(line) }),
 *   ],
 * });
 * await router.fetch("https://example.com/");
 *
 * assertMatch(lines[0], /^- - - \[.+\] "GET \/ HTTP\/1\.1" 404 - "-" "-"$/);
 * ```
 *
 * @module
 */
export type { BatchOutput, BatchOutputOptions } from "./batch_options.ts";
export { batchOutput } from "./batch_output.ts";
export { Log, type LogFields, type LogLevel } from "./log.ts";
export type { LogInfo, LogOutcome } from "./log_info.ts";
export { logger } from "./logger.ts";
export type {
  LogFormatter,
  LoggerOptions,
  LogIdOptions,
  LogNames,
  LogSampling,
} from "./options.ts";
export { isSecretName } from "./redaction.ts";
