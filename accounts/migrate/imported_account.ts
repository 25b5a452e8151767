import type { Passkey } from "../../auth/passkey/mod.ts";
import type { ImportedFactors } from "../../auth/second_factor/mod.ts";
import type { JSONValue } from "../../session/mod.ts";
import type { Disabled } from "../store/store.ts";

/** A login at a provider that another system has linked. */
export interface ImportedLogin {
  /** The name of the provider in the option `providers`, such as `google`. */
  readonly provider: string;
  /** The issuer, such as `https://accounts.google.com`. */
  readonly issuer: string;
  /** The subject: the id of the user at the issuer. */
  readonly subject: string;
  /**
   * The name that the user recognizes.
   *
   * @default {the address of the account}
   */
  readonly name?: string;
}

/** An account of another system, for {@linkcode importAccounts}. */
export interface ImportedAccount {
  /** The id, which stays the same. */
  readonly id: string;
  /** The address, or `null`. Accounts without an address are not imported. */
  readonly email: string | null;
  /**
   * `true` if the other system has verified the address.
   *
   * @default {false}
   */
  readonly emailVerified?: boolean;
  /**
   * The name.
   *
   * @default {""}
   */
  readonly name?: string;
  /**
   * The role.
   *
   * @default {the first of the roles}
   */
  readonly role?: string;
  /**
   * The language of emails, such as `de`.
   *
   * @default {null}
   */
  readonly language?: string | null;
  /**
   * The values of the application's fields.
   *
   * @default {no values}
   */
  readonly fields?: Readonly<Record<string, JSONValue>>;
  /** The time of the registration, in epoch milliseconds. */
  readonly createdAt: number;
  /**
   * The hash of the password, in a format that `verifyPassword` reads.
   *
   * @default {""}
   */
  readonly passwordHash?: string;
  /**
   * The block of the account.
   *
   * @default {null}
   */
  readonly disabled?: Disabled | null;
  /**
   * The authenticator app and the recovery codes.
   *
   * @default {null}
   */
  readonly secondFactor?: ImportedFactors | null;
  /**
   * The passkeys. An unknown `userHandle` is an empty string.
   *
   * @default {[]}
   */
  readonly passkeys?: readonly Omit<Passkey, "userId">[];
  /**
   * The logins at providers.
   *
   * @default {[]}
   */
  readonly logins?: readonly ImportedLogin[];
  /**
   * The parts that could not be read. The account is imported without them.
   *
   * @default {[]}
   */
  readonly problems?: readonly string[];
  /**
   * The reason not to import the account, such as a second factor that cannot be
   * read: without it, the password would be enough.
   *
   * @default {null}
   */
  readonly refusal?: string | null;
}

/** The outcome of an import. Each number counts what this import stored. */
export interface ImportReport {
  /** The accounts that were read. */
  readonly read: number;
  /** The new accounts. */
  readonly created: number;
  /** The accounts that an earlier import created. */
  readonly existing: number;
  /** The accounts that were not imported. Each has a line in `problems`. */
  readonly refused: number;
  /** The new accounts with a password. */
  readonly passwords: number;
  /** The authenticator apps. */
  readonly secondFactors: number;
  /** The passkeys. */
  readonly passkeys: number;
  /** The logins at providers. */
  readonly logins: number;
  /** The problems, without secrets. */
  readonly problems: readonly ImportProblem[];
}

/** A problem with an account. */
export interface ImportProblem {
  /** The id of the account. */
  readonly id: string;
  /** The problem. */
  readonly problem: string;
}
