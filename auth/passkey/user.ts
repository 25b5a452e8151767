/** The user of a new passkey. */
export interface PasskeyUser {
  /** The id of the user. */
  readonly id: string | number;
  /** The name that tells accounts apart, such as an email address. */
  readonly name: string;
  /**
   * The name for people.
   *
   * @default {name}
   */
  readonly displayName?: string;
}

/** The user of a login that waits for a new passkey. */
export interface PasskeyOwner {
  /** The id of the user, who has proved the first factor. */
  readonly id: string | number;
  /** The version of the credentials that the first factor verified. */
  readonly version: number;
}

/** The purpose of a passkey request, and its user unless it is a login. */
export type PasskeyRequest =
  | { readonly purpose: "login" }
  | {
    /** A second factor after a password, or a confirmation of a login. */
    readonly purpose: "second-factor" | "confirm";
    /** The id of the user, whose passkeys the browser may use. */
    readonly userId: string | number;
  };

/**
 * The current passkeys and names of a user, for authenticators: they hide other
 * passkeys and show the names. See `signalPasskeys()` of the browser module.
 */
export interface PasskeySignal {
  /** The RP ID. */
  readonly rpId: string;
  /** The user handle. */
  readonly userId: string;
  /** The ids of all passkeys of the user. */
  readonly allAcceptedCredentialIds: readonly string[];
  /** The name that tells accounts apart. */
  readonly name: string;
  /** The name for people. */
  readonly displayName: string;
}
