import type { Check } from "./checks/check.ts";
import type { Issue, Message, MessageOptions } from "./issue.ts";
import type {
  InferInput,
  InferOutput,
  StandardSchemaProps,
  StandardSchemaTypes,
  StandardSchemaV1,
} from "./standard_schema.ts";

/**
 * A schema: it validates an input and returns the output or issues.
 *
 * Schemas are immutable. Every method returns a new schema.
 */
export interface Schema<Output, Input = Output>
  extends StandardSchemaV1<Input, Output> {
  /**
   * Adds checks. All of them run, so that a user sees all issues at once.
   *
   * @param checks The checks, from `@gatehouse/web/data-schema/checks`.
   * @returns The schema with the checks.
   */
  pipe(...checks: readonly Check<Output>[]): this;

  /**
   * Adds a custom rule. It runs only on values that are valid so far. A rule that
   * returns a promise makes the schema async.
   *
   * @param rule Returns `true` if the value is valid.
   * @param options The message, code and path of the issue.
   * @returns The schema with the rule.
   */
  refine(
    rule: (value: Output) => boolean | PromiseLike<boolean>,
    options?: RefineOptions,
  ): this;

  /**
   * Converts the output to another value. A function that returns a promise makes
   * the schema async.
   *
   * @param change Returns the new value, or calls `fail()`, which throws, if the
   * value is invalid.
   * @returns The schema of the new value.
   */
  transform<New>(
    change: (value: Output, fail: (options?: RefineOptions) => never) => New,
  ): Schema<Awaited<New>, Input>;
}

/** A schema whose key may be missing from the input of an object. */
export interface DefaultedSchema<Output, Input = Output>
  extends Schema<Output, Input> {
  /** See {@linkcode StandardSchemaV1}. */
  readonly "~standard": PresenceProps<Input, Output, "defaulted" | "optional">;

  /** Converts the output, see {@linkcode Schema.transform}. */
  transform<New>(
    change: (value: Output, fail: (options?: RefineOptions) => never) => New,
  ): DefaultedSchema<Awaited<New>, Input>;
}

/** A schema whose key may be missing from the input and output of an object. */
export interface OptionalSchema<Output, Input = Output>
  extends DefaultedSchema<Output, Input> {
  /** See {@linkcode StandardSchemaV1}. */
  readonly "~standard": PresenceProps<Input, Output, "optional">;
}

/** The schema of an object or a form. `pick`, `omit` and the like accept it. */
export interface ObjectSchema<Output, Input = Output>
  extends Schema<Output, Input> {
  /** See {@linkcode StandardSchemaV1}. */
  readonly "~standard": ObjectProps<Input, Output>;
}

/** The properties of the schema of an object. */
export interface ObjectProps<Input, Output>
  extends StandardSchemaProps<Input, Output> {
  /** The types. The property exists for the compiler only. */
  readonly types?: ObjectTypes<Input, Output> | undefined;
}

/** The types of the schema of an object. */
export interface ObjectTypes<Input, Output>
  extends StandardSchemaTypes<Input, Output> {
  /** Distinguishes objects from other schemas. */
  readonly kind: "object";
}

/** The properties of a schema that accepts missing keys. */
export interface PresenceProps<Input, Output, Presence>
  extends StandardSchemaProps<Input, Output> {
  /** The types. The property exists for the compiler only. */
  readonly types?: PresenceTypes<Input, Output, Presence> | undefined;
}

/** The types of a schema that accepts missing keys. */
export interface PresenceTypes<Input, Output, Presence>
  extends StandardSchemaTypes<Input, Output> {
  /** The treatment of an object's missing key. */
  readonly presence: Presence;
}

/** The treatment of an object's missing key. */
export type PresenceOf<Source extends StandardSchemaV1> =
  NonNullable<Source["~standard"]["types"]> extends
    { readonly presence: infer Presence } ? Presence : "required";

/** Options for {@linkcode Schema.refine}. */
export interface RefineOptions extends MessageOptions {
  /**
   * The code of the issue, for programs.
   *
   * @default {"invalid"}
   */
  readonly code?: string | undefined;
  /**
   * The path of the issue, relative to the value.
   *
   * @default {[]}
   */
  readonly path?: readonly PropertyKey[] | undefined;
  /**
   * The message of the issue.
   *
   * @default {"Invalid value"}
   */
  readonly message?: Message | undefined;
}

/** The schemas of an object's properties. */
export type ObjectShape = Readonly<Record<string, StandardSchemaV1>>;

/** The output of an object of this shape. */
export type ObjectOutput<Shape extends ObjectShape> = Flat<
  & {
    -readonly [
      Key in keyof Shape as PresenceOf<Shape[Key]> extends "optional" ? never
        : Key
    ]: InferOutput<Shape[Key]>;
  }
  & {
    -readonly [
      Key in keyof Shape as PresenceOf<Shape[Key]> extends "optional" ? Key
        : never
    ]?: Exclude<InferOutput<Shape[Key]>, undefined>;
  }
>;

/** The input of an object of this shape. */
export type ObjectInput<Shape extends ObjectShape> = Flat<
  & {
    -readonly [
      Key in keyof Shape as PresenceOf<Shape[Key]> extends
        "defaulted" | "optional" ? never
        : Key
    ]: InferInput<Shape[Key]>;
  }
  & {
    -readonly [
      Key in keyof Shape as PresenceOf<Shape[Key]> extends
        "defaulted" | "optional" ? Key
        : never
    ]?: InferInput<Shape[Key]>;
  }
>;

/** The same type, shown as one object. */
export type Flat<Value> = { [Key in keyof Value]: Value[Key] };

/** The result of a parse: the value, or the issues. */
export type ParseResult<Output> =
  | { readonly success: true; readonly value: Output }
  | { readonly success: false; readonly issues: readonly Issue[] };
