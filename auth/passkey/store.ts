/** A passkey as the application stores it: the public half of a key pair. */
export interface Passkey {
  /** The credential id, base64url. It is unique among all users. */
  readonly id: string;
  /** The id of the user. */
  readonly userId: string | number;
  /**
   * The opaque name of the user for authenticators, base64url. It is empty for a
   * passkey of another system that did not store it: any name is then accepted.
   */
  readonly userHandle: string;
  /** The public key in the COSE format, base64url. */
  readonly publicKey: string;
  /**
   * The last signature counter. Most passkeys do not count, and have 0. A
   * synced passkey may have a lower counter than before.
   */
  readonly counter: number;
  /** The transports of the authenticator, such as `internal` or `usb`. */
  readonly transports: readonly string[];
  /** `true` if the passkey can be synced or copied to other devices. */
  readonly backupEligible: boolean;
  /** `true` if the passkey was synced or copied when it was last used. */
  readonly backedUp: boolean;
  /**
   * The model of the authenticator, a UUID. It is all zeros if the
   * authenticator does not reveal it, and unproven without attestation.
   */
  readonly aaguid: string;
  /** The name that the user sees in a list. */
  readonly name: string;
  /** The time of the registration, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of the last use, in epoch milliseconds, or `null`. */
  readonly usedAt: number | null;
}

/** A passkey with the version of its user. */
export interface StoredPasskey extends Passkey {
  /**
   * The current version of the user's credentials, which the store reads
   * together with the passkey.
   *
   * @default {undefined}
   */
  readonly version?: number | undefined;
}

/** The values of a passkey that its use changes. */
export interface PasskeyUse {
  /** The new signature counter. */
  readonly counter: number;
  /** `true` if the passkey is synced or copied. */
  readonly backedUp: boolean;
  /** The time of the use, in epoch milliseconds. */
  readonly usedAt: number;
}

/**
 * A store for passkeys, in the database of the application.
 *
 * The methods may throw or reject if the database is unavailable. Test your own
 * store with `testPasskeyStore` from `@gatehouse/web/testing`.
 */
export interface PasskeyStore {
  /**
   * Returns a passkey.
   *
   * @param id The credential id. It comes from the browser, so any string of
   * 1 to 1,364 base64url characters is possible.
   * @returns The passkey, with the current version of its user; or `null`.
   */
  get(id: string): StoredPasskey | null | Promise<StoredPasskey | null>;

  /**
   * Returns the passkeys of a user, oldest first.
   *
   * @param userId The id of the user.
   * @returns The passkeys.
   */
  list(
    userId: string | number,
  ): readonly Passkey[] | Promise<readonly Passkey[]>;

  /**
   * Stores a new passkey, unless any user has one with the same id, or the user's
   * version has changed. One statement must decide: a passkey that is stored while
   * another request ends all access would survive it.
   *
   * @param passkey The passkey.
   * @param version The version of the user's credentials at the login, as
   * `completeAuth` got it.
   * @returns `false` if the id exists, or the version is not the current one.
   */
  create(
    passkey: Passkey,
    version: number | undefined,
  ): boolean | Promise<boolean>;

  /**
   * Stores the use of a passkey if its counter has not changed in the meantime.
   *
   * @param id The credential id.
   * @param use The new values. The counter of a synced passkey may be lower.
   * @param ifCounter The counter that the passkey must still have.
   * @returns `false` if the passkey is missing or has another counter.
   */
  update(
    id: string,
    use: PasskeyUse,
    ifCounter: number,
  ): boolean | Promise<boolean>;

  /**
   * Renames a passkey of a user.
   *
   * @param id The credential id.
   * @param userId The id of the user.
   * @param name The new name.
   * @returns `false` if the user has no such passkey.
   */
  rename(
    id: string,
    userId: string | number,
    name: string,
  ): boolean | Promise<boolean>;

  /**
   * Removes a passkey of a user.
   *
   * @param id The credential id.
   * @param userId The id of the user.
   * @returns `false` if the user has no such passkey.
   */
  remove(id: string, userId: string | number): boolean | Promise<boolean>;
}
