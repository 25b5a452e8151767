import type { Argon2Engine } from "./argon2_engine.ts";
import { createPasswordQueue, type PasswordQueue } from "./password_queue.ts";
import { ARGON2_LIMITS } from "./_stored_argon2.ts";

/** The cost of new hashes, and the formats of older ones. */
export interface PasswordOptions {
  /**
   * The memory of a new hash, in KiB, from 8 per lane to 1,048,576.
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
   * can't be attacked without them. New hashes use the first one as Argon2's
   * secret. The others verify older hashes, which contain the id of their key.
   * Without the key, such a hash matches no password.
   *
   * @default {[]}
   */
  readonly peppers?: readonly PasswordPepper[];

  /**
   * Readers for formats other than Argon2, scrypt and PBKDF2, such as `readBcrypt`.
   *
   * @default {[]}
   */
  readonly readers?: readonly PasswordReader[];

  /**
   * Limits the number of concurrent hash computations.
   *
   * @default {one queue for the whole process}
   */
  readonly queue?: PasswordQueue;

  /**
   * The implementation of Argon2.
   *
   * @default {the first of argon2Engines()}
   */
  readonly engine?: Argon2Engine;
}

/** Options for hashing a new password. */
export interface HashPasswordOptions extends PasswordOptions {
  /**
   * Returns `true` for a password that must not be used, because it is common
   * or known from a breach: see `createBreachedPasswordCheck`. Leave it out if
   * you only rehash an old password: with it, the owner could no longer log in.
   *
   * @default {() => false}
   */
  readonly refuse?: (password: string) => boolean | Promise<boolean>;
}

/** Options for checking a password. */
export interface VerifyPasswordOptions extends PasswordOptions {
  /**
   * Saves the new hash of a correct password if the stored hash has another
   * algorithm, cost or pepper than new ones. Without it, old hashes stay. It is
   * not called if the queue is full: the next login tries again.
   *
   * Trust: it must replace only the old hash, as in
   * `UPDATE users SET hash = :newHash WHERE id = :id AND hash = :oldHash`. If
   * it replaced another hash, it could undo a concurrent change of the
   * password.
   *
   * @default {undefined}
   */
  readonly saveHash?: (newHash: string, oldHash: string) => unknown;
}

/** A secret key for hashes. */
export interface PasswordPepper {
  /**
   * The name of the key in hashes: 1 to 8 letters, digits, `-` or `_`. It is
   * public. Never use the same name for another key.
   */
  readonly id: string;
  /** The key: 32 to 64 random bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/**
 * Reads hashes of another format, to move their users to Argon2id.
 *
 * It parses the stored string and returns a function that verifies a password.
 * It returns `null` if the string has another format or its parameters exceed
 * the limits. The expensive work belongs in the returned function.
 *
 * Trust: a user is logged in if that function returns `true`.
 */
export type PasswordReader = (
  hash: string,
) => ((password: string) => Promise<boolean>) | null;

/** The checked options with their defaults. */
export interface PasswordSettings {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly peppers: readonly PasswordPepper[];
  readonly readers: readonly PasswordReader[];
  readonly queue: PasswordQueue;
  readonly engine: Argon2Engine | undefined;
}

const sharedQueue = /* @__PURE__ */ createPasswordQueue();

/** Returns the options with their defaults. */
export function settingsOf(options: PasswordOptions): PasswordSettings {
  const { memory = 19_456, passes = 2, parallelism = 1 } = options;
  const { peppers = [], readers = [], queue = sharedQueue, engine } = options;
  assertWithin("parallelism", parallelism, 1, ARGON2_LIMITS.parallelism);
  assertWithin("passes", passes, 1, ARGON2_LIMITS.passes);
  assertWithin("memory", memory, 8 * parallelism, ARGON2_LIMITS.memory);
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
