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
  const { clientId, clientSecret, endpoint, privateKey } = introspection;
  const authentication = introspection.clientAuthentication;
  checkURL(issuer, allowInsecureLoopback, owner);
  checkURL(endpoint ?? issuer, allowInsecureLoopback, owner);
  const credentials = { clientId, clientSecret, privateKey };
  const client = { ...credentials, authentication, rawBasic: false };
  const parse = (body: JSONObject) =>
    parseIntrospectionMetadata(body, issuer, allowInsecureLoopback);
  const metadata = endpoint !== undefined
    ? () => Promise.resolve({ issuer, token_endpoint: endpoint })
    : discover(issuer, options, parse, true);
  return async (token) => {
    const known = await metadata();
    const proof = await authenticateClient(client, known, now());
    const form = { token, token_type_hint: "access_token" };
    const { body, status } = await fetchJSON(options, {
      url: known.token_endpoint,
      headers: proof.headers,
      form: new URLSearchParams({ ...form, ...proof.params }),
      secrets: [token, ...proof.secrets],
      code: "introspection_failed",
      errorPrefix: `Cannot introspect a token of "${issuer}"`,
    });
    if (status === 200 && typeof (body as JSONObject).active === "boolean") {
      return body as JSONObject;
    }
    throw responseError(issuer, status);
  };
}

function checkURL(
  url: string,
  allowInsecureLoopback: boolean,
  owner: string,
): void {
  const parsed = URL.parse(url);
  if (parsed && isSecureURL(parsed, allowInsecureLoopback)) return;
  throw new TypeError(`Cannot create ${owner}: "${url}" is not an https URL`);
}

function responseError(issuer: string, status: number): ExternalAuthError {
  const more = status === 200 ? ", but no member active" : "";
  return new ExternalAuthError(
    "introspection_failed",
    `Cannot introspect a token of "${issuer}": the response has status ${status}${more}`,
    { status },
  );
}
