/**
 * Names for the URLs of an application: route maps, to register handlers and to
 * build links. They contain no server code, so browsers can import them.
 *
 * @example Building links
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { form, resources, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const routes = route({
 *   home: "/",
 *   login: form("login"),
 *   users: resources("users"),
 * });
 * assertEquals(routes.users.show.href({ id: "7" }), "/users/7");
 * ```
 *
 * @module
 */
export {
  form,
  type FormMethod,
  type FormOptions,
  type FormRoutes,
} from "./form.ts";
export {
  type CreateRoute,
  del,
  get,
  head,
  options,
  patch,
  type PathOf,
  post,
  put,
} from "./methods.ts";
export type {
  NoOperation,
  Operation,
  OperationCheck,
  OperationExamples,
  OperationResponses,
  ResponseDescription,
  SchemaInput,
  SchemaOutput,
} from "./operation.ts";
export {
  type OperationOf,
  resource,
  type ResourceMethod,
  type ResourceNames,
  type ResourceOperations,
  type ResourceOptions,
  type ResourceRoutes,
  type ResourceRows,
  resources,
  type ResourcesMethod,
  type ResourcesOptions,
  type ResourcesRoutes,
  type ResourcesTable,
  type ResourceTable,
} from "./resources.ts";
export {
  type BuildRouteMap,
  type JoinPatterns,
  route,
  type RouteDefinition,
  type RouteDefinitions,
} from "./route_map.ts";
export {
  type AnyRoute,
  type HrefArguments,
  type HrefParams,
  Route,
  type RouteMap,
} from "./route.ts";
export type {
  CloseGroup,
  OriginNames,
  OriginPath,
  ParamNames,
  Params,
  ParamsByName,
  PlainParamNames,
  ReadParam,
} from "../pattern/params.ts";
export {
  type PatternInput,
  RoutePattern,
  type SearchInput,
} from "../pattern/route_pattern.ts";
export type { RequestMethod, RouteMethod } from "../method.ts";
export type {
  InputResult,
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
} from "../middleware/input_schema.ts";
