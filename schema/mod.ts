/**
 * Validates input from the network: forms, JSON and query strings.
 *
 * @example The registration form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { flatten, parseSafe, string } from "@gatehouse/web/data-schema";
 * import { email, fieldsMatch, minLength } from "@gatehouse/web/data-schema/checks";
 * import { field, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Registration = object({
 *   name: field(string().pipe(minLength(1, { message: "Name is required" }))),
 *   email: field(string().pipe(email({ message: "Invalid email address" }))),
 *   password: field(string().pipe(minLength(8, {
 *     message: "Password must be at least 8 characters",
 *   }))),
 *   confirmPassword: field(string()),
 * }).pipe(fieldsMatch("password", "confirmPassword", {
 *   message: "Passwords do not match",
 * }));
 *
 * const form = new FormData();
 * form.set("name", "Ada");
 * form.set("email", "ada@example.com");
 * form.set("password", "correct horse");
 * form.set("confirmPassword", "battery staple");
 * const result = parseSafe(Registration, form);
 *
 * assertEquals(result.success, false);
 * if (!result.success) {
 *   assertEquals(flatten(result.issues).fields.confirmPassword, [
 *     "Passwords do not match",
 *   ]);
 * }
 * ```
 *
 * @module
 */

export { any, unknown } from "./validators/anything.ts";
export { array } from "./validators/array.ts";
export { brand, type Branded } from "./validators/brand.ts";
export type { Check } from "./checks/check.ts";
export { map, set } from "./validators/collections.ts";
export { instanceof_ } from "./validators/instance_of.ts";
export {
  type FlatIssues,
  flatten,
  type FlattenableIssue,
  type Issue,
  type IssueParams,
  type Message,
  type MessageOptions,
  type Messages,
} from "./issue.ts";
export { intersect } from "./validators/intersect.ts";
export {
  type JSONSchema,
  type JSONSchemaOptions,
  type JSONSchemaTarget,
  type StandardJSONSchemaConverter,
  type StandardJSONSchemaOptions,
  type StandardJSONSchemaProps,
  type StandardJSONSchemaV1,
  toJSONSchema,
  type UnsupportedPart,
  withJSONSchema,
} from "./json_schema/json_schema.ts";
export { lazy } from "./validators/lazy.ts";
export {
  type Literal,
  literal,
  picklist,
  picklist as enum_,
} from "./validators/literal.ts";
export { object } from "./validators/object.ts";
export {
  extend,
  type ExtendedInput,
  type IsForm,
  type KeyOf,
  keyof,
  omit,
  partial,
  type PartialInput,
  type PartialOutput,
  pick,
  type PropertyName,
  required,
  type RequiredValue,
  type Selected,
} from "./validators/object_shape.ts";
export { looseObject, strictObject } from "./validators/strict_object.ts";
export { defaulted, nullable, optional } from "./validators/optional.ts";
export {
  parse,
  parseAsync,
  type ParseOptions,
  parseSafe,
  parseSafeAsync,
} from "./parse.ts";
export {
  bigint,
  boolean,
  date,
  number,
  string,
} from "./validators/primitives.ts";
export { record, type RecordOf } from "./validators/record.ts";
export type {
  DefaultedSchema,
  Flat,
  ObjectInput,
  ObjectOutput,
  ObjectProps,
  ObjectSchema,
  ObjectShape,
  ObjectTypes,
  OptionalSchema,
  ParseResult,
  PresenceOf,
  PresenceProps,
  PresenceTypes,
  RefineOptions,
  Schema,
} from "./schema.ts";
export type {
  InferInput,
  InferOutput,
  StandardSchemaIssue,
  StandardSchemaOptions,
  StandardSchemaProps,
  StandardSchemaResult,
  StandardSchemaTypes,
  StandardSchemaV1,
} from "./standard_schema.ts";
export {
  tuple,
  type TupleInput,
  type TupleOutput,
} from "./validators/tuple.ts";
export { union } from "./validators/union.ts";
export { variant, type Variants } from "./validators/variant.ts";
export { ValidationError } from "./validation_error.ts";
