import { runRoot, toNode } from "./node.ts";
import type { Messages } from "./issue.ts";
import type { ParseResult } from "./schema.ts";
import type { InferOutput, StandardSchemaV1 } from "./standard_schema.ts";
import { ValidationError } from "./validation_error.ts";

/** Options for {@linkcode parse} and its variants. */
export interface ParseOptions {
  /**
   * Messages by issue code, for example in another language. A message that a
   * schema or check sets takes precedence.
   *
   * @default {undefined} English messages.
   */
  readonly messages?: Messages | undefined;
  /**
   * The maximum depth of recursive schemas.
   *
   * @default {100}
   */
  readonly maxDepth?: number | undefined;
  /**
   * `true` copies objects and arrays even if validation changes nothing.
   *
   * @default {false}
   */
  readonly copy?: boolean | undefined;
}

/**
 * Validates a value and returns the output. Throws if the value is invalid.
 *
 * @example Reading a value
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { object, parse, string, ValidationError } from "@gatehouse/web/data-schema";
 *
 * const User = object({ name: string() });
 *
 * assertEquals(parse(User, { name: "Ada" }).name, "Ada");
 * assertThrows(() => parse(User, {}), ValidationError);
 * ```
 *
 * @param schema A schema of this or any other library.
 * @param value The value.
 * @param options Messages and limits.
 * @returns The output of the schema.
 * @throws {ValidationError} If the value is invalid.
 * @throws {TypeError} If the schema is async.
 */
export function parse<Source extends StandardSchemaV1>(
  schema: Source,
  value: unknown,
  options?: ParseOptions,
): InferOutput<Source> {
  const result = parseSafe(schema, value, options);
  if (!result.success) throw new ValidationError(result.issues);
  return result.value;
}

/**
 * Validates a value and returns the output or the issues.
 *
 * @example Answering with the issues
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, parseSafe, string } from "@gatehouse/web/data-schema";
 *
 * const result = parseSafe(object({ name: string() }), { name: 1 });
 *
 * assertEquals(result, {
 *   success: false,
 *   issues: [{
 *     code: "type",
 *     path: ["name"],
 *     message: "Expected string",
 *     params: { expected: "string" },
 *   }],
 * });
 * ```
 *
 * @param schema A schema of this or any other library.
 * @param value The value.
 * @param options Messages and limits.
 * @returns The output of the schema, or the issues.
 * @throws {TypeError} If the schema is async.
 */
export function parseSafe<Source extends StandardSchemaV1>(
  schema: Source,
  value: unknown,
  options?: ParseOptions,
): ParseResult<InferOutput<Source>> {
  const result = runRoot<InferOutput<Source>>(
    toNode(schema),
    value,
    options,
  );
  if ("success" in result) return result;
  result.catch(() => {});
  throw new TypeError("Cannot parse async schema");
}

/**
 * Validates a value with a schema that may be async. Rejects if the value is
 * invalid.
 *
 * @example A rule that queries a database
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseAsync, string } from "@gatehouse/web/data-schema";
 *
 * const isFree = (name: string) => Promise.resolve(name !== "admin");
 * const Name = string().refine(isFree, { message: "Name is taken" });
 *
 * assertEquals(await parseAsync(Name, "ada"), "ada");
 * ```
 *
 * @param schema A schema of this or any other library.
 * @param value The value.
 * @param options Messages and limits.
 * @returns The output of the schema.
 * @throws {ValidationError} If the value is invalid.
 */
export async function parseAsync<Source extends StandardSchemaV1>(
  schema: Source,
  value: unknown,
  options?: ParseOptions,
): Promise<InferOutput<Source>> {
  const result = await parseSafeAsync(schema, value, options);
  if (!result.success) throw new ValidationError(result.issues);
  return result.value;
}

/**
 * Validates a value with a schema that may be async, and resolves with the
 * output or the issues.
 *
 * @example A rule that queries a database
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafeAsync, string } from "@gatehouse/web/data-schema";
 *
 * const isFree = (name: string) => Promise.resolve(name !== "admin");
 * const Name = string().refine(isFree, { message: "Name is taken" });
 * const result = await parseSafeAsync(Name, "admin");
 *
 * assertEquals(result.success, false);
 * ```
 *
 * @param schema A schema of this or any other library.
 * @param value The value.
 * @param options Messages and limits.
 * @returns The output of the schema, or the issues.
 */
export async function parseSafeAsync<Source extends StandardSchemaV1>(
  schema: Source,
  value: unknown,
  options?: ParseOptions,
): Promise<ParseResult<InferOutput<Source>>> {
  return await runRoot<InferOutput<Source>>(toNode(schema), value, options);
}
