/** A {@linkcode ContextKey} with any type of value. */
export interface UntypedContextKey {
  /** The value that `get` returns until one is set; `undefined` without one. */
  readonly defaultValue: unknown;
  /** The name of the key in errors. */
  readonly name: string;
}

/**
 * A typed key of the request context. Two keys are never equal, whatever their
 * names and defaults.
 */
export interface ContextKey<in out Value> extends UntypedContextKey {
  /** The value that `get` returns until one is set; `undefined` without one. */
  readonly defaultValue: Value | undefined;
  /** Carries the type of the value. Never present at run time. */
  readonly "~value"?: (value: Value) => Value;
}

/**
 * A key of the request context. A class is a key too, and its instances are the
 * values.
 */
export type AnyContextKey =
  | UntypedContextKey
  | (abstract new (...args: never[]) => unknown);

/** The type of the value that belongs to a key. */
export type ContextValue<Key> = Key extends ContextKey<infer Value> ? Value
  : Key extends abstract new (...args: never[]) => infer Instance ? Instance
  : never;

/** Options for {@linkcode createContextKey}. */
export interface ContextKeyOptions {
  /**
   * The name of the key in errors.
   *
   * @default {"anonymous"}
   */
  readonly name?: string;
}

/**
 * Creates a typed key for values that middleware passes to handlers.
 *
 * @example A key with a default
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createContextKey, RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const Locale = createContextKey("en", { name: "Locale" });
 * const context = new RequestContext(new Request("https://example.com/"));
 * assertEquals(context.get(Locale), "en");
 *
 * context.set(Locale, "de");
 * assertEquals(context.get(Locale), "de");
 * ```
 *
 * @typeParam Value The type of the values.
 * @param defaultValue The value that `get` returns until one is set. Without it,
 * such a `get` throws.
 * @param options The name of the key.
 * @returns The key.
 */
export function createContextKey<Value>(
  defaultValue?: Value,
  { name = "anonymous" }: ContextKeyOptions = {},
): ContextKey<Value> {
  return Object.freeze({ defaultValue, name });
}
