import type {
  Operation,
  OperationResponses,
  SchemaInput,
} from "../routes/operation.ts";
import type { InputSchema } from "../middleware/input_schema.ts";

/** The declared responses of a route. */
export type ResponsesOf<Description> = Description extends
  { readonly responses: infer Responses extends OperationResponses } ? Responses
  : never;

/** The body and the options of a declared response. */
export type RespondArguments<Response> = Response extends InputSchema
  ? [body: SchemaInput<Response>, init?: RespondInit]
  : Response extends { readonly schema: infer Schema extends InputSchema }
    ? [body: SchemaInput<Schema>, init?: RespondInit]
  : Response extends { readonly contentType: string }
    ? [body: BodyInit | null, init?: RespondInit]
  : [body?: null, init?: RespondInit];

/** Options for {@linkcode respond}. */
export interface RespondInit {
  /**
   * The headers of the response.
   *
   * @default {the content type}
   */
  readonly headers?: HeadersInit;
}

/**
 * Creates a response that a route declares, with the types of its schema. It does
 * not validate the body.
 *
 * @example A declared response
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { respond } from "@gatehouse/web/content";
 * import { object, string } from "@gatehouse/web/data-schema";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { get, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const Note = object({ text: string() });
 * const routes = route({
 *   note: get("/note", { responses: { 200: Note, 410: {} } }),
 * });
 * const router = createRouter();
 * router.get(
 *   routes.note,
 *   () => respond(routes.note, 200, { text: "Buy tea" }),
 * );
 *
 * const response = await router.fetch("https://example.com/note");
 * assertEquals(await response.json(), { text: "Buy tea" });
 * ```
 *
 * @typeParam Description The description of the route.
 * @typeParam Status The status code.
 * @param route The route.
 * @param status A declared status code.
 * @param args The body if the response has one, and the headers.
 * @returns The response.
 * @throws {TypeError} If the route does not declare the status code.
 */
export function respond<
  Description extends Operation,
  Status extends keyof ResponsesOf<Description> & number,
>(
  route: { readonly operation: Description },
  status: Status,
  ...args: RespondArguments<ResponsesOf<Description>[Status]>
): Response {
  const { responses = {} }: Operation = route.operation;
  const declared = responses[status];
  if (!Object.hasOwn(responses, status) || declared === undefined) {
    throw new TypeError(`Cannot respond with ${status}: it is not declared`);
  }
  const [body = null, { headers: given } = {}] = args as [
    unknown,
    RespondInit?,
  ];
  const headers = new Headers(given);
  const schema = "~standard" in declared ? declared : declared.schema;
  const type = "~standard" in declared ? undefined : declared.contentType;
  if (type !== undefined && !headers.has("Content-Type")) {
    headers.set("Content-Type", type);
  }
  return schema === undefined
    ? new Response(body as BodyInit | null, { status, headers })
    : Response.json(body, { status, headers });
}
