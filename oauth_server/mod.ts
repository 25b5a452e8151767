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
export { deviceGrant } from "./device/device_grant.ts";
export { introspectionEndpoint } from "./introspection/introspection_endpoint.ts";
export { createAuthorizationServer } from "./create_authorization_server.ts";
export type {
  AuthorizationServer,
  AuthorizationServerOptions,
  ConsentPage,
  ConsentScope,
  DeviceGrant,
  DevicePage,
  DeviceRoutes,
  ErrorPage,
  GrantEvent,
  IntrospectionEndpoint,
  Page,
  ResourceOf,
  ResourceOptions,
  Resources,
  ScopesOf,
  ServerLifetimes,
  ServerPages,
  ServerPaths,
  ServerRoutes,
} from "./options.ts";
