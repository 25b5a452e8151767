/**
 * A schema of any library that implements Standard Schema: this package's
 * `data-schema`, Zod, Valibot, ArkType and others.
 *
 * @see {@link https://standardschema.dev | Standard Schema, version 1}
 */
export interface InputSchema {
  /** The interface that all these libraries share. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** Validates a value. */
    readonly validate: (
      value: unknown,
      options?: InputSchemaOptions,
    ) => InputResult | Promise<InputResult>;
    /** The types, for the compiler only. */
    readonly types?:
      | { readonly input: unknown; readonly output: unknown }
      | undefined;
  };
}

/** Options of a validation. */
export interface InputSchemaOptions {
  /** Options that only the schema's own library understands. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The output of a schema, or its issues. */
export type InputResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly InputResultIssue[] };

/** An issue of a value. */
export interface InputResultIssue {
  /** The message for the user. */
  readonly message: string;
  /** The keys that lead to the invalid part of the value. */
  readonly path?:
    | readonly (PropertyKey | { readonly key: PropertyKey })[]
    | undefined;
  /** The name of the form field, if the schema provides it. */
  readonly field?: string;
}

/** The schemas of the parts of a request. A body is JSON or a form. */
export interface InputSchemas {
  /** The schema of the params of the pattern, which are strings. */
  readonly params?: InputSchema;
  /**
   * The schema of the query. Its input is an object of strings. A name that is
   * repeated, or ends in `[]`, has an array of strings.
   */
  readonly query?: InputSchema;
  /** The schema of the JSON body. */
  readonly json?: InputSchema;
  /** The schema of the form. Its input is like that of the query, with files. */
  readonly form?: InputSchema;
}
