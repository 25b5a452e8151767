/**
 * Describes the API of a router as an OpenAPI document, from the routes and the
 * middleware before them.
 *
 * @example The document of a router
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { openapi } from "@gatehouse/web/openapi";
 *
 * const router = createRouter();
 * router.get("/notes/:id", () => new Response());
 * const { document } = openapi(router, {
 *   info: { title: "Notes", version: "1.0.0" },
 * });
 * assertEquals(Object.keys(document.paths), ["/notes/{id}"]);
 * ```
 *
 * @module
 */
export type { OpenAPIObject } from "./_operation.ts";
export {
  type IncludedRoute,
  openapi,
  type OpenAPIContact,
  type OpenAPIDocument,
  type OpenAPIInfo,
  type OpenAPILicense,
  type OpenAPIOmission,
  type OpenAPIOptions,
  type OpenAPIResult,
  type OpenAPIRouter,
  type OpenAPIServer,
} from "./openapi.ts";
export { openapiPage, type OpenAPIPageOptions } from "./page.ts";
