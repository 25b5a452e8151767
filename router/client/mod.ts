/**
 * Calls the routes of a route map with types, in browsers, on servers and in
 * tests. It contains no server code.
 *
 * @example Calling a route in a test
 * ```ts
 * import { assert, assertEquals } from "@std/assert";
 * import { createClient } from "@gatehouse/web/client";
 * import { object, string } from "@gatehouse/web/data-schema";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { get, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const Note = object({ id: string(), text: string() });
 * const routes = route({
 *   notes: { show: get("/notes/:id", { responses: { 200: Note } }) },
 * });
 *
 * const router = createRouter();
 * router.get(routes.notes.show, ({ params }) => {
 *   return Response.json({ id: params.id, text: "Buy tea" });
 * });
 *
 * const client = createClient(routes, {
 *   baseUrl: "https://notes.example",
 *   fetch: router.fetch,
 * });
 * const result = await client.notes.show({ params: { id: "7" } });
 * assert(result.ok);
 * assertEquals(result.body.text, "Buy tea");
 * ```
 *
 * @module
 */
export { createClient } from "./create_client.ts";
export type {
  BodyInput,
  BytesBody,
  CallInput,
  CallOptions,
  Client,
  ClientFunction,
  ClientOptions,
  FormBody,
  FormValue,
  JSONBody,
  NoBody,
  ParamsInput,
  ParamValues,
  QueryInput,
  UnknownBody,
} from "./options.ts";
export type {
  BodyOf,
  BodyStream,
  ClientDeclaredFailure,
  ClientFailure,
  ClientFailureReason,
  ClientProblem,
  ClientResult,
  ClientSuccess,
  DeclaredResponses,
  DeclaredResult,
  HasSuccess,
  SchemaBody,
} from "./result.ts";
export { sessionState } from "./session_state.ts";
export type {
  SessionBody,
  SessionResult,
  SessionState,
  SessionStateOptions,
  SessionWindow,
} from "./session_state.ts";
