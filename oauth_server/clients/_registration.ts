import { isObject } from "../../session/internal.ts";
import { clientName } from "./_client_name.ts";
import { isRedirectURI } from "./redirect_uri.ts";

/** The part of a registration that is stored. */
export interface Registration {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** `true` if it always binds its tokens to a key (RFC 9449, section 5.2). */
  readonly needsProof: boolean;
}

/** An error response (RFC 7591, section 3.2.2). */
export interface RegistrationError {
  readonly error: "invalid_client_metadata" | "invalid_redirect_uri";
  readonly error_description: string;
}

/** The most redirect URIs that a client can register. */
const MAX_REDIRECT_URIS = 10;

/**
 * Parses the request of a client that registers. Anyone can send it.
 *
 * The server replaces a method of authentication with a secret by `none`, which the
 * response says (RFC 7591, section 2): the client gets no secret.
 */
export function parseRegistration(
  body: unknown,
): Registration | RegistrationError {
  if (!isObject(body)) {
    return metadataError("The body is not a JSON object of at most 5 kB");
  }
  const {
    client_name: name,
    dpop_bound_access_tokens: isBound,
    grant_types: grants = ["authorization_code"],
    redirect_uris: uris,
    response_types: responses = ["code"],
    token_endpoint_auth_method: method = "none",
  } = body as Record<string, unknown>;
  if (
    !Array.isArray(uris) || uris.length === 0 ||
    uris.length > MAX_REDIRECT_URIS || !uris.every((uri) => isRedirectURI(uri))
  ) {
    return {
      error: "invalid_redirect_uri",
      error_description:
        `redirect_uris is not 1 to ${MAX_REDIRECT_URIS} URIs with https or on the loopback interface`,
    };
  }
  if (!Array.isArray(grants) || !grants.includes("authorization_code")) {
    return metadataError("grant_types does not contain authorization_code");
  }
  if (!Array.isArray(responses) || !responses.includes("code")) {
    return metadataError("response_types does not contain code");
  }
  if (method === "private_key_jwt" || typeof method !== "string") {
    return metadataError("token_endpoint_auth_method is not none");
  }
  const { host } = new URL(uris[0]);
  const needsProof = isBound === true;
  return { name: clientName(name) ?? host, redirectUris: uris, needsProof };
}

function metadataError(description: string): RegistrationError {
  return {
    error: "invalid_client_metadata",
    error_description: description,
  };
}
