import { array } from "../validators/array.ts";
import { instanceof_ } from "../validators/instance_of.ts";
import type { Schema } from "../schema.ts";
import type { StandardSchemaV1 } from "../standard_schema.ts";

/** A property that is read from a form. */
export interface FormField<Source extends StandardSchemaV1> {
  /** The kind: one string, all strings, one file or all files of a name. */
  readonly kind: "field" | "fields" | "file" | "files";
  /** The schema of the value. */
  readonly schema: Source;
  /** The name in the form, if it is not the property's. */
  readonly name: string | undefined;
}

/** Options for {@linkcode field} and its variants. */
export interface FormFieldOptions {
  /**
   * The name of the field in the form.
   *
   * @default {the name of the property}
   */
  readonly name?: string | undefined;
}

/**
 * Reads the only string of a name.
 *
 * If the schema requires a number, a date or a boolean, the string is
 * converted. There and for optional schemas, an empty string is a missing value.
 * `string()` accepts it as an empty string. A missing boolean is `false`, as
 * browsers leave out checkboxes that are not ticked. A missing string has the
 * message of the schema's first check. Each option of a `union()` converts the
 * string separately: the first one that accepts the result wins.
 *
 * @example A page number with a default
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { defaulted, number, parse } from "@gatehouse/web/data-schema";
 * import { field, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Query = object({ page: field(defaulted(number(), 1)) });
 *
 * assertEquals(parse(Query, new URLSearchParams("page=")), { page: 1 });
 * ```
 *
 * @param schema The schema of the value.
 * @param options The name in the form.
 * @returns The field.
 */
export function field<Source extends StandardSchemaV1>(
  schema: Source,
  options: FormFieldOptions = {},
): FormField<Source> {
  return { kind: "field", schema, name: options.name };
}

/**
 * Reads all strings of a name as an array: `tags`, `tags[]`, and `tags[0]` or
 * `tags.0` in order.
 *
 * @example Ticked boxes
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, number, parse } from "@gatehouse/web/data-schema";
 * import { fields, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Selection = object({ ids: fields(array(number()), { name: "id" }) });
 *
 * assertEquals(parse(Selection, new URLSearchParams("id=1&id=2")).ids, [1, 2]);
 * ```
 *
 * @param schema The schema of the array.
 * @param options The name in the form.
 * @returns The field.
 */
export function fields<Source extends StandardSchemaV1>(
  schema: Source,
  options: FormFieldOptions = {},
): FormField<Source> {
  return { kind: "fields", schema, name: options.name };
}

/**
 * Reads the only file of a name.
 *
 * If the user chooses no file, browsers send an empty file without a name. It
 * counts as missing.
 *
 * @example A photo that may be left out
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { instanceof_, optional, parse } from "@gatehouse/web/data-schema";
 * import { file, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Upload = object({ photo: file(optional(instanceof_(File))) });
 * const form = new FormData();
 * form.set("photo", new File([], ""));
 *
 * assertEquals(parse(Upload, form), {});
 * ```
 *
 * @param schema The schema of the file, by default `instanceof_(File)`.
 * @param options The name in the form.
 * @returns The field.
 */
export function file(
  schema?: undefined,
  options?: FormFieldOptions,
): FormField<Schema<File>>;
/**
 * Reads the only file of a name with a given schema.
 *
 * @example A small picture
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { instanceof_, parseSafe } from "@gatehouse/web/data-schema";
 * import { fileSize, fileType } from "@gatehouse/web/data-schema/checks";
 * import { file, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Picture = instanceof_(File).pipe(
 *   fileSize(1_000_000),
 *   fileType(["image/png", "image/jpeg"]),
 * );
 * const Upload = object({ photo: file(Picture) });
 * const form = new FormData();
 * form.set("photo", new File(["hello"], "a.txt", { type: "text/plain" }));
 *
 * assertEquals(parseSafe(Upload, form).success, false);
 * ```
 *
 * @param schema The schema of the file.
 * @param options The name in the form.
 * @returns The field.
 */
export function file<Source extends StandardSchemaV1>(
  schema: Source,
  options?: FormFieldOptions,
): FormField<Source>;
export function file(
  schema: StandardSchemaV1 = instanceof_(File),
  options: FormFieldOptions = {},
): FormField<StandardSchemaV1> {
  return { kind: "file", schema, name: options.name };
}

/**
 * Reads all files of a name as an array. Empty files without a name are omitted.
 *
 * @example Any number of attachments
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parse } from "@gatehouse/web/data-schema";
 * import { files, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Mail = object({ attachments: files() });
 * const form = new FormData();
 * form.append("attachments", new File(["a"], "a.txt"));
 *
 * assertEquals(parse(Mail, form).attachments.length, 1);
 * ```
 *
 * @param schema The schema of the array, by default `array(instanceof_(File))`.
 * @param options The name in the form.
 * @returns The field.
 */
export function files(
  schema?: undefined,
  options?: FormFieldOptions,
): FormField<Schema<File[]>>;
/**
 * Reads all files of a name with a given schema.
 *
 * @example A few pictures
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { array, instanceof_, parse } from "@gatehouse/web/data-schema";
 * import { maxLength } from "@gatehouse/web/data-schema/checks";
 * import { files, object } from "@gatehouse/web/data-schema/form-data";
 *
 * const Pictures = array(instanceof_(File)).pipe(maxLength(3));
 * const Upload = object({ photos: files(Pictures) });
 *
 * assertEquals(parse(Upload, new FormData()).photos, []);
 * ```
 *
 * @param schema The schema of the array.
 * @param options The name in the form.
 * @returns The field.
 */
export function files<Source extends StandardSchemaV1>(
  schema: Source,
  options?: FormFieldOptions,
): FormField<Source>;
export function files(
  schema: StandardSchemaV1 = array(instanceof_(File)),
  options: FormFieldOptions = {},
): FormField<StandardSchemaV1> {
  return { kind: "files", schema, name: options.name };
}
