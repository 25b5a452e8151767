// The part of `@gatehouse/web/auth` for logins at external providers.
export {
  type ExternalAuthCache,
  ExternalAuthError,
  type ExternalAuthErrorCode,
  type ExternalAuthErrorOptions,
  type IssuerOptions,
  type ProviderMetadata,
} from "../issuer/mod.ts";
export {
  type BackChannelLogout,
  backChannelLogout,
  type BackChannelLogoutOptions,
} from "./back_channel_logout.ts";
export { externalAuthCallbacks } from "./callbacks.ts";
export type { ClientPrivateKey } from "./_client_authentication.ts";
export { type EndSessionOptions, endSessionUrl } from "./end_session_url.ts";
export {
  type ExternalAuthFailure,
  type ExternalAuthResult,
  externalAuthResult,
  finishExternalAuth,
} from "./finish.ts";
export { createOAuthProvider, type OAuthProviderOptions } from "./oauth.ts";
export {
  createOIDCAuthProvider,
  type OIDCAuthProviderOptions,
  type OIDCProfile,
} from "./oidc.ts";
export type {
  AuthorizationOptions,
  ClientAuthentication,
  ExternalAuthProviderOptions,
  OIDCOptions,
} from "./options.ts";
export type {
  ExternalAuthData,
  ExternalAuthProvider,
  ExternalAuthSuccess,
  ExternalAuthTokens,
  ProfileOf,
} from "./provider.ts";
export {
  type ExternalAuthRefresh,
  type RefreshableTokens,
  refreshExternalAuth,
} from "./refresh.ts";
export { type ExternalAuthRevocation, revokeExternalAuth } from "./revoke.ts";
export { startExternalAuth, type StartExternalAuthOptions } from "./start.ts";
