import { writeSchema, type Writing } from "./_json_writers.ts";
import { toNode } from "../node.ts";
import type {
  StandardSchemaProps,
  StandardSchemaV1,
} from "../standard_schema.ts";

/** A JSON Schema document. */
export type JSONSchema = Readonly<Record<string, unknown>>;

/** The supported versions of JSON Schema. */
export type JSONSchemaTarget = "draft-2020-12" | "draft-07" | "openapi-3.0";

/** Options for {@linkcode toJSONSchema}. */
export interface JSONSchemaOptions {
  /**
   * The version of JSON Schema.
   *
   * @default {"draft-2020-12"}
   */
  readonly target?: JSONSchemaTarget | undefined;
  /**
   * The side of the schema to describe: its input or its output.
   *
   * @default {"input"}
   */
  readonly io?: "input" | "output" | undefined;
  /**
   * The form of the input: JSON, or strings, as in a query and a form. For
   * strings, the export describes the values that they represent, as OpenAPI
   * does: a number for a coerced number. It also describes forms.
   *
   * @default {"json"}
   */
  readonly wire?: "json" | "strings" | undefined;
  /**
   * Called for each part that JSON Schema can't describe, such as a date, or a
   * tuple in OpenAPI 3.0. It returns the JSON Schema of the part. If it returns
   * `undefined`, the export accepts any value there.
   *
   * @default {throws a TypeError}
   */
  readonly onUnsupported?:
    | ((part: UnsupportedPart) => JSONSchema | undefined | void)
    | undefined;
}

/** A part of a schema that JSON Schema can't describe. */
export interface UnsupportedPart {
  /** The type of the part: `date`, `tuple`, `schema of zod`, … */
  readonly type: string;
  /** The keys that lead to the part. `*` means every item or value. */
  readonly path: readonly string[];
}

/**
 * Converts a schema to JSON Schema.
 *
 * JSON Schema can't express everything. Custom rules (`refine`, `fieldsMatch`),
 * flags of patterns, the details of `url()`, and what validators allow beyond a
 * `format`, such as a dot after a host name, are missing from the export. It then
 * accepts more values than the schema, never fewer. A `pattern()` that may treat
 * characters outside the BMP differently in JSON Schema (with `.`, `[^…]`, `\D`,
 * `\S` or `\W`) is exported only if it has the flag `u`.
 *
 * A schema of another library must provide its JSON Schema. It also validates
 * `undefined` once, to find out if a property is required.
 *
 * @example Publishing the input of a route
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, optional, string, toJSONSchema } from "@gatehouse/web/data-schema";
 * import { maxLength } from "@gatehouse/web/data-schema/checks";
 *
 * const User = object({
 *   name: string().pipe(maxLength(80)),
 *   bio: optional(string()),
 * });
 *
 * assertEquals(toJSONSchema(User), {
 *   $schema: "https://json-schema.org/draft/2020-12/schema",
 *   type: "object",
 *   properties: {
 *     name: { type: "string", maxLength: 80 },
 *     bio: { type: "string" },
 *   },
 *   required: ["name"],
 * });
 * ```
 *
 * @param schema The schema.
 * @param options The version, and the side to describe.
 * @returns The JSON Schema document.
 * @throws {TypeError} If JSON Schema can't describe a part, such as a date, a
 * `Map` or the output of a transform, and there is no `onUnsupported`.
 * @see {@link https://json-schema.org/draft/2020-12/json-schema-core | JSON Schema Core}
 */
export function toJSONSchema(
  schema: StandardSchemaV1,
  options: JSONSchemaOptions = {},
): JSONSchema {
  const { target = "draft-2020-12", io = "input", onUnsupported } = options;
  const { wire = "json" } = options;
  const dialect = DIALECTS[target];
  if (dialect === undefined) {
    throw new TypeError(`Cannot write JSON Schema "${target}": not supported`);
  }
  const writing: Writing = {
    target,
    io,
    wire,
    onUnsupported,
    names: new Map(),
    definitions: {},
    path: [],
  };
  const described = writeSchema(toNode(schema), writing);
  const place = target === "draft-07" ? "definitions" : "$defs";
  const { definitions } = writing;
  return {
    ...dialect,
    ...described,
    ...Object.keys(definitions).length > 0 ? { [place]: definitions } : {},
  };
}

const DIALECTS: Readonly<Record<JSONSchemaTarget, JSONSchema>> = {
  "draft-2020-12": { $schema: "https://json-schema.org/draft/2020-12/schema" },
  "draft-07": { $schema: "http://json-schema.org/draft-07/schema#" },
  "openapi-3.0": {},
};

/** The properties of a {@linkcode StandardJSONSchemaV1}. */
export interface StandardJSONSchemaProps<Input = unknown, Output = Input>
  extends StandardSchemaProps<Input, Output> {
  /** Returns the JSON Schema of the input and output. */
  readonly jsonSchema: StandardJSONSchemaConverter;
}

/** The functions that convert a schema to JSON Schema. */
export interface StandardJSONSchemaConverter {
  /** Returns the JSON Schema of the input. */
  readonly input: (
    options: StandardJSONSchemaOptions,
  ) => Record<string, unknown>;
  /** Returns the JSON Schema of the output. */
  readonly output: (
    options: StandardJSONSchemaOptions,
  ) => Record<string, unknown>;
}

/** Options for {@linkcode StandardJSONSchemaConverter}. */
export interface StandardJSONSchemaOptions {
  /** The version of JSON Schema. */
  readonly target: string;
  /** Options for a specific library. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/**
 * A schema that validates values and provides its JSON Schema.
 *
 * @see {@link https://standardschema.dev | Standard JSON Schema, version 1}
 */
export interface StandardJSONSchemaV1<Input = unknown, Output = Input> {
  /** The interface that schemas of all libraries share. */
  readonly "~standard": StandardJSONSchemaProps<Input, Output>;
}

/**
 * Adds the methods of Standard JSON Schema to a schema.
 *
 * It is a separate function so that applications without JSON Schema do not
 * bundle its code.
 *
 * @example Passing a schema to another library
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { string, withJSONSchema } from "@gatehouse/web/data-schema";
 *
 * const Name = withJSONSchema(string());
 * const { input } = Name["~standard"].jsonSchema;
 *
 * assertEquals(input({ target: "openapi-3.0" }), { type: "string" });
 * ```
 *
 * @param schema The schema.
 * @returns A schema that also provides its JSON Schema.
 */
export function withJSONSchema<Input, Output>(
  schema: StandardSchemaV1<Input, Output>,
): StandardJSONSchemaV1<Input, Output> {
  const convert = (io: "input" | "output") =>
  (
    { target }: StandardJSONSchemaOptions,
  ) => toJSONSchema(schema, { io, target: target as JSONSchemaTarget });
  return {
    "~standard": {
      ...schema["~standard"],
      jsonSchema: { input: convert("input"), output: convert("output") },
    },
  };
}
