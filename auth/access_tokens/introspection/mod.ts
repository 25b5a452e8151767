/**
 * Asks an issuer about opaque access tokens (RFC 7662).
 *
 * @example An API behind an issuer of opaque tokens
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { auth, requireAuth } from "@gatehouse/web/auth-middleware";
 * import { createIntrospection } from "@gatehouse/web/auth/introspection";
 * import { createResourceServer } from "@gatehouse/web/auth/resource";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const introspection = createIntrospection({
 *   clientId: "notes-api",
 *   clientSecret: "s3cret",
 * });
 * const api = createResourceServer({
 *   name: "notes",
 *   resource: "https://api.example/notes",
 *   issuers: [{ issuer: "https://id.example", introspection }],
 *   verify: ({ sub }) => ({ id: sub }),
 * });
 * const router = createRouter({
 *   middleware: [api.metadata, auth({ schemes: [api.scheme] }), requireAuth()],
 * });
 *
 * const response = await router.fetch("https://api.example/notes");
 * assertEquals(response.status, 401);
 * ```
 *
 * @module
 */
export type { ClientPrivateKey } from "../../external/client_authentication.ts";
export type { ClientAuthentication } from "../../external/options.ts";
export type {
  AccessTokenClaims,
  AccessTokenProblem,
  AccessTokenVerification,
  ExternalAuthCache,
  ExternalAuthError,
  ExternalAuthErrorCode,
  IssuerOptions,
} from "../../issuer/mod.ts";
export { createIntrospection } from "./introspection.ts";
export type {
  IntrospectedIssuer,
  IntrospectionOptions,
  TokenIntrospection,
} from "./options.ts";
