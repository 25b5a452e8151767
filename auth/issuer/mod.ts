// The rest of `auth/` uses these identity providers and issuers to verify
// tokens.
export {
  type AccessTokenClaims,
  type AccessTokenOptions,
  type AccessTokenProblem,
  type AccessTokenVerification,
  checkClaims,
  createAccessTokenVerifier,
  onceForEach,
} from "./_access_token.ts";
export {
  fetchJSON,
  fetchJSONOrJWT,
  fetchStatus,
  type JSONObject,
  type ProviderRequest,
  type ProviderResponse,
  type SignedResponse,
} from "./_bounded_fetch.ts";
export type { CachedDocument } from "./_cached_document.ts";
export {
  ExternalAuthError,
  type ExternalAuthErrorCode,
  type ExternalAuthErrorOptions,
} from "./_errors.ts";
export {
  ASYMMETRIC_ALGORITHMS,
  decodeClaims,
  issuerOf,
  normalizeType,
  type SignedProof,
  signJWT,
  thumbprintOf,
  verifyJWT,
  verifyMessage,
  verifyProof,
} from "./_jwt.ts";
export { keysOf, keysOfIssuer, verifyWithKeys } from "./_key_refresh.ts";
export { parseKeys, type ProviderKeys } from "./_key_set.ts";
export {
  type ClientMetadata,
  discover,
  parseIntrospectionMetadata,
  parseMetadata,
  type ProviderMetadata,
} from "./_metadata.ts";
export {
  type ExternalAuthCache,
  type IssuerOptions,
  type ResolvedIssuerOptions,
  resolveIssuerOptions,
} from "./_options.ts";
export { messageOf, redact } from "./_request_error.ts";
export { RETRY_AFTER, RetryPause } from "./retry_pause.ts";
export { isSecureURL } from "./_secure_url.ts";
