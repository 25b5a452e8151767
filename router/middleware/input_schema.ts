/**
 * A schema of any library that speaks Standard Schema: this package's
 * `data-schema`, Zod, Valibot, ArkType and others.
 *
 * @see {@link https://standardschema.dev | Standard Schema, version 1}
 */
export interface InputSchema {
  /** What the schema offers to whoever takes schemas of any library. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** Validates a value. */
    readonly validate: (
      value: unknown,
      options?: InputSchemaOptions,
    ) => InputResult | Promise<InputResult>;
    /** The types, for the compiler alone. */
    readonly types?: { readonly output: unknown } | undefined;
  };
}

/** What a caller may pass along with the value. */
export interface InputSchemaOptions {
  /** Options that only the schema's own library understands. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** What a schema makes of a value, or what is wrong with it. */
export type InputResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly InputResultIssue[] };

/** One thing that is wrong, as the schema says it. */
export interface InputResultIssue {
  /** What to tell the user. */
  readonly message: string;
  /** Where in the value it is. */
  readonly path?:
    | readonly (PropertyKey | { readonly key: PropertyKey })[]
    | undefined;
  /** The name of the form field, where the schema tells it. */
  readonly field?: string;
}
