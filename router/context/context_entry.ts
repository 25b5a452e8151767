import type { AnyContextKey, ContextValue } from "./context_key.ts";

/** What a middleware adds to the context: a key and the type of its value. */
export type ContextEntry<
  Key extends AnyContextKey = AnyContextKey,
  Value = unknown,
> = readonly [key: Key, value: Value];

/** A list of entries, the first provided first. */
export type ContextEntries = readonly ContextEntry[];

/** Stands for "the value as it was provided before, but not null". */
export declare const present: unique symbol;

/**
 * As the value of a {@linkcode ContextEntry}: the value that an earlier
 * middleware provides, without `null` and `undefined`.
 */
export type Present = typeof present;

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

/** Reads one provided value, with the type that its middleware gave it. */
export interface ProvidedGetter<Key, Value> {
  /**
   * Reads the provided value.
   *
   * @param key The key.
   * @returns The value.
   */
  get(this: object, key: Key): Value;
}

/** One getter for each entry, the last provided first. */
export type ProvidedGetters<Entries extends ContextEntries> = Entries extends
  readonly [
    ...infer Earlier extends ContextEntries,
    infer Last extends ContextEntry,
  ] ?
    & ProvidedGetter<Last[0], ProvidedValue<Entries, Last[0]>>
    & ProvidedGetters<Earlier>
  : unknown;
