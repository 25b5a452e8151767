import { fetchJSON, isSecureURL, type JSONObject } from "./_bounded_fetch.ts";
import type { Transport } from "./_bounded_fetch.ts";
import { unanswered } from "./_provider_error.ts";
import { ExternalAuthError } from "./errors.ts";
import type { ProviderMetadata } from "./metadata.ts";

const REQUIRED = ["authorization_endpoint", "token_endpoint"] as const;

const OPTIONAL = [
  "jwks_uri",
  "userinfo_endpoint",
  "revocation_endpoint",
  "end_session_endpoint",
  "pushed_authorization_request_endpoint",
] as const;

const LISTS = [
  "token_endpoint_auth_methods_supported",
  "id_token_signing_alg_values_supported",
  "userinfo_signing_alg_values_supported",
] as const;

const FLAGS = [
  "require_pushed_authorization_requests",
  "authorization_response_iss_parameter_supported",
] as const;

/** The most entries that are read of a list. */
const MAX_ENTRIES = 100;

/** Fetches what a provider says of itself. */
export async function fetchMetadata(
  transport: Transport,
  issuer: string,
): Promise<JSONObject> {
  // A slash at the end of the issuer is dropped (Discovery 1.0, section 4.1).
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  let answer;
  try {
    answer = await fetchJSON(transport, { url });
  } catch (cause) {
    throw unanswered(
      "discovery_failed",
      `Cannot use the provider "${issuer}"`,
      cause,
    );
  }
  const { status } = answer;
  if (status !== 200) {
    throw failure(issuer, `its metadata comes with status ${status}`, status);
  }
  return answer.body as JSONObject;
}

/**
 * Reads metadata of a provider where users log in.
 *
 * @throws {ExternalAuthError} If it is not usable.
 */
export function parseMetadata(
  body: JSONObject,
  issuer: string,
  allowInsecureLoopback: boolean,
  isIssuer?: (value: string) => boolean,
): ProviderMetadata {
  const metadata = readMetadata(body, issuer, allowInsecureLoopback, isIssuer);
  for (const name of REQUIRED) {
    if (metadata[name] === undefined) {
      throw failure(issuer, `its metadata has no "${name}"`);
    }
  }
  return metadata as ProviderMetadata;
}

/**
 * Reads metadata, whatever it lacks. Nothing of it is used unless it names the
 * very issuer that it was asked for: else one provider could pose as another
 * (Discovery 1.0, section 4.3; RFC 8414, section 3.3).
 *
 * @throws {ExternalAuthError} If it is not usable.
 */
export function readMetadata(
  body: JSONObject,
  issuer: string,
  allowInsecureLoopback: boolean,
  isIssuer: (value: string) => boolean = (value) => value === issuer,
): Partial<ProviderMetadata> & Pick<ProviderMetadata, "issuer"> {
  const own = (name: string) =>
    Object.hasOwn(body, name) ? body[name] : undefined;
  const named = own("issuer");
  if (typeof named !== "string" || !isIssuer(named)) {
    throw failure(issuer, "its metadata names another issuer");
  }
  const metadata: Record<string, unknown> & { issuer: string } = {
    issuer: named,
  };
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const value = own(name);
    if (value === undefined || value === null) continue;
    const url = typeof value === "string" ? URL.parse(value) : null;
    if (url === null || !isSecureURL(url, allowInsecureLoopback)) {
      throw failure(issuer, `"${name}" is not an https URL`);
    }
    metadata[name] = value;
  }
  for (const name of LISTS) {
    const value = own(name);
    if (!Array.isArray(value)) continue;
    metadata[name] = value.slice(0, MAX_ENTRIES)
      .filter((entry) => typeof entry === "string");
  }
  for (const name of FLAGS) metadata[name] = own(name) === true;
  return metadata;
}

function failure(issuer: string, state: string, status?: number) {
  return new ExternalAuthError(
    "discovery_failed",
    `Cannot use the provider "${issuer}": ${state}`,
    { status },
  );
}
