/**
 * The names of the router, sessions, the log and logins that the README, Getting
 * started or several pages of the guide import, with the keys of the context that
 * their middleware sets. Each entry, such as `@gatehouse/web/auth`, has all names of
 * its part.
 *
 * @example A page for users only
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   Auth,
 *   auth,
 *   createRouter,
 *   createSessionAuthScheme,
 *   requireAuth,
 *   session,
 * } from "@gatehouse/web";
 *
 * const users = new Map([[1, { id: 1, name: "Ada" }]]);
 * const scheme = createSessionAuthScheme({
 *   name: "session",
 *   verify: (id: string | number) => users.get(Number(id)) ?? null,
 * });
 * const router = createRouter({
 *   middleware: [session(), auth({ schemes: [scheme] })],
 * });
 * router.get(
 *   "/account",
 *   { middleware: [requireAuth()] },
 *   (context) => new Response(`Hello ${context.get(Auth).name}`),
 * );
 *
 * const response = await router.fetch("https://example.com/account");
 * assertEquals(response.status, 401);
 * ```
 *
 * @module
 */
export {
  type ContextEntry,
  createContextKey,
  createRouter,
  HTTPError,
  type Middleware,
  platformKey,
  redirect,
  RequestContext,
  safeRedirectPath,
} from "./router/mod.ts";
export {
  bodyLimit,
  createLifecycle,
  crossOriginProtection,
  formData,
  secureHeaders,
  validate,
  ValidBody,
  ValidForm,
  ValidJSON,
  ValidParams,
  ValidQuery,
} from "./router/middleware/mod.ts";
export { eventStream, html, respond } from "./router/content/mod.ts";
export {
  createCookieSessionStore,
  createMemorySessionStore,
  Session,
  type SessionStore,
  userSessions,
} from "./session/mod.ts";
export { session } from "./session/middleware.ts";
export { batchOutput, Log, logger } from "./logger/mod.ts";
export {
  completeAuth,
  createCredentialsAuthProvider,
  createEmailThrottle,
  createOIDCAuthProvider,
  createOneTimeToken,
  createThrottle,
  createToken,
  credentialsAuthResult,
  externalAuthResult,
  hashToken,
  isTokenShaped,
  readOneTimeToken,
  startExternalAuth,
  takeOneTimeToken,
  tooManyRequests,
  verifyCredentials,
} from "./auth/mod.ts";
export {
  Auth,
  auth,
  createBearerTokenAuthScheme,
  createSessionAuthScheme,
  redirectToLogin,
  requireAuth,
  requireFreshAuth,
  requireRole,
  requireScope,
} from "./auth/middleware/mod.ts";
export {
  createPasswordQueue,
  hashPassword,
  verifyPassword,
} from "./auth/password/mod.ts";
