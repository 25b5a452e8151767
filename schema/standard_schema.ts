/**
 * The interface that schemas of different libraries have in common.
 *
 * Every function of this module that accepts a schema accepts this interface, so
 * schemas of other libraries work as well.
 *
 * @see {@link https://standardschema.dev | Standard Schema, version 1}
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The interface that schemas of all libraries share. */
  readonly "~standard": StandardSchemaProps<Input, Output>;
}

/** The properties of a {@linkcode StandardSchemaV1}. */
export interface StandardSchemaProps<Input = unknown, Output = Input> {
  /** The version of the interface. */
  readonly version: 1;
  /** The library that the schema comes from. */
  readonly vendor: string;
  /** Validates a value. Returns a promise if a part of the schema is async. */
  readonly validate: (
    value: unknown,
    options?: StandardSchemaOptions,
  ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
  /** The types. The property exists for the compiler only. */
  readonly types?: StandardSchemaTypes<Input, Output> | undefined;
}

/** Options of a validation. */
export interface StandardSchemaOptions {
  /** Options for a specific library. Our schemas accept those of `parse`. */
  readonly libraryOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** The input and output type of a schema. */
export interface StandardSchemaTypes<Input = unknown, Output = Input> {
  /** The input type. */
  readonly input: Input;
  /** The output type. */
  readonly output: Output;
}

/** The result of a validation: the value, or the issues. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** A problem with a value. */
export interface StandardSchemaIssue {
  /** The message for the user. */
  readonly message: string;
  /** The path in the value, as keys or as objects with a key. */
  readonly path?:
    | readonly (PropertyKey | { readonly key: PropertyKey })[]
    | undefined;
}

/** The input type of a schema. */
export type InferInput<Source extends StandardSchemaV1> = NonNullable<
  Source["~standard"]["types"]
>["input"];

/** The output type of a schema. */
export type InferOutput<Source extends StandardSchemaV1> = NonNullable<
  Source["~standard"]["types"]
>["output"];
