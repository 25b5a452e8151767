/**
 * Validates the input of a request: params, query, a JSON or form body.
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
import { limitsOf } from "./_body.ts";
import type { FormDataOptions } from "./form_data.ts";
import { FORM_LIMITS } from "./_form_body.ts";
import { type Part, readParts } from "./_input.ts";
import type {
  InputResult,
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
} from "./input_schema.ts";
import { JSON_LIMITS } from "./_json_body.ts";
import {
  createProblem,
  type InputPart,
  type InvalidInput,
  type InvalidInputIssue,
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

/** The type of input that no known middleware has validated. */
export interface Unvalidated<Part extends InputPart> {
  /** The part of the request. */
  readonly part: Part;
}

/** The key of the params that {@linkcode validate} has validated. */
export const ValidParams: ContextKey<Unvalidated<"params">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"params">>(undefined, {
    name: "ValidParams",
  });

/** The key of the query that {@linkcode validate} has validated. */
export const ValidQuery: ContextKey<Unvalidated<"query">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"query">>(undefined, {
    name: "ValidQuery",
  });

/** The key of the JSON body that {@linkcode validate} has validated. */
export const ValidJSON: ContextKey<Unvalidated<"json">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"json">>(undefined, {
    name: "ValidJSON",
  });

/** The key of the form that {@linkcode validate} has validated. */
export const ValidForm: ContextKey<Unvalidated<"form">> =
  /* @__PURE__ */ createContextKey<Unvalidated<"form">>(undefined, {
    name: "ValidForm",
  });

/** The entries of {@linkcode validate}: each validated part with its key. */
export type ValidEntries<Schemas extends InputSchemas> = readonly [
  ...EntriesOfPart<Schemas, "params", typeof ValidParams>,
  ...EntriesOfPart<Schemas, "query", typeof ValidQuery>,
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
  { readonly [Name in Part]: infer Schema extends InputSchema } ? readonly [
    ContextEntry<Key, NonNullable<Schema["~standard"]["types"]>["output"]>,
  ]
  : readonly [];

/** Options for {@linkcode validate}. Those of {@linkcode formData} bound forms. */
export interface ValidateOptions extends FormDataOptions {
  /**
   * Responds to a request with invalid input, for example with the form and its
   * messages. `undefined` stands for the default response. If `form` has a schema,
   * `context.get(FormData)` is the form, or an empty one.
   *
   * @default {a problem as `application/problem+json` (RFC 9457)}
   */
  readonly onInvalid?: (
    invalid: InvalidInput,
    context: RequestContext,
  ) => Response | undefined | Promise<Response | undefined>;
  /**
   * Options for the library of the schemas. For this package's `data-schema`, they
   * are the options of `parse`, such as messages in the request's language.
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
   * The maximum nesting of arrays and objects in JSON.
   *
   * @default {100}
   */
  readonly maxDepth?: number;
}

/**
 * Creates a middleware that validates parts of a request, with schemas of any
 * library.
 *
 * Handlers read the outputs with `context.get(ValidParams)`, `ValidQuery`,
 * `ValidJSON` and `ValidForm`, typed by the schemas. Several such middleware can be
 * combined: one for the params of a controller, one for the body of an action.
 *
 * A body that can't be read gets a 400, 408, 413 or 415, and invalid input a 422
 * with all issues. A JSON body needs the content type of JSON. After `formData()`,
 * the form is the one that it has read.
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
 * @example Showing an invalid form again
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
 * @param options The response to invalid input, and the limits.
 * @returns The middleware.
 * @throws {TypeError} If schemas are missing, invalid, or for an unknown part, or
 * if both JSON and a form have one.
 * @throws {RangeError} If a limit is not a number of at least zero.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457 | RFC 9457, Problem Details for HTTP APIs}
 */
export function validate<Schemas extends InputSchemas>(
  schemas: Schemas & OtherParts<Schemas>,
  options: ValidateOptions = {},
): Middleware<ValidEntries<Schemas>> {
  const parts = partsOf(schemas);
  const { onInvalid, libraryOptions } = options;
  const limits = {
    json: limitsOf(JSON_LIMITS, options),
    form: limitsOf(FORM_LIMITS, options),
  };
  return async (context, next) => {
    const passed = { libraryOptions: libraryOptions?.(context) };
    const outputs = await readParts(parts, context, limits, passed);
    if (!Array.isArray(outputs)) {
      return await onInvalid?.(outputs, context) ??
        await context.createErrorResponse(createProblem(outputs), PROBLEM);
    }
    parts.forEach(({ key }, index) => context.set(key, outputs[index]));
    return next();
  };
}

/** A text cannot list the issues. */
const PROBLEM = { "Content-Type": "application/problem+json" };

function partsOf(schemas: InputSchemas): readonly Part[] {
  if (schemas.json !== undefined && schemas.form !== undefined) {
    throw new TypeError(
      "Cannot validate input: the body is JSON or a form, not both",
    );
  }
  // Input with a misspelled name would not be validated.
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
        `Cannot validate input: the schema for "${name}" is not a Standard Schema`,
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
