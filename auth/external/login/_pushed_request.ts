import {
  ExternalAuthError,
  type ExternalAuthErrorOptions,
  fetchJSON,
  type JSONObject,
  type ProviderMetadata,
} from "../../issuer/mod.ts";
import { authenticateClient } from "../client_authentication.ts";
import type { ProviderEngine } from "../engine.ts";
import { readErrorDetails } from "../provider_error.ts";

const CODE = "pushed_authorization_failed";
const PREFIX = "Cannot push the authorization request";

/**
 * Pushes an authorization request to the provider, so that the browser only
 * carries a reference.
 *
 * @returns The parameters that the browser carries.
 * @throws {ExternalAuthError} If the provider rejects the request.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9126#section-2 | RFC 9126, section 2}
 */
export async function pushRequest(
  engine: ProviderEngine<unknown>,
  metadata: ProviderMetadata,
  params: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { client, now } = engine;
  const { pushed_authorization_request_endpoint: url } = metadata;
  if (url === undefined) throw pushError("the provider has no endpoint for it");
  const credentials = await authenticateClient(client, metadata, now());
  const { state, nonce = "" } = params;
  const secrets = [state!, nonce, ...credentials.secrets];
  const { status, body } = await fetchJSON(engine, {
    url,
    headers: credentials.headers,
    form: new URLSearchParams({ ...params, ...credentials.params }),
    secrets,
    code: CODE,
    errorPrefix: PREFIX,
  });
  const { request_uri } = body as JSONObject;
  // Section 2.2 requires 201, but some providers send 200.
  if (status !== 201 && status !== 200) {
    throw pushError(`the endpoint answered ${status}`, {
      status,
      ...readErrorDetails(body as JSONObject, secrets),
    });
  }
  if (typeof request_uri !== "string" || !/^[!-~]{1,2048}$/.test(request_uri)) {
    throw pushError('"request_uri" is missing or malformed');
  }
  return { client_id: client.clientId, request_uri };
}

function pushError(
  reason: string,
  options?: ExternalAuthErrorOptions,
): ExternalAuthError {
  return new ExternalAuthError(CODE, `${PREFIX}: ${reason}`, options);
}
