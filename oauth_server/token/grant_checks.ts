import type { RequestContext } from "../../router/mod.ts";
import type { Client, ClientGrant, TokenRequest } from "../clients/client.ts";
import type { GrantRow } from "../grants/grant_store.ts";
import { isSameResource } from "../resource_url.ts";
import type { Settings } from "../settings.ts";
import { INVALID_GRANT, type TokenFailure } from "./token_response.ts";

/** The error of a client that is unknown or not authenticated. */
export const INVALID_CLIENT: TokenFailure = {
  error: "invalid_client",
  description: "The client is not authenticated",
  status: 401,
};

/** A request to the token endpoint or the revocation endpoint. */
export interface GrantRequest extends TokenRequest {
  readonly context: RequestContext;
  readonly settings: Settings;
}

/**
 * Checks that a request is that of the client of a code or grant. The grant is found
 * first, so a request without one never makes the server fetch the keys of a client.
 */
export async function checkClient(
  { form, headers, settings: { clients } }: GrantRequest,
  row: GrantRow,
): Promise<TokenFailure | null> {
  const claimed = form.get("client_id");
  if (claimed !== undefined && claimed !== row.client.id) return INVALID_GRANT;
  const client = await clients.ofGrant(row.client);
  if (client === null) return INVALID_GRANT;
  return await clients.authenticate({ form, headers }, client)
    ? null
    : INVALID_CLIENT;
}

/**
 * Returns the client of a request without a grant. Only a registered one can send it:
 * anyone can, and it must not make the server fetch a document.
 *
 * @param use The use that the client must have.
 */
export async function registeredClient(
  request: GrantRequest,
  use: ClientGrant,
): Promise<Client | TokenFailure> {
  const { clients } = request.settings;
  const id = clients.claimedId(request);
  const client = id === null ? null : await clients.find(id);
  if (client === null) return INVALID_CLIENT;
  if (client.source !== "registered" || !client.grants.includes(use)) {
    return {
      error: "unauthorized_client",
      description: `The client does not have the grant "${use}"`,
    };
  }
  return await clients.authenticate(request, client) ? client : INVALID_CLIENT;
}

/** Checks that a request is that of the client, and for the resource, of a row. */
export async function checkRequest(
  request: GrantRequest,
  row: GrantRow,
): Promise<TokenFailure | null> {
  return await checkClient(request, row) ?? checkResource(request, row);
}

/**
 * Returns the thumbprint of the key that the tokens of a request are bound to,
 * `undefined` for bearer tokens, or an error. Call it after all other checks: it uses
 * up the proof of the request, and without a proof of its key nothing may change.
 */
export async function checkKey(
  request: GrantRequest,
  row: GrantRow,
): Promise<string | undefined | TokenFailure> {
  const { dpop } = request.settings;
  if (dpop !== null) return await dpop.check(request, row);
  // A server that no longer has the option must not turn bound tokens into others.
  return row.thumbprint === undefined ? undefined : INVALID_GRANT;
}

/** Checks that a request names no other resource (RFC 8707, section 2.2). */
function checkResource(
  { form }: GrantRequest,
  row: GrantRow,
): TokenFailure | null {
  const resource = form.get("resource");
  return resource === undefined || isSameResource(resource, row.resource)
    ? null
    : {
      error: "invalid_target",
      description: "The grant is for another resource",
    };
}
