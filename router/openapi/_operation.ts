// Writes routes as operations of OpenAPI.

import { titleOf } from "../errors/status_titles.ts";
import { SAFE_METHODS } from "../method.ts";
import type { MiddlewareDescription } from "../middleware/describe_middleware.ts";
import type { InputSchema } from "../middleware/input_schema.ts";
import {
  mediaTypesOf,
  type Operation,
  type OperationExamples,
  type ResponseDescription,
} from "../routes/operation.ts";
import type { JSONSchema } from "../../schema/mod.ts";
import type { OpenAPIPath } from "./_paths.ts";
import type { DocumentSchemas } from "./_schemas.ts";

/** An object of an OpenAPI document. */
export type OpenAPIObject = Readonly<Record<string, unknown>>;

/** The parts of an operation that its route does not describe. */
interface OperationParts {
  /** The middleware before the route. */
  readonly before: readonly MiddlewareDescription[];
  readonly method: string;
  /** An id that no other operation has, or `""`. */
  readonly operationId: string;
  readonly path: OpenAPIPath;
  /** The params, with their names in the document. */
  readonly params: OpenAPIPath["params"];
  readonly schemas: DocumentSchemas;
  readonly security: readonly OpenAPIObject[];
  /** The summary of an operation without one. */
  readonly title: string;
}

/** Writes a route as an operation. */
export function describeOperation(
  operation: Operation,
  parts: OperationParts,
): OpenAPIObject {
  const { before, method, operationId, params, path, schemas } = parts;
  const { deprecated, description, examples = {}, tags = [] } = operation;
  const input = inputOf(operation, before);
  const parameters = parametersOf(input, path, examples, schemas)
    .map((one, index) => ({ ...one, name: params[index]?.[0] ?? one.name }));
  const requestBody = bodyOf(input, examples, schemas);
  // Values that do not match a regexp group belong to the path of no route,
  // so the operation can respond with 404.
  const hasPattern = path.params.some(([, { pattern }]) => pattern);
  const errors = hasPattern ? [...before, { responses: { 404: "" } }] : before;
  const isSafe = SAFE_METHODS.includes(method);
  return {
    ...operationId !== "" && { operationId },
    summary: operation.summary ?? parts.title,
    ...description !== undefined && { description },
    ...tags.length > 0 && { tags },
    ...deprecated && { deprecated },
    ...parameters.length > 0 && { parameters },
    ...requestBody && { requestBody },
    responses: responsesOf(operation, errors, isSafe, schemas),
    security: parts.security,
  };
}

/** The schemas of the input of a route. */
interface Input {
  readonly params: readonly InputSchema[];
  readonly query: readonly InputSchema[];
  readonly json: InputSchema | undefined;
  readonly form: InputSchema | undefined;
  /** The media types of a body that the handler reads itself. */
  readonly types: readonly string[];
}

/** Collects the schemas of a route and of the middleware before it. */
function inputOf(
  operation: Operation,
  before: readonly MiddlewareDescription[],
): Input {
  const all = [operation, ...before.map(({ input = {} }) => input)];
  const list = (part: "params" | "query" | "json" | "form") => [
    ...new Set(all.map((one) => one[part]).filter((one) => one !== undefined)),
  ];
  const [[json], [form]] = [list("json"), list("form")];
  const types = mediaTypesOf(operation);
  return { params: list("params"), query: list("query"), json, form, types };
}

/** Writes the parameters of a path and a query. */
function parametersOf(
  { params, query }: Input,
  path: OpenAPIPath,
  examples: OperationExamples,
  schemas: DocumentSchemas,
): OpenAPIObject[] {
  const known = Object.assign(
    {},
    ...params.map((schema) => {
      return schemas.write(schema, "strings").properties;
    }),
  ) as Record<string, JSONSchema>;
  return [
    ...path.params.map(([name, schema]) => ({
      name,
      in: "path",
      required: true,
      schema: Object.hasOwn(known, name) ? merge(schema, known[name]!) : schema,
      ...exampleOf(examples.params, name),
    })),
    ...query.flatMap((schema) => queryOf(schemas.write(schema, "strings")))
      .map((one) => ({ ...one, ...exampleOf(examples.query, one.name) })),
  ];
}

/** Adds the pattern of a param to the schema of its value, if it is a string. */
function merge(pattern: JSONSchema, schema: JSONSchema): JSONSchema {
  return schema.type === "string" ? { ...pattern, ...schema } : schema;
}

function queryOf(schema: JSONSchema) {
  const { properties, required = [] } = schema;
  // A record has no property names, but its members are parameters, too.
  if (properties === undefined) {
    return [{ name: "query", in: "query", schema, style: "form" }];
  }
  return Object.entries(properties as Record<string, JSONSchema>).map(
    ([name, schema]) => {
      const isRequired = (required as readonly string[]).includes(name);
      return {
        name,
        in: "query",
        ...isRequired && { required: true },
        schema,
      };
    },
  );
}

function exampleOf(examples: unknown, name: string): { example?: unknown } {
  const known = Object(examples) as Record<string, unknown>;
  return Object.hasOwn(known, name) ? { example: known[name] } : {};
}

/** Writes the body of a request; `undefined` if it has none. */
function bodyOf(
  { form, json, types }: Input,
  examples: OperationExamples,
  schemas: DocumentSchemas,
): OpenAPIObject | undefined {
  // Bytes have no schema: OpenAPI 3.1.1, section 4.14.4.
  const content: Record<string, OpenAPIObject> = Object.fromEntries(
    types.map((type) => [type, {}]),
  );
  if (json !== undefined) {
    content["application/json"] = {
      schema: schemas.write(json, "json"),
      ..."json" in examples && { example: examples.json },
    };
  }
  if (form !== undefined) {
    const schema = schemas.write(form, "strings");
    const media = {
      schema,
      ..."form" in examples && { example: examples.form },
    };
    const hasFile = JSON.stringify(schema).includes('"contentMediaType"');
    if (!hasFile) content["application/x-www-form-urlencoded"] = media;
    content["multipart/form-data"] = media;
  }
  return Object.keys(content).length === 0
    ? undefined
    : { required: true, content };
}

/** Writes the declared responses, and the errors of the middleware before. */
function responsesOf(
  { responses = {} }: Operation,
  before: readonly MiddlewareDescription[],
  isSafe: boolean,
  schemas: DocumentSchemas,
): Record<string, OpenAPIObject> {
  const written: Record<string, OpenAPIObject> = {};
  for (const [status, declared] of Object.entries(responses)) {
    const described = "~standard" in declared ? { schema: declared } : declared;
    written[status] = responseOf(Number(status), described, schemas);
  }
  for (const { responses: errors = {}, unsafeOnly } of before) {
    if (unsafeOnly && isSafe) continue;
    for (const [status, description] of Object.entries(errors)) {
      written[status] ??= {
        description: description || titleOf(Number(status)),
        content: { "application/problem+json": { schema: PROBLEM } },
      };
    }
  }
  // A document without responses is invalid.
  if (Object.keys(written).length === 0) {
    written.default = { description: "The response" };
  }
  return written;
}

function responseOf(
  status: number,
  { contentType, description, example, schema }: ResponseDescription,
  schemas: DocumentSchemas,
): OpenAPIObject {
  const type = contentType ?? (schema && "application/json");
  const media = {
    ...schema && { schema: schemas.write(schema, "json") },
    ...example !== undefined && { example },
  };
  return {
    description: description ?? SUCCESSES[status] ??
      (status < 400 ? "The response" : titleOf(status)),
    ...type !== undefined && { content: { [type]: media } },
  };
}

const SUCCESSES: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
};

const PROBLEM = { $ref: "#/components/schemas/Problem" };

/** The schema of problem details (RFC 9457, section 3.1). */
export const PROBLEM_SCHEMA: OpenAPIObject = {
  type: "object",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          in: { enum: ["params", "query", "json", "form"] },
          pointer: { type: "string" },
          detail: { type: "string" },
        },
        required: ["in", "pointer", "detail"],
      },
    },
  },
  required: ["title", "status"],
};
