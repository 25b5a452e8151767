/**
 * Validates what a request brings along: params, query, a JSON or form body.
 *
 * @module
 */
import type {
  AnyContextKey,
  ContextEntry,
  ContextKey,
  Middleware,
  RequestContext,
  UntypedContextKey,
} from "../mod.ts";
// Not from the door: bundlers would keep more of the router than this needs.
import { createContextKey } from "../context/context_key.ts";
import { bound } from "./_body.ts";
import type { FormDataOptions } from "./form_data.ts";
import { FORM_BOUNDS } from "./_form_body.ts";
import { type Part, readParts } from "./_input.ts";
import type {
  InputResult,
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
} from "./input_schema.ts";
import { JSON_BOUNDS } from "./_json_body.ts";
import {
  type InputPart,
  type InvalidInput,
  type InvalidInputIssue,
  problemOf,
} from "./_problem.ts";

export type { FormDataOptions } from "./form_data.ts";
export type {
  InputPart,
  InputResult,
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
  InvalidInput,
  InvalidInputIssue,
};

/** The schemas of the parts of a request. A body is JSON or a form. */
export interface InputSchemas {
  /** What the params of the pattern must be. They come as texts. */
  readonly params?: InputSchema;
  /**
   * What the query must be. It comes as an object of texts: a name that is
   * repeated, or ends in `[]`, has a list of them.
   */
  readonly query?: InputSchema;
  /** What the JSON body must be. */
  readonly json?: InputSchema;
  /** What the form must be. It comes as the query does, with files. */
  readonly form?: InputSchema;
}

/** The type of input that nothing in front of a handler is known to validate. */
export interface Unvalidated<Part extends InputPart> {
  /** The part of the request. */
  readonly part: Part;
}

/** The key of the params that {@linkcode validate} let through. */
export const ValidParams: ContextKey<Unvalidated<"params">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"params">>(undefined, {
    name: "ValidParams",
  });

/** The key of the query that {@linkcode validate} let through. */
export const ValidQuery: ContextKey<Unvalidated<"query">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"query">>(undefined, {
    name: "ValidQuery",
  });

/** The key of the JSON body that {@linkcode validate} let through. */
export const ValidJSON: ContextKey<Unvalidated<"json">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"json">>(undefined, {
    name: "ValidJSON",
  });

/** The key of the form that {@linkcode validate} let through. */
export const ValidForm: ContextKey<Unvalidated<"form">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"form">>(undefined, {
    name: "ValidForm",
  });

/** What {@linkcode validate} provides: each part under its key, if validated. */
export type ValidEntries<Schemas extends InputSchemas> = readonly [
  ...EntriesOfPart<Schemas, "params", typeof ValidParams>,
  ...EntriesOfPart<Schemas, "query", typeof ValidQuery>,
  ...EntriesOfPart<Schemas, "json", typeof ValidJSON>,
  ...EntriesOfPart<Schemas, "form", typeof ValidForm>,
];

/**
 * Parts that no request has, such as a misspelt one, with a word about each. A
 * function of your own that hands schemas on takes them as `validate` does:
 * `Schemas & OtherParts<Schemas>`.
 */
export type OtherParts<Schemas> = {
  readonly [
    Name in Exclude<keyof Schemas, InputPart>
  ]: `A request has no part "${Name & string}"`;
};

/** What one schema provides; nothing where there is none for the part. */
export type EntriesOfPart<
  Schemas extends InputSchemas,
  Part extends InputPart,
  Key extends AnyContextKey,
> = Schemas extends
  { readonly [Name in Part]: infer Schema extends InputSchema } ? readonly [
    ContextEntry<Key, NonNullable<Schema["~standard"]["types"]>["output"]>,
  ]
  : readonly [];

/** Options for {@linkcode validate}. Those of {@linkcode formData} bound forms. */
export interface ValidateOptions extends FormDataOptions {
  /**
   * Answers a request whose input is not valid, for instance with the form and
   * its messages. Nothing means the default. Where a form was asked for,
   * `context.get(FormData)` holds what came of it.
   *
   * @default {a problem as `application/problem+json` (RFC 9457)}
   */
  readonly onInvalid?: (
    invalid: InvalidInput,
    context: RequestContext,
  ) => Response | undefined | Promise<Response | undefined>;
  /**
   * What the library of the schemas gets along with the values: of this
   * package's `data-schema`, the options of `parse`, such as the messages of
   * the request's language.
   *
   * @default {no options}
   */
  readonly libraryOptions?: (
    context: RequestContext,
  ) => Record<string, unknown>;
  /**
   * The largest body, in bytes.
   *
   * @default {1048576 for JSON, 2097152 for a form}
   */
  readonly maxBytes?: number;
  /**
   * How deep arrays and objects may nest in JSON.
   *
   * @default {100}
   */
  readonly maxDepth?: number;
}

/**
 * Creates a middleware that validates parts of a request, with schemas of any
 * library, and hands handlers what the schemas give.
 *
 * Handlers read it with `context.get(ValidParams)`, `ValidQuery`, `ValidJSON`
 * and `ValidForm`, typed by the schemas. Several such middleware go together, as
 * one for the params of a controller and one for the body of an action.
 *
 * A body that can't be read is answered 400, 408, 413 or 415, input that a
 * schema refuses 422 with all that is wrong. A JSON body must say that it is
 * JSON. Behind `formData()`, the form is the one that it read.
 *
 * @example A JSON body and a param
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { number, object, string } from "@gatehouse/web/data-schema";
 * import { uuid } from "@gatehouse/web/data-schema/checks";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { ValidJSON, ValidParams, validate } from "@gatehouse/web/validate-middleware";
 *
 * const router = createRouter();
 * const input = validate({
 *   params: object({ id: string().pipe(uuid()) }),
 *   json: object({ amount: number() }),
 * });
 * router.put("/orders/:id", { middleware: [input] }, (context) => {
 *   const { id } = context.get(ValidParams);
 *   const { amount } = context.get(ValidJSON);
 *   return new Response(`${id}: ${amount.toFixed(2)}`);
 * });
 *
 * const response = await router.fetch("https://example.com/orders/7", {
 *   method: "PUT",
 *   headers: { "Content-Type": "application/json" },
 *   body: JSON.stringify({ amount: "1" }),
 * });
 * assertEquals(response.status, 422);
 * assertEquals((await response.json()).errors, [
 *   { in: "params", pointer: "#/id", detail: "Invalid UUID" },
 *   { in: "json", pointer: "#/amount", detail: "Expected number" },
 * ]);
 * ```
 *
 * @example A form that is shown again
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { flatten, string } from "@gatehouse/web/data-schema";
 * import { email } from "@gatehouse/web/data-schema/checks";
 * import { field, formValues, object } from "@gatehouse/web/data-schema/form-data";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { ValidForm, validate } from "@gatehouse/web/validate-middleware";
 *
 * const router = createRouter();
 * const input = validate({
 *   form: object({ email: field(string().pipe(email())) }),
 * }, {
 *   onInvalid({ status, issues }, context) {
 *     const typed = formValues(context.get(FormData));
 *     const { fields } = flatten(issues);
 *     return new Response(`${typed.email}: ${fields.email}`, { status });
 *   },
 * });
 * router.post("/newsletter", { middleware: [input] }, (context) => {
 *   return new Response(`Welcome, ${context.get(ValidForm).email}`);
 * });
 *
 * const response = await router.fetch("https://example.com/newsletter", {
 *   method: "POST",
 *   body: new URLSearchParams({ email: "ada" }),
 * });
 * assertEquals(await response.text(), "ada: Invalid email address");
 * ```
 *
 * @typeParam Schemas The schemas by part.
 * @param schemas The schema of each part that is validated.
 * @param options The answer and the bounds.
 * @returns The middleware.
 * @throws {TypeError} If there is no schema, one that is none, one for a part
 * that no request has, or one for JSON and one for a form.
 * @throws {RangeError} If a bound is no number of at least zero.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457 | RFC 9457, Problem Details for HTTP APIs}
 */
export function validate<Schemas extends InputSchemas>(
  schemas: Schemas & OtherParts<Schemas>,
  options: ValidateOptions = {},
): Middleware<ValidEntries<Schemas>> {
  const parts = partsOf(schemas);
  const { onInvalid, libraryOptions } = options;
  const bounds = {
    json: bound(JSON_BOUNDS, options),
    form: bound(FORM_BOUNDS, options),
  };
  return async (context, next) => {
    const passed = { libraryOptions: libraryOptions?.(context) };
    const outputs = await readParts(parts, context, bounds, passed);
    if (!Array.isArray(outputs)) {
      return await onInvalid?.(outputs, context) ?? problemOf(outputs);
    }
    parts.forEach(({ key }, index) => context.set(key, outputs[index]));
    return next();
  };
}

function partsOf(schemas: InputSchemas): readonly Part[] {
  if (schemas.json !== undefined && schemas.form !== undefined) {
    throw new TypeError(
      "Cannot validate input: the body is JSON or a form, not both",
    );
  }
  // Input under a misspelt name would be let through unseen.
  const other = Object.keys(schemas).find((name) => !Object.hasOwn(KEYS, name));
  if (other !== undefined) {
    throw new TypeError(`Cannot validate input: there is no part "${other}"`);
  }
  const parts: Part[] = [];
  for (const name of Object.keys(KEYS) as InputPart[]) {
    const schema = schemas[name];
    if (schema === undefined) continue;
    if (typeof schema?.["~standard"]?.validate !== "function") {
      throw new TypeError(
        `Cannot validate input: the schema for "${name}" is no Standard Schema`,
      );
    }
    parts.push({ name, key: KEYS[name] as UntypedContextKey, schema });
  }
  if (parts.length > 0) return parts;
  throw new TypeError("Cannot validate input: there is no schema");
}

const KEYS = {
  params: ValidParams,
  query: ValidQuery,
  json: ValidJSON,
  form: ValidForm,
};
