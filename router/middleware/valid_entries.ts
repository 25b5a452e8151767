// This module declares the keys of validated input, and their types.
import type {
  AnyContextKey,
  ContextEntry,
  ContextKey,
  Middleware,
} from "../mod.ts";
// This is not imported from the entry, because bundlers would keep more of the
// router than this needs.
import { createContextKey } from "../context/context_key.ts";
import type { SchemaOutput } from "../routes/operation.ts";
import type { InputSchema, InputSchemas } from "./input_schema.ts";
import type { InputPart } from "./_problem.ts";

/** The type of input that no known middleware has validated. */
export interface Unvalidated<Part extends InputPart> {
  /** The part of the request. */
  readonly part: Part;
}

/** The key of the params that `validate` has validated. */
export const ValidParams: ContextKey<Unvalidated<"params">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"params">>(undefined, {
    name: "ValidParams",
  });

/** The key of the query that `validate` has validated. */
export const ValidQuery: ContextKey<Unvalidated<"query">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"query">>(undefined, {
    name: "ValidQuery",
  });

/** The key of the JSON body that `validate` has validated. */
export const ValidJSON: ContextKey<Unvalidated<"json">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"json">>(undefined, {
    name: "ValidJSON",
  });

/** The key of the form that `validate` has validated. */
export const ValidForm: ContextKey<Unvalidated<"form">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"form">>(undefined, {
    name: "ValidForm",
  });

/**
 * The key of the body that `validate` has validated, if it accepts both
 * JSON and a form.
 */
export const ValidBody: ContextKey<Unvalidated<"json" | "form">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"json" | "form">>(undefined, {
    name: "ValidBody",
  });

/** The entries of `validate`: each validated part with its key. */
export type ValidEntries<Schemas extends InputSchemas> = readonly [
  ...EntriesOfPart<Schemas, "params", typeof ValidParams>,
  ...EntriesOfPart<Schemas, "query", typeof ValidQuery>,
  ...EntriesOfBody<Schemas>,
];

/** The entry of the body; empty if it has no schema. */
export type EntriesOfBody<Schemas extends InputSchemas> = Schemas extends {
  readonly json: infer JSON extends InputSchema;
  readonly form: infer Form extends InputSchema;
} ? readonly [
    ContextEntry<typeof ValidBody, SchemaOutput<JSON> | SchemaOutput<Form>>,
  ]
  : readonly [
    ...EntriesOfPart<Schemas, "json", typeof ValidJSON>,
    ...EntriesOfPart<Schemas, "form", typeof ValidForm>,
  ];

/**
 * Unknown parts, such as a misspelled one, with a message for each. A function
 * that passes schemas to `validate` takes them in the same way:
 * `Schemas & OtherParts<Schemas>`.
 */
export type OtherParts<Schemas> = {
  readonly [
    Name in Exclude<keyof Schemas, InputPart>
  ]: `A request has no part "${Name & string}"`;
};

/** The entry of one part; empty if it has no schema. */
export type EntriesOfPart<
  Schemas extends InputSchemas,
  Part extends InputPart,
  Key extends AnyContextKey,
> = Schemas extends
  { readonly [Name in Part]: infer Schema extends InputSchema }
  ? readonly [ContextEntry<Key, SchemaOutput<Schema>>]
  : readonly [];

// The condition is always true. Without it, TypeScript would defer the type of a
// call in the middleware array of a controller's action, and lose the entries.
/** The middleware of `validate`, which provides the validated parts. */
export type ValidMiddleware<Schemas extends InputSchemas> = Schemas extends
  unknown ? Middleware<ValidEntries<Schemas>> : never;
