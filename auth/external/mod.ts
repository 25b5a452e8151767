// These are the exports of `@gatehouse/web/auth` for logins at external
// providers.
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
} from "./after_login/back_channel_logout.ts";
export { externalAuthCallbacks } from "./login/callbacks.ts";
export type { ClientPrivateKey } from "./client_authentication.ts";
export {
  type EndSessionOptions,
  endSessionUrl,
} from "./after_login/end_session_url.ts";
export {
  type ExternalAuthFailure,
  type ExternalAuthResult,
  externalAuthResult,
  finishExternalAuth,
} from "./login/finish.ts";
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
  type ExternalAuthRefreshFailure,
  type RefreshableTokens,
  refreshExternalAuth,
} from "./after_login/refresh.ts";
export {
  type ExternalAuthRevocation,
  revokeExternalAuth,
} from "./after_login/revoke.ts";
export {
  startExternalAuth,
  type StartExternalAuthOptions,
} from "./login/start.ts";
