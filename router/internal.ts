/**
 * Small parts of the router that other folders need as well. They are not part
 * of the public API.
 *
 * @module
 */
export {
  ADDRESS_HEADERS,
  FORWARDING_HEADERS,
  isLoopback,
  MAX_FORWARDING_HEADER,
} from "./context/remote_address.ts";
export { checkPositive, MAX_TIMEOUT } from "./limits.ts";
export { isToken, SAFE_METHODS } from "./method.ts";
export { ActiveTrace, type TraceIds } from "./operation/active_trace.ts";
export { RequestIds } from "./operation/request_ids.ts";
export {
  reportDenied,
  reportLoginFailure,
  reportSecurityEvent,
} from "./operation/security_event.ts";
export { endsWithClient, waitUntilOf } from "./operation/wait_until.ts";
export { readBytes } from "./read_bytes.ts";
