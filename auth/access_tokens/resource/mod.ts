/**
 * Protects an API with the access tokens of any issuer: metadata, tokens, scopes
 * and challenges of an OAuth 2.0 protected resource.
 *
 * @example An API behind an identity provider
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { auth } from "@gatehouse/web/auth-middleware";
 * import { createResourceServer } from "@gatehouse/web/auth/resource";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const api = createResourceServer({
 *   name: "notes",
 *   resource: "https://api.example/notes",
 *   issuers: [{ issuer: "https://id.example" }],
 *   scopes: ["notes:read", "notes:write"],
 *   verify: ({ iss, sub }) => ({ id: `${iss} ${sub}` }),
 * });
 * const router = createRouter({
 *   middleware: [api.metadata, auth({ schemes: [api.scheme] })],
 * });
 * router.post(
 *   "/notes",
 *   { middleware: [api.requireScope("notes:write")] },
 *   () => new Response(null, { status: 201 }),
 * );
 *
 * const response = await router.fetch("https://api.example/notes", {
 *   method: "POST",
 * });
 * assertEquals(response.status, 401);
 * assertEquals(
 *   response.headers.get("WWW-Authenticate"),
 *   'Bearer realm="notes", resource_metadata="' +
 *     "https://api.example/.well-known/oauth-protected-resource/notes" +
 *     '", scope="notes:write"',
 * );
 * ```
 *
 * @module
 */
export type {
  AccessTokenClaims,
  AccessTokenProblem,
  AccessTokenVerification,
  ExternalAuthCache,
  ExternalAuthError,
  ExternalAuthErrorCode,
  IssuerOptions,
} from "../../issuer/mod.ts";
export type {
  IntrospectedIssuer,
  TokenIntrospection,
} from "../introspection/options.ts";
export type {
  BoundToken,
  DPoPVerification,
  DPoPVerifier,
} from "../../middleware/dpop_verifier.ts";
export type { DPoPOptions } from "../../middleware/token_binding.ts";
export type {
  ResourceMetadata,
  ResourceServer,
  ResourceServerOptions,
  TokenIssuer,
} from "./options.ts";
export { createResourceServer } from "./resource_server.ts";
