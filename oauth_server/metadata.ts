import { ASYMMETRIC_ALGORITHMS } from "../auth/internal.ts";
import { INTROSPECTION_METHODS } from "./introspection/introspection_parts.ts";
import type { Settings } from "./settings.ts";
import { grantTypesOf } from "./token/token_endpoint.ts";

/** The methods of client authentication. */
const METHODS = ["none", ...INTROSPECTION_METHODS];

/**
 * Creates the metadata of a server. It names only what the server has.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414, section 2}
 */
export function metadataOf(
  settings: Settings,
): Readonly<Record<string, unknown>> {
  const { clients, device, introspection, issuer, paths, resources } = settings;
  const { origin } = new URL(issuer);
  const scopes = [...resources.values()]
    .flatMap((resource) => [...resource.scopes.keys()]);
  return {
    issuer,
    authorization_endpoint: origin + paths.authorize,
    token_endpoint: origin + paths.token,
    revocation_endpoint: origin + paths.revoke,
    ...device !== null &&
      { device_authorization_endpoint: origin + paths.deviceCode },
    ...introspection !== null && {
      introspection_endpoint: origin + paths.introspect,
      introspection_endpoint_auth_methods_supported: INTROSPECTION_METHODS,
      introspection_endpoint_auth_signing_alg_values_supported:
        ASYMMETRIC_ALGORITHMS,
    },
    ...clients.canRegister &&
      { registration_endpoint: origin + paths.register },
    scopes_supported: [...new Set([...scopes, "offline_access"])],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: grantTypesOf(settings),
    token_endpoint_auth_methods_supported: METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_signing_alg_values_supported:
      ASYMMETRIC_ALGORITHMS,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...clients.hasDocuments && { client_id_metadata_document_supported: true },
    protected_resources: [...resources.keys()],
  };
}
