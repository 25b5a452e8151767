import { beginGrant } from "../token/code_exchange.ts";
import {
  checkKey,
  checkRequest,
  type GrantRequest,
} from "../token/grant_checks.ts";
import {
  INVALID_GRANT,
  type TokenFailure,
  type TokenResult,
} from "../token/token_response.ts";
import type { DeviceLimits } from "./limits.ts";

/**
 * Exchanges a device code for tokens after the user has approved the device. Of
 * several requests, one gets the only tokens.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628#section-3.4 | RFC 8628, section 3.4}
 */
export async function exchangeDeviceCode(
  request: GrantRequest,
  { pace }: Pick<DeviceLimits, "pace">,
): Promise<TokenResult> {
  const { form, settings } = request;
  const { grants, tokens } = settings;
  const code = await tokens.read("device", form.get("device_code"));
  if (code === null) return INVALID_GRANT;
  const { key } = code;
  if (pace.isTooFast(key)) {
    return failure("slow_down", "Wait five seconds longer between requests");
  }
  const found = await grants.read(key);
  if (found === null) return failure("expired_token", "The code has expired");
  const { row } = found;
  const problem = await checkRequest(request, row);
  if (problem !== null) return problem;
  if (row.exchangedAt !== null) return INVALID_GRANT;
  if (row.device?.status === "waiting") {
    return failure("authorization_pending", "The user has not decided yet");
  }
  if (row.device?.status !== "approved") {
    return failure("access_denied", "The user has refused the request");
  }
  const thumbprint = await checkKey(request, row);
  return typeof thumbprint === "object"
    ? thumbprint
    : await beginGrant(settings, key, found, thumbprint);
}

function failure(error: string, description: string): TokenFailure {
  return { error, description };
}
