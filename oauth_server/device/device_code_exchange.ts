import type { DeviceLimits } from "./limits.ts";
import { userOfGrant } from "../grants/users.ts";
import {
  checkClient,
  checkResource,
  type GrantRequest,
} from "../token/grant_checks.ts";
import {
  INVALID_GRANT,
  type TokenFailure,
  type TokenResult,
  tokensOf,
} from "../token/token_response.ts";

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
  const { grants, now, tokens } = settings;
  const code = await tokens.read("device", form.get("device_code"));
  if (code === null) return INVALID_GRANT;
  const { key } = code;
  if (pace.isTooFast(key)) {
    return failure("slow_down", "Wait five seconds longer between requests");
  }
  const found = await grants.read(key);
  if (found === null) return failure("expired_token", "The code has expired");
  const { row, version } = found;
  const problem = await checkClient(request, row) ??
    checkResource(request, row);
  if (problem !== null) return problem;
  if (row.exchangedAt !== null) return INVALID_GRANT;
  if (row.device?.status === "waiting") {
    return failure("authorization_pending", "The user has not decided yet");
  }
  if (row.device?.status !== "approved") {
    return failure("access_denied", "The user has refused the request");
  }
  if (await userOfGrant(settings, row) === null) return INVALID_GRANT;
  const time = now();
  const next = {
    ...row,
    device: undefined,
    exchangedAt: time,
    generation: 1,
    rotatedAt: time,
  };
  return await grants.replace(key, next, version)
    ? await tokensOf(settings, key, next, next.scopes)
    : INVALID_GRANT;
}

function failure(error: string, description: string): TokenFailure {
  return { error, description };
}
