import type { JSONObject } from "../../auth/internal.ts";
import { isObject } from "../../session/internal.ts";
import type { Client, ClientAuthentication } from "./client.ts";
import { clientName } from "./_client_name.ts";
import { isRedirectURI } from "./redirect_uri.ts";

/** The content of a client's metadata document. */
export interface ClientDocument {
  readonly client: Client;
  /** The keys in the document itself. */
  readonly jwks: JSONObject | undefined;
}

/** The most redirect URIs of a client. */
export const MAX_REDIRECT_URIS = 20;

/** The grant types that the server may support, and our names for them. */
const GRANTS = {
  "authorization_code": "code",
  "urn:ietf:params:oauth:grant-type:device_code": "device",
} as const;

/**
 * Parses the metadata document of a client.
 *
 * It ignores redirect URIs and grant types that this server does not support, such
 * as those of the same client for other servers. It does not read logos or links,
 * because consent pages show none.
 *
 * @throws {Error} If the document is invalid, with the reason.
 */
export function parseClientDocument(
  body: JSONObject,
  { host, href: id }: URL,
): ClientDocument {
  if (body.client_id !== id) throw new Error("client_id is not its URL");
  // A secret that everyone can read must not look like one.
  if (Object.keys(body).some((name) => name.startsWith("client_secret"))) {
    throw new Error("it has a client secret");
  }
  const redirectUris = stringsOf(body.redirect_uris)
    .filter((uri) => isRedirectURI(uri)).slice(0, MAX_REDIRECT_URIS);
  if (redirectUris.length === 0) {
    throw new Error(
      "it has no redirect URI with https or on the loopback interface",
    );
  }
  const types = body.grant_types === undefined
    ? ["authorization_code"]
    : stringsOf(body.grant_types);
  const grants = Object.entries(GRANTS)
    .flatMap(([type, grant]) => types.includes(type) ? [grant] : []);
  if (grants.length === 0) throw new Error("it has no supported grant type");
  const client: Client = {
    id,
    name: clientName(body.client_name) ?? host,
    host,
    redirectUris,
    grants,
    trusted: false,
    source: "document",
    ...body.dpop_bound_access_tokens === true && { needsProof: true },
    ...authenticationOf(body, id),
  };
  const { jwks } = body;
  return { client, jwks: isObject(jwks) ? jwks : undefined };
}

/**
 * Returns the authentication of a client. Its method is a preference if the
 * document offers several: ChatGPT's prefers keys and offers `none`.
 *
 * @throws {Error} If it is not supported.
 */
function authenticationOf(
  body: JSONObject,
  id: string,
): Pick<Client, "authentication" | "isPublic"> {
  const { token_endpoint_auth_method: method = "none" } = body;
  const methods = [
    method,
    ...stringsOf(body.token_endpoint_auth_methods_supported),
  ];
  const isPublic = methods.includes("none");
  const keys = methods.includes("private_key_jwt") ? keysOf(body, id) : null;
  if (keys !== null) return { authentication: keys, isPublic };
  if (isPublic) return { authentication: "none", isPublic };
  throw new Error("it offers neither none nor private_key_jwt with keys");
}

/**
 * Returns the URL of a client's keys. That of keys in the document is the document
 * itself, so that a key which the client removes stops working for old grants too.
 */
function keysOf(
  { jwks, jwks_uri: uri }: JSONObject,
  id: string,
): Extract<ClientAuthentication, { readonly jwksUri: string }> | null {
  if (isObject(jwks)) return { jwksUri: id };
  const url = typeof uri === "string" && uri.length <= 2_000
    ? URL.parse(uri)
    : null;
  if (url?.protocol !== "https:" || url.username + url.password !== "") {
    return null;
  }
  return { jwksUri: url.href };
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.slice(0, 100).filter((one) => typeof one === "string")
    : [];
}
