import type { AuthMethod } from "../login/auth_method.ts";
import type { Passkey } from "./store.ts";

/**
 * The reason of a failure. Each is one step of the ceremonies, except the first
 * three: the request contains no response from an authenticator, the response
 * is malformed, or no ceremony with its challenge is pending in this session.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#sctn-rp-operations | Web Authentication Level 3, section 7}
 */
export type PasskeyFailureReason =
  | "response_missing"
  | "response_malformed"
  | "challenge_unknown"
  | "type_mismatch"
  | "origin_mismatch"
  | "cross_origin"
  | "rp_id_mismatch"
  | "user_not_present"
  | "user_not_verified"
  | "backup_state_invalid"
  | "algorithm_unsupported"
  | "attestation_invalid"
  | "passkey_exists"
  | "access_ended"
  | "passkey_unknown"
  | "user_mismatch"
  | "signature_invalid"
  | "counter_not_increased";

/** A registration or a login that failed. */
export interface PasskeyFailure {
  /** `false`. */
  readonly ok: false;
  /** The step that failed. */
  readonly reason: PasskeyFailureReason;
  /**
   * The credential id that the browser sent, with the reason `passkey_unknown`.
   * The browser module can tell the authenticator to hide this passkey.
   *
   * @default {undefined}
   */
  readonly credentialId?: string;
  /**
   * The error that `verifyAttestation` threw.
   *
   * @default {undefined}
   */
  readonly cause?: unknown;
}

/** A new passkey. */
export interface PasskeyRegistered {
  /** `true`. */
  readonly ok: true;
  /** The passkey, as the store has saved it. */
  readonly passkey: Passkey;
}

/** The result of a registration. */
export type PasskeyRegistrationResult = PasskeyRegistered | PasskeyFailure;

/** A login, a second factor or a confirmation that succeeded. */
export interface PasskeyAuthenticated {
  /** `true`. */
  readonly ok: true;
  /** The id of the user. */
  readonly userId: string | number;
  /** The passkey, after its use. */
  readonly passkey: Passkey;
  /**
   * The version of the user's credentials at the time of the check, for
   * `completeAuth`.
   *
   * @default {undefined}
   */
  readonly version?: number | undefined;
  /**
   * `true` if the user entered a PIN or used biometrics. The passkey is then two
   * factors at once.
   */
  readonly userVerified: boolean;
  /**
   * The methods for `completeAuth`: `swk` for a passkey that can be synced and
   * `hwk` for others, `user`, and `mfa` if there were two factors.
   */
  readonly methods: readonly AuthMethod[];
}

/** The result of a login, a second factor or a confirmation. */
export type PasskeyAuthResult = PasskeyAuthenticated | PasskeyFailure;

/** Creates a failure. */
export function failure(
  reason: PasskeyFailureReason,
  details: Pick<PasskeyFailure, "credentialId" | "cause"> = {},
): PasskeyFailure {
  return { ok: false, reason, ...details };
}
