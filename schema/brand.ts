import type { Schema } from "./schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "./standard_schema.ts";
import { toNode } from "./_node.ts";

/**
 * A value that a schema of this name has seen. For the compiler alone. What is
 * `null` or `undefined` stays that: nothing could have a brand and be it.
 */
export type Branded<Value, Name extends string> =
  | Extract<Value, null | undefined>
  | NonNullable<Value> & {
    /** The names of the brands. Nothing is there at run time. */
    readonly "~brand": { readonly [Key in Name]: true };
  };

/**
 * Marks what a schema gives, so that the compiler tells it from other values
 * of the same type.
 *
 * @example An identifier that no other text can be taken for
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { brand, type InferOutput, parse, string } from "@gatehouse/web/data-schema";
 *
 * const UserId = brand(string(), "UserId");
 * const greet = (id: InferOutput<typeof UserId>) => `Hello ${id}`;
 *
 * assertEquals(greet(parse(UserId, "u1")), "Hello u1");
 * ```
 *
 * @param schema The schema.
 * @param name The name of the brand.
 * @returns The schema, with marked output.
 */
export function brand<Source extends StandardSchemaV1, Name extends string>(
  schema: Source,
  name: Name,
): Schema<Branded<InferOutput<Source>, Name>, InferInput<Source>> {
  void name;
  return toNode(schema) as Schema<unknown> as Schema<
    Branded<InferOutput<Source>, Name>,
    InferInput<Source>
  >;
}
