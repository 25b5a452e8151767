/**
 * An OAuth 2.1 authorization server for the users of an application: MCP clients,
 * command-line programs, native applications and partners.
 *
 * @module
 */
export type {
  ConnectedApps,
  Grant,
  GrantClient,
  GrantFilter,
  GrantsOptions,
  UserSource,
} from "../auth/internal.ts";
export type {
  ClientAuthentication,
  ClientGrant,
  RegisteredClient,
  RegisteredClients,
} from "./clients/client.ts";
export type {
  ClientDocumentOptions,
  RegistrationOptions,
} from "./clients/options.ts";
export { registrationEndpoint } from "./clients/registration_endpoint.ts";
export { deviceGrant } from "./device/device_grant.ts";
export {
  type DPoPTokenRequest,
  dpopTokens,
  type DPoPTokensOptions,
} from "./dpop/dpop_tokens.ts";
export { introspectionEndpoint } from "./introspection/introspection_endpoint.ts";
export {
  jwtAccessTokens,
  type JWTAccessTokensOptions,
} from "./jwt/jwt_access_tokens.ts";
export type { SigningKey } from "./jwt/signing_keys.ts";
export { createAuthorizationServer } from "./create_authorization_server.ts";
export { english } from "./messages/english.ts";
export { englishDevice } from "./messages/english_device.ts";
export { german } from "./messages/german.ts";
export type {
  DeviceMessages,
  ErrorReason,
  ServerMessages,
} from "./messages/messages.ts";
export type {
  AuthorizationServer,
  DeviceRoutes,
  ResourceOptions,
  ScopesOf,
  ServerRoutes,
} from "./authorization_server.ts";
export type {
  AuthorizationServerOptions,
  DeviceGrant,
  DPoPTokens,
  GrantEvent,
  IntrospectionEndpoint,
  JWTAccessTokens,
  RegistrationEndpoint,
  ResourceOf,
  Resources,
  ServerLifetimes,
  ServerPaths,
} from "./options.ts";
export type {
  ConsentPage,
  ConsentScope,
  DevicePage,
  ErrorPage,
  Page,
  ServerPages,
} from "./pages/page_options.ts";
