/**
 * The router: it maps requests to handlers with middleware around them, based on
 * the standard `Request` and `Response`.
 *
 * @example A server in four lines
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const router = createRouter();
 * router.get("/", () => new Response("Hello"));
 * // Deno.serve(router.fetch), Bun.serve({ fetch: router.fetch }), or on Workers
 * // export default { fetch: router.fetch }
 *
 * const response = await router.fetch("https://example.com/");
 * assertEquals(await response.text(), "Hello");
 * ```
 *
 * @module
 */
export type {
  Action,
  ActionObject,
  BuildAction,
  Controller,
  ControllerActions,
  MiddlewareOptions,
  NestedController,
  ParamsOf,
  RequestHandler,
  RouteAction,
  RouteTarget,
} from "./action.ts";
export { createRouter } from "./create_router.ts";
export {
  type HandlerContext,
  type MatchedRoute,
  RequestContext,
  type RequestContextOptions,
} from "./context/context.ts";
export type {
  ContextEntries,
  ContextEntry,
  OrEarlier,
  Present,
  PresentAs,
  ProvidedGetters,
  ProvidedValue,
} from "./context/context_entry.ts";
export {
  type AnyContextKey,
  type ContextKey,
  type ContextKeyOptions,
  type ContextValue,
  createContextKey,
  type UntypedContextKey,
} from "./context/context_key.ts";
export {
  type AuthorizationCodeFlow,
  describeMiddleware,
  type MiddlewareDescription,
  type OAuthFlows,
  type SecurityScheme,
} from "./middleware/describe_middleware.ts";
export { MissingContextValueError } from "./errors/missing_context_value_error.ts";
export type {
  ErrorResponse,
  Problem,
  ProblemInit,
} from "./errors/error_response.ts";
export { HTTPError, type HTTPErrorOptions } from "./errors/http_error.ts";
export { prefersJSON } from "./errors/prefers_json.ts";
export { ArrayMatcher } from "./matching/array_matcher.ts";
export type { Match, Matcher } from "./matching/matcher.ts";
export type { RequestMethod, RouteMethod } from "./method.ts";
export type {
  ContextAfter,
  EntriesOfAll,
  Middleware,
  MiddlewareEntry,
  MiddlewareResult,
  NextFunction,
} from "./middleware.ts";
export type {
  CloseGroup,
  OriginNames,
  OriginPath,
  ParamNames,
  Params,
  ParamsByName,
  PlainParamNames,
  ReadParam,
} from "./pattern/params.ts";
export {
  type PatternInput,
  RoutePattern,
  type SearchInput,
} from "./pattern/route_pattern.ts";
export { MountPrefix } from "./context/mount_prefix.ts";
export { Platform, platformKey } from "./context/platform.ts";
export { redirect } from "./redirect.ts";
export type {
  MapRoutes,
  RegisterMethodRoute,
  RegisterRoute,
  RegisterWithMiddleware,
} from "./register.ts";
export type { TrustedProxies } from "./context/remote_address.ts";
export type {
  FetchFunction,
  MatchData,
  MountedFetch,
  MountTarget,
  RegisteredRoute,
  Router,
  RouterOptions,
} from "./router.ts";
export type { AnyRoute, RouteMap } from "./routes/route.ts";
export { safeRedirectPath } from "./safe_redirect_path.ts";
export { withHeaders } from "./with_headers.ts";
