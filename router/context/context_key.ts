/** What every {@linkcode ContextKey} has, whatever the type of its value. */
export interface UntypedContextKey {
  /** What `get` returns while nothing is set; `undefined` where there is none. */
  readonly defaultValue: unknown;
  /** The name that errors call the key by. */
  readonly name: string;
}

/**
 * A typed key of the request context. Two keys are never equal, whatever their
 * names and defaults.
 */
export interface ContextKey<in out Value> extends UntypedContextKey {
  /** What `get` returns while nothing is set; `undefined` where there is none. */
  readonly defaultValue: Value | undefined;
  /** Holds the type of the value. Never present at run time. */
  readonly "~value"?: (value: Value) => Value;
}

/** A class that serves as a key: its instances are the values. */
export type ContextClass = abstract new (...args: never[]) => unknown;

/** Whatever `get`, `set` and `has` of the request context take as a key. */
export type AnyContextKey = UntypedContextKey | ContextClass;

/** The type of the value that belongs to a key. */
export type ContextValue<Key> = Key extends ContextKey<infer Value> ? Value
  : Key extends abstract new (...args: never[]) => infer Instance ? Instance
  : never;

/** Options for {@linkcode createContextKey}. */
export interface ContextKeyOptions {
  /**
   * The name that errors call the key by.
   *
   * @default {"anonymous"}
   */
  readonly name?: string;
}

/**
 * Creates a typed key for values that middleware hands to handlers.
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
 * @param defaultValue What `get` returns while nothing is set. Without it, such
 * a `get` throws.
 * @param options The name of the key.
 * @returns The key.
 */
export function createContextKey<Value>(
  defaultValue?: Value,
  { name = "anonymous" }: ContextKeyOptions = {},
): ContextKey<Value> {
  return Object.freeze({ defaultValue, name });
}
