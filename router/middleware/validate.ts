import type { Middleware, RequestContext, UntypedContextKey } from "../mod.ts";
import { describeMiddleware } from "./describe_middleware.ts";
import type { Operation } from "../routes/operation.ts";
import { limitsOf } from "./_body.ts";
import type { FormDataOptions } from "./form_data.ts";
import { FORM_LIMITS } from "./_form_body.ts";
import { type Part, readParts } from "./_input.ts";
import type { InputSchemas } from "./input_schema.ts";
import { JSON_LIMITS } from "./_json_body.ts";
import {
  createProblem,
  type InputPart,
  type InvalidInput,
} from "./_problem.ts";
import {
  type OtherParts,
  ValidBody,
  ValidForm,
  ValidJSON,
  type ValidMiddleware,
  ValidParams,
  ValidQuery,
} from "./valid_entries.ts";

/**
 * Options for {@linkcode validate}. The options of {@linkcode formData} limit
 * forms.
 */
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

/** A route with a description, such as one of a route map. */
export interface DescribedRoute<Description extends Operation = Operation> {
  /** The description. */
  readonly operation: Description;
}

/**
 * Creates a middleware that validates the input that a route describes.
 *
 * @example The schemas of a route map
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { object, string } from "@gatehouse/web/data-schema";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { post, route } from "@gatehouse/web/fetch-router/routes";
 * import { validate, ValidJSON } from "@gatehouse/web/middleware";
 *
 * const routes = route({
 *   notes: { create: post("/notes", { json: object({ text: string() }) }) },
 * });
 * const router = createRouter();
 * router.post(
 *   routes.notes.create,
 *   validate(routes.notes.create),
 *   (context) => new Response(context.get(ValidJSON).text),
 * );
 *
 * const response = await router.fetch("https://example.com/notes", {
 *   method: "POST",
 *   headers: { "Content-Type": "application/json" },
 *   body: JSON.stringify({ text: "Buy tea" }),
 * });
 * assertEquals(await response.text(), "Buy tea");
 * ```
 *
 * @typeParam Description The description of the route.
 * @param route The route.
 * @param options The response to invalid input, and the limits.
 * @returns The middleware.
 * @throws {TypeError} If the route describes no input, or a schema is invalid.
 * @throws {RangeError} If a limit is not a number of at least zero.
 */
export function validate<Description extends Operation>(
  route: DescribedRoute<Description>,
  options?: ValidateOptions,
): ValidMiddleware<Description>;
/**
 * Creates a middleware that validates parts of a request, with schemas of any
 * library.
 *
 * Handlers read the outputs with `context.get(ValidParams)`, `ValidQuery`,
 * `ValidJSON` and `ValidForm`, typed by the schemas. Several such middleware can be
 * combined: one for the params of a controller, one for the body of an action.
 *
 * With schemas for both `json` and `form`, a request has one of the two, and
 * handlers read it with `ValidBody`.
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
 * import { validate, ValidJSON, ValidParams } from "@gatehouse/web/middleware";
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
 * import {
 *   field,
 *   formValues,
 *   object,
 * } from "@gatehouse/web/data-schema/form-data";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { validate, ValidForm } from "@gatehouse/web/middleware";
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
 * @throws {TypeError} If schemas are missing, invalid, or for an unknown part.
 * @throws {RangeError} If a limit is not a number of at least zero.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457 | RFC 9457, Problem Details for HTTP APIs}
 */
export function validate<Schemas extends InputSchemas>(
  schemas: Schemas & OtherParts<Schemas>,
  options?: ValidateOptions,
): ValidMiddleware<Schemas>;
export function validate(
  source: InputSchemas | DescribedRoute,
  options: ValidateOptions = {},
): Middleware {
  const schemas = "operation" in source
    ? pickSchemas(source.operation)
    : source;
  const parts = partsOf(schemas);
  const { onInvalid, libraryOptions } = options;
  const limits = {
    json: limitsOf(JSON_LIMITS, options),
    form: limitsOf(FORM_LIMITS, options),
  };
  const middleware: Middleware = async (context, next) => {
    const passed = { libraryOptions: libraryOptions?.(context) };
    const outputs = await readParts(parts, context, limits, passed);
    if (!Array.isArray(outputs)) {
      return await onInvalid?.(outputs, context) ??
        await context.createErrorResponse(createProblem(outputs), PROBLEM);
    }
    parts.forEach(({ key }, index) => context.set(key, outputs[index]));
    return next();
  };
  const errors = parts.some(({ name }) => name === "json" || name === "form")
    ? BODY_ERRORS
    : { 422: "" };
  return describeMiddleware(middleware, {
    input: schemas,
    ...onInvalid === undefined && { responses: errors },
  });
}

/** The errors of a request with a body, as in `InvalidInput`. */
const BODY_ERRORS = { 400: "", 408: "", 413: "", 415: "", 422: "" };

/** A text cannot list the issues. */
const PROBLEM = { "Content-Type": "application/problem+json" };

function pickSchemas(
  { params, query, json, form }: Operation,
): InputSchemas {
  return { params, query, json, form } as InputSchemas;
}

function partsOf(schemas: InputSchemas): readonly Part[] {
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
    const part = { name, key: KEYS[name] as UntypedContextKey, schema };
    const last = parts.at(-1);
    if (name !== "form" || last?.name !== "json") parts.push(part);
    else {
      const key = ValidBody as UntypedContextKey;
      parts[parts.length - 1] = { ...last, key, form: part };
    }
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
