import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import {
  completeLogin,
  type CompleteLoginOptions,
} from "../login/complete_auth.ts";
import { FinishedLogin, type LoginOrigin } from "../login/login_names.ts";
import type {
  EnableTOTPResult,
  SecondFactorsOptions,
  TOTPConfirmation,
} from "./options.ts";
import type { SecondFactors } from "./second_factors.ts";

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

/** The form that sets up an app during a login that must not complete without it. */
export interface TOTPLogin extends TOTPConfirmation {
  /** The id of the user, who has proved the first factor. */
  readonly userId: string | number;
  /**
   * Ends the other logins of the user that wait, after the code was correct. Returns
   * the new version of the user; `null` if access has ended.
   */
  readonly claim: () => Promise<number | null>;
}

/** Second factors that a login may have to set up before it completes. */
export interface LoginFactors extends SecondFactors {
  /**
   * Sets the first authenticator app of a user who is not logged in yet. The result
   * is `"ended"` if the user has one already.
   */
  setUpTOTP(
    context: RequestContext,
    login: TOTPLogin,
  ): Promise<EnableTOTPResult>;
}
