/**
 * Conditions for `schema.pipe()`.
 *
 * @example Conditions with messages
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { minLength } from "@gatehouse/web/data-schema/checks";
 *
 * const Name = string().pipe(minLength(1, { message: "Name is required" }));
 * const result = parseSafe(Name, "");
 *
 * assertEquals(result.success, false);
 * if (!result.success) {
 *   assertEquals(result.issues[0]?.message, "Name is required");
 * }
 * ```
 *
 * @module
 */

export type { Check } from "./check.ts";
export { fileSize, fileType } from "./file_checks.ts";
export {
  email,
  hostname,
  ip,
  type IpOptions,
  isoDate,
  isoDateTime,
  url,
  type UrlOptions,
  uuid,
} from "./format_checks.ts";
export type { MessageOptions } from "../issue.ts";
export { length, maxLength, minLength, type Sized } from "./length_checks.ts";
export {
  type Comparable,
  integer,
  max,
  min,
  multipleOf,
} from "./number_checks.ts";
export { fieldsMatch } from "./object_checks.ts";
export { endsWith, includes, pattern, startsWith } from "./string_checks.ts";
