/**
 * Schemas for forms: `FormData`, `URLSearchParams`, and plain objects of them.
 *
 * @example A form with a number, a checkbox and several values of one name
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, boolean, number, parse, string } from "@gatehouse/web/data-schema";
 * import { field, fields, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Filter = object({
 *   page: field(number()),
 *   archived: field(boolean()),
 *   tags: fields(array(string())),
 * });
 *
 * assertEquals(parse(Filter, new URLSearchParams("page=2&tags=a&tags=b")), {
 *   page: 2,
 *   archived: false,
 *   tags: ["a", "b"],
 * });
 * ```
 *
 * @module
 */

export {
  field,
  fields,
  file,
  files,
  type FormField,
  type FormFieldOptions,
} from "./form_fields.ts";
export type { FormInput, FormRecord } from "./form_input.ts";
export {
  type FormOutput,
  type FormShape,
  type FormSource,
  object,
} from "./form_object.ts";
export { formValues, type FormValuesOptions } from "./form_values.ts";
export { fromObject } from "./from_object.ts";
