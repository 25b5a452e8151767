/**
 * What a provider says of itself, under the names of the standards.
 *
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata | OpenID Connect Discovery 1.0, section 3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-2 | RFC 8414, section 2}
 */
export interface ProviderMetadata {
  /** The provider's identifier. */
  readonly issuer: string;
  /** Where the user logs in. */
  readonly "authorization_endpoint": string;
  /** Where a code becomes tokens. */
  readonly "token_endpoint": string;
  /** Where the keys are. */
  readonly "jwks_uri"?: string;
  /** Where the profile is. */
  readonly "userinfo_endpoint"?: string;
  /** Where tokens are given back. */
  readonly "revocation_endpoint"?: string;
  /** Where the user logs out. */
  readonly "end_session_endpoint"?: string;
  /** Where requests are pushed (RFC 9126). */
  readonly "pushed_authorization_request_endpoint"?: string;
  /** Whether requests must be pushed. */
  readonly "require_pushed_authorization_requests"?: boolean;
  /** How clients can authenticate. */
  readonly "token_endpoint_auth_methods_supported"?: readonly string[];
  /** How ID tokens can be signed. */
  readonly "id_token_signing_alg_values_supported"?: readonly string[];
  /** The algorithms that userinfo can be signed with. */
  readonly "userinfo_signing_alg_values_supported"?: readonly string[];
  /** Whether the callback always carries `iss` (RFC 9207). */
  readonly "authorization_response_iss_parameter_supported"?: boolean;
}
