import type { Schema } from "../schema.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaV1,
} from "../standard_schema.ts";
import { toNode, typed } from "../node.ts";

/**
 * The type of a value that a branded schema has validated. `null` and
 * `undefined` stay unbranded, because their types can't have properties.
 */
export type Branded<Value, Name extends string> =
  | Extract<Value, null | undefined>
  | NonNullable<Value> & {
    /** The names of the brands. The property does not exist at run time. */
    readonly "~brand": { readonly [Key in Name]: true };
  };

/**
 * Brands the output type of a schema, so that the compiler distinguishes it from
 * other values of the same type.
 *
 * @example An identifier that other strings can't be confused with
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
 * @returns The same schema, with a branded output type.
 */
export function brand<Source extends StandardSchemaV1, Name extends string>(
  schema: Source,
  name: Name,
): Schema<Branded<InferOutput<Source>, Name>, InferInput<Source>> {
  void name;
  return typed(toNode(schema));
}
