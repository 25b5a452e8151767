/**
 * Authentication: credentials such as email and password, and login at external
 * providers with OAuth 2.0 and OpenID Connect.
 *
 * @example A login by form
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   completeAuth,
 *   createCredentialsAuthProvider,
 *   verifyCredentials,
 * } from "@gatehouse/web/auth";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/middleware";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const password = createCredentialsAuthProvider({
 *   name: "password",
 *   parse: (context) => context.get(FormData).get("password"),
 *   verify: (password) => password === "s3cret" ? { id: 1 } : null,
 * });
 * const router = createRouter({ middleware: [formData(), session()] });
 * router.post("/login", async (context) => {
 *   const user = await verifyCredentials(password, context);
 *   if (user === null) return new Response("Wrong password", { status: 422 });
 *   await completeAuth(context, user.id);
 *   return redirect("/");
 * });
 *
 * const response = await router.fetch("https://example.com/login", {
 *   method: "POST",
 *   body: new URLSearchParams({ password: "s3cret" }),
 * });
 * assertEquals(response.status, 302);
 * ```
 *
 * @module
 */
export type { AuthMethod } from "./login/auth_method.ts";
export {
  completeAuth,
  type CompleteAuthOptions,
} from "./login/complete_auth.ts";
export {
  createCredentialsAuthProvider,
  type CredentialsAuthProvider,
  type CredentialsAuthProviderOptions,
  type CredentialsAuthResult,
  credentialsAuthResult,
  verifyCredentials,
} from "./login/credentials.ts";
export {
  type AuthorizationOptions,
  type BackChannelLogout,
  backChannelLogout,
  type BackChannelLogoutOptions,
  type ClientAuthentication,
  type ClientPrivateKey,
  createOAuthProvider,
  createOIDCAuthProvider,
  type EndSessionOptions,
  endSessionUrl,
  type ExternalAuthCache,
  externalAuthCallbacks,
  type ExternalAuthData,
  ExternalAuthError,
  type ExternalAuthErrorCode,
  type ExternalAuthErrorOptions,
  type ExternalAuthFailure,
  type ExternalAuthProvider,
  type ExternalAuthProviderOptions,
  type ExternalAuthRefresh,
  type ExternalAuthRefreshFailure,
  type ExternalAuthResult,
  externalAuthResult,
  type ExternalAuthRevocation,
  type ExternalAuthSuccess,
  type ExternalAuthTokens,
  finishExternalAuth,
  type IssuerOptions,
  type OAuthProviderOptions,
  type OIDCAuthProviderOptions,
  type OIDCOptions,
  type OIDCProfile,
  type ProfileOf,
  type ProviderMetadata,
  type RefreshableTokens,
  refreshExternalAuth,
  revokeExternalAuth,
  startExternalAuth,
  type StartExternalAuthOptions,
} from "./external/mod.ts";
export {
  type CodeHostAuthProviderOptions,
  type CodeHostProfile,
  createAuth0AuthProvider,
  createCodeHostAuthProvider,
  createFacebookAuthProvider,
  createGitHubAuthProvider,
  createGoogleAuthProvider,
  createIdentityCloudAuthProvider,
  createMicroblogAuthProvider,
  createMicrosoftAuthProvider,
  createOfficeSuiteAuthProvider,
  createOktaAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createWorkforceIdAuthProvider,
  createXAuthProvider,
  type IdentityCloudAuthProviderOptions,
  type MicroblogProfile,
  type OfficeSuiteAuthProviderOptions,
  type PortalAuthProviderOptions,
  type SocialAuthProviderOptions,
  type SocialProfile,
  type WorkforceIdAuthProviderOptions,
} from "./providers/mod.ts";
export {
  createOneTimeToken,
  type OneTimeTokenGrant,
  type OneTimeTokenOptions,
  type OneTimeTokenUse,
  readOneTimeToken,
  revokeOneTimeTokens,
  takeOneTimeToken,
} from "./issued_tokens/one_time_token.ts";
export { createEmailThrottle } from "./throttle/email_throttle.ts";
export type { ThrottleLimit, ThrottleLimits } from "./throttle/limits.ts";
export {
  createThrottle,
  type Throttle,
  type ThrottleAttempt,
  type ThrottleOptions,
} from "./throttle/throttle.ts";
export {
  createToken,
  hashToken,
  isTokenShaped,
  type TokenOptions,
  verifyToken,
} from "./issued_tokens/api_token.ts";
export {
  tooManyRequests,
  type TooManyRequestsInit,
} from "./throttle/too_many_requests.ts";
