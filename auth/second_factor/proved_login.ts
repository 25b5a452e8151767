import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import {
  completeLogin,
  type CompleteLoginOptions,
} from "../login/complete_auth.ts";
import { FinishedLogin, type LoginOrigin } from "../login/login_names.ts";
import type { SecondFactorsOptions } from "./options.ts";

/** A login whose user has proved all factors. */
export interface ProvedLogin extends CompleteLoginOptions {
  /** The accounts that this browser becomes a known device of. */
  readonly devices?: readonly string[] | undefined;
  /** The external login that was the first factor. */
  readonly origin?: LoginOrigin | undefined;
  /** The data of the first factor. */
  readonly data?: string | undefined;
}

/** Completes a login whose user has proved all factors, or lets it wait. */
export type CompleteProvedLogin = (
  context: RequestContext,
  userId: string | number,
  login: ProvedLogin,
) => Promise<Session>;

/**
 * Creates the function that completes a login whose user has proved all factors.
 */
export function createCompleteProvedLogin(
  throttle: SecondFactorsOptions["loginThrottle"],
): CompleteProvedLogin {
  return async (context, userId, { data: _, devices, origin, ...login }) => {
    // A logout at the first factor's provider finds the session by this name.
    if (origin !== undefined) context.set(FinishedLogin, origin);
    const session = await completeLogin(context, userId, login);
    for (const account of devices ?? []) {
      await throttle?.rememberDevice(context, account);
    }
    return session;
  };
}
