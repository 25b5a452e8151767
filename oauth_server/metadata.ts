import { ASYMMETRIC_ALGORITHMS } from "../auth/internal.ts";
import type { Settings } from "./settings.ts";
import { grantTypesOf } from "./token/token_endpoint.ts";

/** The methods of client authentication, of which `none` is not one. */
export const AUTHENTICATION_METHODS: readonly string[] = [
  "private_key_jwt",
  "client_secret_basic",
];

const METHODS = ["none", ...AUTHENTICATION_METHODS];

/**
 * Creates the metadata of a server. It names only what the server has.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414, section 2}
 */
export function metadataOf(
  settings: Settings,
): Readonly<Record<string, unknown>> {
  const { clients, dpop, issuer, parts, paths, resources } = settings;
  const { origin } = new URL(issuer);
  const scopes = [...resources.values()]
    .flatMap((resource) => [...resource.scopes.keys()]);
  return {
    issuer,
    authorization_endpoint: origin + paths.authorize,
    token_endpoint: origin + paths.token,
    revocation_endpoint: origin + paths.revoke,
    scopes_supported: [...new Set([...scopes, "offline_access"])],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: grantTypesOf(settings),
    token_endpoint_auth_methods_supported: METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_signing_alg_values_supported:
      ASYMMETRIC_ALGORITHMS,
    ...dpop && { dpop_signing_alg_values_supported: dpop.verifier.algorithms },
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...clients.hasDocuments && { client_id_metadata_document_supported: true },
    protected_resources: [...resources.keys()],
    ...Object.assign(
      {},
      ...parts.map((part) => part.metadata(origin + paths[part.path])),
    ),
  };
}
