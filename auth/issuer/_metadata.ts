import { fetchJSON, type JSONObject } from "./_bounded_fetch.ts";
import { CachedDocument } from "./_cached_document.ts";
import { ExternalAuthError } from "./_errors.ts";
import type { ResolvedIssuerOptions } from "./_options.ts";
import { isSecureURL } from "./_secure_url.ts";

/**
 * The metadata of a provider, under the names of the standards.
 *
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata | OpenID Connect Discovery 1.0, section 3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414, section 2}
 */
export interface ProviderMetadata {
  /** The provider's identifier. */
  readonly issuer: string;
  /** The URL at which users log in. */
  readonly "authorization_endpoint": string;
  /** The URL that exchanges a code for tokens. */
  readonly "token_endpoint": string;
  /** The URL of the keys. */
  readonly "jwks_uri"?: string;
  /** The URL of the user's profile. */
  readonly "userinfo_endpoint"?: string;
  /** The URL that revokes tokens. */
  readonly "revocation_endpoint"?: string;
  /** The URL at which users log out. */
  readonly "end_session_endpoint"?: string;
  /** The URL for pushed authorization requests (RFC 9126). */
  readonly "pushed_authorization_request_endpoint"?: string;
  /** `true` if authorization requests must be pushed. */
  readonly "require_pushed_authorization_requests"?: boolean;
  /** The methods of client authentication. */
  readonly "token_endpoint_auth_methods_supported"?: readonly string[];
  /** The signature algorithms of ID tokens. */
  readonly "id_token_signing_alg_values_supported"?: readonly string[];
  /** The signature algorithms of userinfo. */
  readonly "userinfo_signing_alg_values_supported"?: readonly string[];
  /** `true` if the callback always has the parameter `iss` (RFC 9207). */
  readonly "authorization_response_iss_parameter_supported"?: boolean;
}

const REQUIRED = ["authorization_endpoint", "token_endpoint"] as const;

const OPTIONAL = [
  "jwks_uri",
  "userinfo_endpoint",
  "revocation_endpoint",
  "end_session_endpoint",
  "pushed_authorization_request_endpoint",
] as const;

const ARRAYS = [
  "token_endpoint_auth_methods_supported",
  "id_token_signing_alg_values_supported",
  "userinfo_signing_alg_values_supported",
] as const;

const FLAGS = [
  "require_pushed_authorization_requests",
  "authorization_response_iss_parameter_supported",
] as const;

/** The maximum number of elements of an array that are read. */
const MAX_ELEMENTS = 100;

/** Milliseconds for which metadata is fresh. */
const TTL = 3_600_000;

/** Milliseconds for which it is used while the provider is unavailable. */
const MAX_STALE = 86_400_000;

/**
 * Creates a function that returns an issuer's metadata, and caches it.
 *
 * @param forAPI `true` for an issuer of access tokens, which may support only
 * OAuth 2.0 and no logins.
 */
export function discover<Metadata>(
  issuer: string,
  options: ResolvedIssuerOptions,
  parse: (body: JSONObject) => Metadata,
  forAPI = false,
): () => Promise<Metadata> {
  const { cache, now } = options;
  const document = new CachedDocument({
    key: `gatehouse:metadata:${issuer}`,
    ttl: TTL,
    maxStale: MAX_STALE,
    cooldown: TTL,
    load: () => findMetadata(issuer, options, forAPI),
    parse,
    now,
    cache,
  });
  return () => document.get();
}

async function findMetadata(
  issuer: string,
  options: ResolvedIssuerOptions,
  forAPI: boolean,
): Promise<JSONObject> {
  // The slash at the end is removed (Discovery 1.0, section 4.1).
  const base = issuer.replace(/\/$/, "");
  const url = `${base}/.well-known/openid-configuration`;
  try {
    return await fetchMetadata(url, issuer, options);
  } catch (error) {
    const isMissing = error instanceof ExternalAuthError &&
      error.status === 404;
    if (!isMissing || !forAPI) throw error;
    // This path comes before that of the issuer, unlike the one of OpenID (RFC
    // 8414, section 3.1).
    const { origin } = new URL(issuer);
    const path = "/.well-known/oauth-authorization-server";
    const other = origin + path + base.slice(origin.length);
    return await fetchMetadata(other, issuer, options);
  }
}

async function fetchMetadata(
  url: string,
  issuer: string,
  options: ResolvedIssuerOptions,
): Promise<JSONObject> {
  const { body, status } = await fetchJSON(options, {
    url,
    code: "discovery_failed",
    errorPrefix: `Cannot use the provider "${issuer}"`,
  });
  if (status === 200) return body as JSONObject;
  throw metadataError(issuer, `its metadata has status ${status}`, status);
}

/**
 * Parses the metadata of a provider at which users log in.
 *
 * @throws {ExternalAuthError} If it is invalid.
 */
export function parseMetadata(
  body: JSONObject,
  issuer: string,
  allowInsecureLoopback: boolean,
  isIssuer?: (value: string) => boolean,
): ProviderMetadata {
  const metadata: Record<string, unknown> = {
    issuer: readIssuer(body, issuer, isIssuer),
  };
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const url = readURL(body, name, issuer, allowInsecureLoopback);
    if (url !== undefined) metadata[name] = url;
  }
  for (const name of REQUIRED) {
    if (metadata[name] === undefined) {
      throw metadataError(issuer, `its metadata has no "${name}"`);
    }
  }
  for (const name of ARRAYS) {
    const strings = readStrings(body, name);
    if (strings !== undefined) metadata[name] = strings;
  }
  for (const name of FLAGS) metadata[name] = readOwn(body, name) === true;
  return metadata as unknown as ProviderMetadata;
}

/**
 * Parses the metadata of an issuer of access tokens. Only the URL of its keys is
 * used, so the endpoints for logins may be missing.
 *
 * @throws {ExternalAuthError} If it is invalid.
 */
export function parseKeysMetadata(
  body: JSONObject,
  issuer: string,
  allowInsecureLoopback: boolean,
): Pick<ProviderMetadata, "issuer" | "jwks_uri"> {
  const named = readIssuer(body, issuer);
  const url = readURL(body, "jwks_uri", issuer, allowInsecureLoopback);
  return { issuer: named, ...url !== undefined && { jwks_uri: url } };
}

/** The members that decide how a client authenticates to an endpoint. */
export type ClientMetadata = Pick<
  ProviderMetadata,
  "issuer" | "token_endpoint" | "token_endpoint_auth_methods_supported"
>;

/**
 * Parses the metadata of an issuer that introspects its tokens (RFC 8414).
 *
 * @throws {ExternalAuthError} If it is invalid.
 */
export function parseIntrospectionMetadata(
  body: JSONObject,
  issuer: string,
  allowInsecureLoopback: boolean,
): ClientMetadata {
  const named = readIssuer(body, issuer);
  const name = "introspection_endpoint";
  const url = readURL(body, name, issuer, allowInsecureLoopback);
  if (url === undefined) {
    throw metadataError(issuer, `its metadata has no "${name}"`);
  }
  const methods = readStrings(body, `${name}_auth_methods_supported`) ??
    readStrings(body, "token_endpoint_auth_methods_supported");
  return {
    issuer: named,
    token_endpoint: url,
    ...methods && { token_endpoint_auth_methods_supported: methods },
  };
}

/**
 * Reads the issuer. It must be the one that the metadata was fetched for. If it
 * could differ, one provider could pose as another (Discovery 1.0, section 4.3;
 * RFC 8414, section 3.3).
 */
function readIssuer(
  body: JSONObject,
  issuer: string,
  isIssuer: (value: string) => boolean = (value) => value === issuer,
): string {
  const named = readOwn(body, "issuer");
  if (typeof named === "string" && isIssuer(named)) return named;
  throw metadataError(issuer, "its metadata names another issuer");
}

function readURL(
  body: JSONObject,
  name: string,
  issuer: string,
  allowInsecureLoopback: boolean,
): string | undefined {
  const value = readOwn(body, name) ?? undefined;
  if (value === undefined) return undefined;
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url !== null && isSecureURL(url, allowInsecureLoopback)) {
    return value as string;
  }
  throw metadataError(issuer, `"${name}" is not an https URL`);
}

function readStrings(body: JSONObject, name: string): string[] | undefined {
  const value = readOwn(body, name);
  return Array.isArray(value)
    ? value.slice(0, MAX_ELEMENTS)
      .filter((element) => typeof element === "string")
    : undefined;
}

function readOwn(body: JSONObject, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

function metadataError(issuer: string, reason: string, status?: number) {
  return new ExternalAuthError(
    "discovery_failed",
    `Cannot use the provider "${issuer}": ${reason}`,
    { status },
  );
}
