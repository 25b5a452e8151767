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

/** The type of a key's value behind the middleware that provides `Entries`. */
export type ProvidedValue<Entries extends ContextEntries, Key> = Entries extends
  readonly [
    ...infer Earlier extends ContextEntries,
    infer Last extends ContextEntry,
  ]
  ? [Key, Last[0]] extends [Last[0], Key]
    ? [Last[1]] extends [Present] ? NonNullable<ProvidedValue<Earlier, Key>>
    : Last[1]
  : ProvidedValue<Earlier, Key>
  : ContextValue<Key>;

/** One getter for each entry, the last provided first. */
export type ProvidedGetters<Entries extends ContextEntries> = Entries extends
  readonly [
    ...infer Earlier extends ContextEntries,
    infer Last extends ContextEntry,
  ] ?
    & { get(this: object, key: Last[0]): ProvidedValue<Entries, Last[0]> }
    & ProvidedGetters<Earlier>
  : unknown;
