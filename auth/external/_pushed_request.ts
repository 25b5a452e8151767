import { fetchJSON, type JSONObject } from "./_bounded_fetch.ts";
import { proveClient } from "./_client_authentication.ts";
import type { ProviderEngine } from "./_engine.ts";
import { refusalOf, unanswered } from "./_provider_error.ts";
import { ExternalAuthError, type ExternalAuthErrorOptions } from "./errors.ts";
import type { ProviderMetadata } from "./metadata.ts";

/**
 * Pushes an authorization request to the provider, so that the browser carries
 * no more of it than a reference.
 *
 * @returns The parameters that the browser carries.
 * @throws {ExternalAuthError} If the provider does not take it.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9126#section-2 | RFC 9126, section 2}
 */
export async function pushRequest(
  { client, now, transport }: ProviderEngine<unknown>,
  metadata: ProviderMetadata,
  params: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { pushed_authorization_request_endpoint: url } = metadata;
  if (url === undefined) throw failure("the provider takes none");
  const proof = await proveClient(client, metadata, now());
  const { state, nonce = "" } = params;
  const secrets = [state!, nonce, ...proof.secrets];
  let answer;
  try {
    answer = await fetchJSON(transport, {
      url,
      headers: proof.headers,
      form: new URLSearchParams({ ...params, ...proof.params }),
      secrets,
    });
  } catch (cause) {
    throw unanswered(
      "pushed_authorization_failed",
      "Cannot push the authorization request",
      cause,
    );
  }
  const body = answer.body as JSONObject;
  const { request_uri } = body;
  // 201 by the section 2.2; some answer 200.
  if (answer.status !== 201 && answer.status !== 200) {
    const { status } = answer;
    throw failure(`the endpoint answered ${status}`, {
      status,
      ...refusalOf(body, secrets),
    });
  }
  if (typeof request_uri !== "string" || !/^[!-~]{1,2048}$/.test(request_uri)) {
    throw failure('"request_uri" is missing or malformed');
  }
  return { client_id: client.clientId, request_uri };
}

function failure(
  state: string,
  options?: ExternalAuthErrorOptions,
): ExternalAuthError {
  return new ExternalAuthError(
    "pushed_authorization_failed",
    `Cannot push the authorization request: ${state}`,
    options,
  );
}
