/**
 * Small parts of the router that other folders need as well. Most of them are
 * not part of the public API. The others are here because `mod.ts` would add the
 * check of the runtime to each bundle.
 *
 * @module
 */
export { createContextKey } from "./context/context_key.ts";
export { Abandoned } from "./context/abandoned.ts";
export { preferredLanguage } from "./context/preferred_language.ts";
export { MountPrefix } from "./context/mount_prefix.ts";
export {
  addressBlockOf,
  addressBlocksOf,
  canonicalAddress,
  isPrivateNetwork,
  networkOf,
} from "./context/client_network.ts";
export {
  ADDRESS_HEADERS,
  FORWARDING_HEADERS,
  isLoopback,
  MAX_FORWARDING_HEADER,
} from "./context/remote_address.ts";
export { HTTPError } from "./errors/http_error.ts";
export { prefersJSON } from "./errors/prefers_json.ts";
export {
  describeMiddleware,
  descriptionOf,
} from "./middleware/describe_middleware.ts";
export { inTime } from "./in_time.ts";
export { checkPositive, MAX_TIMEOUT } from "./limits.ts";
export { mediaTypeOf } from "./content/media_type.ts";
export { isToken, SAFE_METHODS } from "./method.ts";
export { ActiveTrace, type TraceIds } from "./operation/active_trace.ts";
export { addContentType } from "./operation/add_content_type.ts";
export { cancelWithClient } from "./operation/cancel_with_client.ts";
export { RequestIds } from "./operation/request_ids.ts";
export {
  reportDenied,
  reportFailure,
  reportSecurityEvent,
  withReceiver,
} from "./operation/security_event.ts";
export { LaterWork } from "./operation/later_work.ts";
export { endsWithClient, waitUntilOf } from "./operation/wait_until.ts";
export { readBytes, readText } from "./read_bytes.ts";
export { redirect } from "./redirect.ts";
export { safeRedirectPath } from "./safe_redirect_path.ts";
export { SingleFlight } from "./single_flight.ts";
export { withHeaders } from "./with_headers.ts";
