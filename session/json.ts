/** A value that JSON can hold: what a session stores. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | readonly JSONValue[]
  | { readonly [key: string]: JSONValue };

/**
 * What a session takes of a type that JSON can hold and `JSONValue` does not
 * cover: interfaces, and members that may be missing. What JSON can't hold has
 * a word about it in its place.
 *
 * @typeParam Value The type of the value.
 */
export type Storable<Value> = Value extends JSONValue ? Value
  : Value extends readonly unknown[]
    ? { readonly [Key in keyof Value]: Storable<Value[Key]> }
  : Value extends
    | Iterable<unknown>
    | { toJSON(): unknown }
    | ((...args: never[]) => unknown) ? "JSON can't hold this"
  // Of a mere object nothing is known: it may be a Map.
  : keyof Value extends never ? "JSON can't hold this"
  : Value extends object ? {
      readonly [Key in keyof Value]:
        | Storable<Exclude<Value[Key], undefined>>
        | Extract<Value[Key], undefined>;
    }
  : "JSON can't hold this";
