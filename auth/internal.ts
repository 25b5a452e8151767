/**
 * Parts of authentication that other folders need as well. Most of them are part of
 * the public API: they are here because `mod.ts` would add the providers and their
 * cryptography to each bundle.
 *
 * @module
 */
export type {
  ConnectedApps,
  Grant,
  GrantClient,
  GrantFilter,
  GrantsOptions,
  UserSource,
} from "./issued_tokens/connected_apps.ts";
export { type KeyVerification, ProofVerifier } from "./dpop/verifier.ts";
export {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "./issued_tokens/one_time_token.ts";
export {
  ASYMMETRIC_ALGORITHMS,
  decodeClaims,
  ExternalAuthError,
  fetchJSON,
  type JSONObject,
  keysOfIssuer,
  onceForEach,
  parseKeys,
  type ProviderKeys,
  resolveIssuerOptions,
  signJWT,
  thumbprintOf,
  verifyJWT,
  verifyMessage,
  verifyWithKeys,
} from "./issuer/mod.ts";
export {
  type CompleteProvedLogin,
  createCompleteProvedLogin,
  type LoginFactors,
  type ProvedLogin,
} from "./second_factor/proved_login.ts";
export { createSecondFactorsWith } from "./second_factor/create_second_factors.ts";
export { accountsOfDevices } from "./store/new_devices.ts";
export { FinishedLogin } from "./login/login_names.ts";
export { flowOf } from "./external/provider.ts";
export { completeAuth } from "./login/complete_auth.ts";
export { currentSession } from "./login/current_session.ts";
export {
  addPendingStep,
  changePendingStep,
  findPendingStep,
  isExpired,
  type PendingStep,
  withinBounds,
} from "./login/pending_steps.ts";
export { PROOF_ERRORS } from "./middleware/token_binding.ts";
export { denialOf } from "./middleware/require_own_login.ts";
export {
  createCredentialsAuthProvider,
  type CredentialsAuthProvider,
  credentialsAuthResult,
} from "./login/credentials.ts";
export { settingsOf as passwordSettingsOf } from "./password/options.ts";
export { encodeBase32 } from "./second_factor/base32.ts";
export { checkedCaller } from "./store/checked_caller.ts";
export { canonicalName } from "./store/account_name.ts";
export { createEmailThrottle } from "./throttle/email_throttle.ts";
export { createThrottle, type Throttle } from "./throttle/throttle.ts";
export { tooManyRequests } from "./throttle/too_many_requests.ts";
