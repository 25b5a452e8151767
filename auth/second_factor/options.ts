import type { Session, SessionStore } from "../../session/mod.ts";
import type { AuthMethod } from "../login/auth_method.ts";
import type { CompleteAuthOptions } from "../login/complete_auth.ts";
import type { Throttle } from "../throttle/throttle.ts";

/** Options for {@linkcode createSecondFactors}. */
export interface SecondFactorsOptions {
  /** The name of the application, which authenticator apps show. */
  readonly issuer: string;

  /**
   * The store of the second factors. It must be durable: a user whose factors are
   * lost logs in without them. Use a SQL table, not a cache.
   */
  readonly store: SessionStore;

  /**
   * The secrets that encrypt the secrets of authenticator apps: at least 32
   * random characters each. The first one encrypts, all of them decrypt.
   */
  readonly secrets: readonly string[];

  /**
   * Returns `true` if the user has a second factor that the application keeps,
   * such as a passkey.
   *
   * @default {() => false}
   */
  readonly hasOtherFactor?: (
    userId: string | number,
  ) => boolean | Promise<boolean>;

  /**
   * Returns the current version of a user's credentials: the number that
   * `completeAuth` and `completeFirstFactor` get. With it, a request whose
   * session has an older one changes no factors, even if all access is ended
   * while it runs.
   *
   * @default {undefined}
   */
  readonly version?: (
    userId: string | number,
  ) => number | null | Promise<number | null>;

  /**
   * Slows down guessing of codes. Its accounts are hashes of the users' ids, which
   * only this server can compute. Recovery codes are too long to guess: they work at
   * once, clear the counts and make the browser known.
   *
   * @default {the default limits, with the counts in the record of the user}
   */
  readonly throttle?: Pick<Throttle, "attempt" | "trustDevice">;

  /**
   * The throttle of the first factor, for example of passwords. A browser
   * becomes a known device of it when the login is complete. Without it,
   * browsers of users with a second factor never do.
   *
   * @default {undefined}
   */
  readonly loginThrottle?: Pick<Throttle, "rememberDevice">;

  /**
   * The time that a user has to type the code after the first factor, in
   * milliseconds, at most an hour.
   *
   * @default {600_000}
   */
  readonly pendingTimeout?: number;

  /**
   * The time for which a remembered device needs no code, in milliseconds.
   *
   * @default {2_592_000_000}
   */
  readonly rememberFor?: number;

  /**
   * The name of the cookie of remembered devices, without the prefix `__Host-Http-`.
   *
   * @default {"trusted-device"}
   */
  readonly deviceCookie?: string;

  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Options for `completeFirstFactor`. */
export interface FirstFactorOptions extends CompleteAuthOptions {
  /**
   * A string that comes back with the pending login, such as the path to return
   * to.
   *
   * @default {undefined}
   */
  readonly data?: string;
}

/** A login that waits for its second factor. */
export interface PendingLogin {
  /** The id of the user who proved the first factor. They are not logged in. */
  readonly userId: string | number;
  /** The methods of the first factor. */
  readonly methods: readonly AuthMethod[];
  /** The application's data. */
  readonly data?: string;
}

/** Options for `verifyCode`. */
export interface VerifyCodeOptions {
  /**
   * `true` to remember this browser. Its next logins need no code.
   *
   * @default {false}
   */
  readonly rememberDevice?: boolean;
}

/** The result of a code. */
export type SecondFactorResult =
  | {
    readonly ok: true;
    /** The session, which now belongs to the user. */
    readonly session: Session;
    /** The kind of code. */
    readonly method: "otp" | "recovery";
    /** The number of recovery codes that the user has left. */
    readonly recoveryCodes: number;
    /** The string that `completeFirstFactor` got. */
    readonly data: string | undefined;
  }
  | {
    readonly ok: false;
    /** The code is wrong, or was used before. */
    readonly reason: "wrong";
  }
  | {
    readonly ok: false;
    /**
     * No login waits for a code: the first factor is too long ago, or another
     * browser proved it.
     */
    readonly reason: "missing";
  }
  | {
    readonly ok: false;
    /** Too many attempts failed before, so this code was not verified. */
    readonly reason: "throttled";
    /** The seconds to wait before the next attempt. */
    readonly retryAfter: number;
  };

/** The second factors of a user. */
export interface SecondFactorStatus {
  /** `true` if the user has an authenticator app. */
  readonly totp: boolean;
  /** The time at which it was set up, in epoch milliseconds. */
  readonly totpSince: number | undefined;
  /** The number of recovery codes that were not used yet. */
  readonly recoveryCodes: number;
}

/** The setup of an authenticator app, to show on a page. */
export interface TOTPSetup {
  /** The secret in base32, to type if the camera does not work. */
  readonly secret: string;
  /** The `otpauth:` URI, for a QR code. */
  readonly uri: string;
  /** The encrypted setup, for a hidden field of the form. */
  readonly setup: string;
}

/** The form that confirms the setup of an authenticator app. */
export interface TOTPConfirmation {
  /** The hidden field, as the client sent it. */
  readonly setup: unknown;
  /** The code of the app, as the client sent it. */
  readonly code: unknown;
}

/** The result of `enableTOTP`. */
export type EnableTOTPResult =
  | {
    readonly ok: true;
    /** The new recovery codes, to show once. */
    readonly recoveryCodes: readonly string[];
  }
  | {
    readonly ok: false;
    /** The code is wrong. */
    readonly reason: "wrong";
    /** The same setup, to show the form again. */
    readonly setup: TOTPSetup;
  }
  | {
    readonly ok: false;
    /** The setup is more than 15 minutes old, or belongs to another user. */
    readonly reason: "expired";
  }
  | {
    readonly ok: false;
    /** No user is logged in, or all access was ended since the login. */
    readonly reason: "ended";
  };

/** A device that needs no code. */
export interface RememberedDevice {
  /** The id of the device, for `removeDevice`. It is not the one in the cookie. */
  readonly id: string;
  /** `true` if it is the device of this request. */
  readonly current: boolean;
  /** The time since which it is remembered, in epoch milliseconds. */
  readonly since: number;
  /** The time until which it is remembered, in epoch milliseconds. */
  readonly expiresAt: number;
  /** The `User-Agent` header, shortened. */
  readonly userAgent: string | undefined;
  /** The client's address. */
  readonly address: string | undefined;
}
