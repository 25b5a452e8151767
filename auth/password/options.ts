import type { Argon2Engine } from "./argon2_engine.ts";
import { createPasswordQueue, type PasswordQueue } from "./password_queue.ts";

/** How passwords are hashed, and which older hashes are still read. */
export interface PasswordOptions {
  /**
   * The memory of a new hash, in KiB: from 8 for each lane to 1,048,576.
   *
   * @default {19456}
   */
  readonly memory?: number;

  /**
   * The passes of a new hash over its memory, from 1 to 20.
   *
   * @default {2}
   */
  readonly passes?: number;

  /**
   * The lanes of a new hash, from 1 to 16.
   *
   * @default {1}
   */
  readonly parallelism?: number;

  /**
   * Secret keys kept outside the database, so that a stolen table of hashes
   * can't be attacked without them. The first is mixed into new hashes as
   * Argon2's secret; the others are there to read older hashes. A hash names
   * its key. Take a key away, and the hashes that name it open for no password.
   *
   * @default {[]}
   */
  readonly peppers?: readonly PasswordPepper[];

  /**
   * Reads hashes of formats other than Argon2, scrypt and PBKDF2.
   *
   * @default {[]}
   */
  readonly readers?: readonly PasswordReader[];

  /**
   * Bounds how many passwords are hashed at once.
   *
   * @default {one queue for the whole process}
   */
  readonly queue?: PasswordQueue;

  /**
   * Computes Argon2.
   *
   * @default {the first of argon2Engines()}
   */
  readonly engine?: Argon2Engine;
}

/** Options for hashing a new password. */
export interface HashPasswordOptions extends PasswordOptions {
  /**
   * Tells whether a password must not be used: whether it is on a list of
   * common ones, or known from a breach. Leave it out where an old password is
   * only hashed anew, or its owner can't log in any more.
   *
   * @default {() => false}
   */
  readonly refuse?: (password: string) => boolean | Promise<boolean>;
}

/** Options for checking a password. */
export interface VerifyPasswordOptions extends PasswordOptions {
  /**
   * Saves the new hash of a right password whose stored hash has another
   * algorithm, cost or pepper than new ones. Without it, old hashes stay as they
   * are. It is not called if too many passwords wait to be hashed: the next login
   * tries again.
   *
   * Trust: it must replace only the old hash, as in `UPDATE users SET hash =
   * :newHash WHERE id = :id AND hash = :oldHash`. Otherwise it could undo a
   * change of the password at the same moment.
   *
   * @default {undefined}
   */
  readonly saveHash?: (newHash: string, oldHash: string) => unknown;
}

/** A secret key for hashes. */
export interface PasswordPepper {
  /**
   * What hashes call the key: 1 to 8 letters, digits, `-` or `_`. It is no
   * secret. Never give the same name to another key.
   */
  readonly id: string;
  /** The key: 32 to 64 random bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/**
 * Reads hashes of another format, to move their users to Argon2id.
 *
 * It gets the stored string and returns how to check a password against it, or
 * `null` where the string is of another format or its parameters are out of
 * bounds. It is called before any work is done, and should do none itself.
 *
 * Trust: whoever it says yes to is let in.
 */
export type PasswordReader = (
  hash: string,
) => ((password: string) => Promise<boolean>) | null;

/** The options with their defaults, checked. */
export interface PasswordSettings {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly peppers: readonly PasswordPepper[];
  readonly readers: readonly PasswordReader[];
  readonly queue: PasswordQueue;
  readonly engine: Argon2Engine | undefined;
}

/** What a stored hash may ask for, at most (RFC 9106 allows terabytes). */
export const LIMITS = { memory: 1_048_576, passes: 20, parallelism: 16 };

const sharedQueue = /* @__PURE__ */ createPasswordQueue();

/** Checks the options and fills in the defaults. */
export function settingsOf(options: PasswordOptions): PasswordSettings {
  const { memory = 19_456, passes = 2, parallelism = 1 } = options;
  const { peppers = [], readers = [], queue = sharedQueue, engine } = options;
  assertWithin("parallelism", parallelism, 1, LIMITS.parallelism);
  assertWithin("passes", passes, 1, LIMITS.passes);
  assertWithin("memory", memory, 8 * parallelism, LIMITS.memory);
  for (const [index, pepper] of peppers.entries()) {
    assertPepper(pepper);
    if (peppers.findIndex(({ id }) => id === pepper.id) !== index) {
      throw new RangeError(
        `Cannot use the pepper "${pepper.id}": another has the same id`,
      );
    }
  }
  return { memory, passes, parallelism, peppers, readers, queue, engine };
}

function assertWithin(
  name: string,
  value: number,
  least: number,
  most: number,
): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new RangeError(
    `Cannot hash passwords with ${name} "${value}": it is not a whole number from ${least} to ${most}`,
  );
}

function assertPepper({ id, key }: PasswordPepper): void {
  if (!/^[A-Za-z0-9_-]{1,8}$/.test(id)) {
    throw new RangeError(
      `Cannot use the pepper "${id}": its id is not 1 to 8 letters, digits, "-" or "_"`,
    );
  }
  if (!(key instanceof Uint8Array)) {
    throw new TypeError(`Cannot use the pepper "${id}": its key is not bytes`);
  }
  if (key.length < 32 || key.length > 64) {
    throw new RangeError(
      `Cannot use the pepper "${id}": its key has ${key.length} bytes, not 32 to 64`,
    );
  }
}
