import type { AnyContextKey, ContextValue } from "./context_key.ts";

/** An entry that a middleware adds to the context: a key and its value. */
export type ContextEntry<
  Key extends AnyContextKey = AnyContextKey,
  Value = unknown,
> = readonly [key: Key, value: Value];

/** An array of entries, the first provided first. */
export type ContextEntries = readonly ContextEntry[];

/**
 * As the value of a {@linkcode ContextEntry}: the value that an earlier
 * middleware provides, without `null` and `undefined`.
 */
export interface Present {
  /** Distinguishes this type from all others. Never present at run time. */
  readonly "~present": never;
}

/**
 * As the value of a {@linkcode ContextEntry}: {@linkcode Present}, for a middleware
 * that needs values of this type. The value is `never` if an earlier middleware
 * provides another type.
 */
export interface PresentAs<in out Value> {
  /** Distinguishes this type from all others. Never present at run time. */
  readonly "~presentAs": (value: Value) => Value;
}

/**
 * As the value of a {@linkcode ContextEntry}: this value, or that of an earlier
 * middleware.
 */
export interface OrEarlier<Value> {
  /** Distinguishes this type from all others. Never present at run time. */
  readonly "~orEarlier": Value;
}

/**
 * The type of a key's value after the middleware that provides `Entries`.
 * `Base` is the type without such a middleware.
 */
export type ProvidedValue<
  Entries extends ContextEntries,
  Key,
  Base = ContextValue<Key>,
> = Entries extends readonly [
  ...infer Earlier extends ContextEntries,
  infer Last extends ContextEntry,
]
  ? [Key, Last[0]] extends [Last[0], Key]
    ? [Last[1]] extends [Present]
      ? NonNullable<ProvidedValue<Earlier, Key, Base>>
    : [Last[1]] extends [PresentAs<infer Needed>]
      ? NonNullable<ProvidedValue<Earlier, Key, Needed>> extends infer Given
        ? [Given] extends [Needed] ? Given : never
      : never
    : [Last[1]] extends [OrEarlier<infer Added>]
      ? Added | ProvidedValue<Earlier, Key, never>
    : Last[1]
  : ProvidedValue<Earlier, Key, Base>
  : Base;

/** One getter for each entry, the last provided first. */
export type ProvidedGetters<Entries extends ContextEntries> = Entries extends
  readonly [
    ...infer Earlier extends ContextEntries,
    infer Last extends ContextEntry,
  ] ?
    & { get(this: object, key: Last[0]): ProvidedValue<Entries, Last[0]> }
    & ProvidedGetters<Earlier>
  : unknown;
