import { authenticateClient } from "../../external/client_authentication.ts";
import {
  discover,
  ExternalAuthError,
  fetchJSON,
  isSecureURL,
  type JSONObject,
  parseIntrospectionMetadata,
  type ResolvedIssuerOptions,
} from "../../issuer/mod.ts";
import type { IntrospectionOptions } from "./options.ts";

/**
 * Creates a function that asks the issuer about a token (RFC 7662, section 2).
 * It throws an `ExternalAuthError` if there is no usable response.
 */
export function createRequest(
  issuer: string,
  introspection: IntrospectionOptions,
  options: ResolvedIssuerOptions,
  owner: string,
): (token: string) => Promise<JSONObject> {
  const { allowInsecureLoopback, now } = options;
  const { clientAuthentication, clientId, clientSecret, endpoint, privateKey } =
    introspection;
  for (const url of [issuer, endpoint ?? issuer]) {
    const parsed = URL.parse(url);
    if (parsed && isSecureURL(parsed, allowInsecureLoopback)) continue;
    throw new TypeError(`Cannot create ${owner}: "${url}" is not an https URL`);
  }
  const client = {
    clientId,
    clientSecret,
    privateKey,
    authentication: clientAuthentication,
    rawBasic: false,
  };
  const metadata = endpoint !== undefined
    ? () => Promise.resolve({ issuer, token_endpoint: endpoint })
    : discover(
      issuer,
      options,
      (body) => parseIntrospectionMetadata(body, issuer, allowInsecureLoopback),
      true,
    );
  return async (token) => {
    const known = await metadata();
    const credentials = await authenticateClient(client, known, now());
    const form = { token, token_type_hint: "access_token" };
    const { body, status } = await fetchJSON(options, {
      url: known.token_endpoint,
      headers: credentials.headers,
      form: new URLSearchParams({ ...form, ...credentials.params }),
      secrets: [token, ...credentials.secrets],
      code: "introspection_failed",
      errorPrefix: `Cannot introspect a token of "${issuer}"`,
    });
    if (status === 200 && typeof (body as JSONObject).active === "boolean") {
      return body as JSONObject;
    }
    throw new ExternalAuthError(
      "introspection_failed",
      `Cannot introspect a token of "${issuer}": the response has status ${status}${
        status === 200 ? ", but no member active" : ""
      }`,
      { status },
    );
  };
}
