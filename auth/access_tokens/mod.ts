/**
 * APIs that accept the access tokens of any issuer: JWTs and opaque tokens,
 * metadata and scopes of an OAuth 2.0 protected resource, and DPoP (RFC 9449),
 * which binds a token to a key of its client.
 *
 * @example An API behind an identity provider
 * ```ts
 * import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
 * import { auth } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { assertEquals } from "@std/assert";
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
export {
  createDPoPBinding,
  createDPoPKey,
  createDPoPProof,
  createDPoPVerifier,
  type DPoPBinding,
  type DPoPKey,
  type DPoPRequest,
  type DPoPVerifierOptions,
  parseDPoPKey,
  readDPoPNonce,
  thumbprintOfDPoPKey,
} from "../dpop/mod.ts";
export type { ClientPrivateKey } from "../external/client_authentication.ts";
export type { ClientAuthentication } from "../external/options.ts";
export type {
  AccessTokenClaims,
  AccessTokenProblem,
  AccessTokenVerification,
  ExternalAuthCache,
  ExternalAuthError,
  ExternalAuthErrorCode,
  IssuerOptions,
} from "../issuer/mod.ts";
export type {
  BoundToken,
  DPoPVerification,
  DPoPVerifier,
} from "../middleware/dpop_verifier.ts";
export type { DPoPOptions } from "../middleware/token_binding.ts";
export { createIntrospection } from "./introspection/introspection.ts";
export type {
  IntrospectedIssuer,
  IntrospectionOptions,
  TokenIntrospection,
} from "./introspection/options.ts";
export { createJWTAuthScheme, type JWTAuthSchemeOptions } from "./jwt.ts";
export type {
  ResourceMetadata,
  ResourceServer,
  ResourceServerOptions,
  TokenIssuer,
} from "./resource/options.ts";
export { createResourceServer } from "./resource/resource_server.ts";
