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
} from "./clients/client.ts";
