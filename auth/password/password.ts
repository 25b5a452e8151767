import { timingSafeEqual } from "../../session/secrets.ts";
import {
  type Argon2Hash,
  formatArgon2Hash,
  parseArgon2Hash,
} from "./_stored_argon2.ts";
import { toPhcString } from "./_framework_hashes.ts";
import { argon2Engines, type Argon2Inputs } from "./argon2_engine.ts";
import { readPbkdf2 } from "./_stored_pbkdf2.ts";
import { readScrypt } from "./_stored_scrypt.ts";
import { PasswordQueueFullError, PasswordRefusedError } from "./errors.ts";
import {
  type HashPasswordOptions,
  type PasswordOptions,
  type PasswordSettings,
  settingsOf,
  type VerifyPasswordOptions,
} from "./options.ts";

/** The result of verifying a password. */
export interface PasswordVerification {
  /** `true` if the password is the one that was hashed. */
  readonly ok: boolean;

  /**
   * `true` if the password was right, and its stored hash still has another
   * algorithm, cost or pepper than new ones: `saveHash` was not given, or too
   * many passwords were waiting.
   */
  readonly needsRehash: boolean;
}

/** The longest password, in bytes of UTF-8. */
const MAX_BYTES = 4096;

const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Hashes a password with Argon2id, as a string to store with the user.
 *
 * The string is in the PHC format and the same on all runtimes. The password
 * is hashed as its bytes of UTF-8: not trimmed, not normalised, not cut off.
 * Check its length first, at 4,096 bytes it ends.
 *
 * The defaults are the first of OWASP's: 19 MiB, 2 passes, 1 lane. Without a
 * native Argon2 (on Workers) that takes about 150 ms of CPU, more than
 * Cloudflare's free plan allows.
 *
 * @example Registering a user
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * import { hashPassword } from "@gatehouse/web/auth/password";
 *
 * const hash = await hashPassword("correct horse battery staple");
 * assertStringIncludes(hash, "$argon2id$v=19$m=19456,t=2,p=1$");
 * ```
 *
 * @param password The password, as the user typed it.
 * @param options How to hash, and which passwords to refuse.
 * @returns The hash.
 * @throws {TypeError} When the password is not a string.
 * @throws {RangeError} When the password is longer than 4,096 bytes of UTF-8 or
 * has a lone surrogate, or an option is out of bounds.
 * @throws {PasswordRefusedError} When `options.refuse` says so.
 * @throws {PasswordQueueFullError} When too many passwords wait already.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9106 | RFC 9106, Argon2}
 */
export async function hashPassword(
  password: string,
  options: HashPasswordOptions = {},
): Promise<string> {
  const settings = settingsOf(options);
  if (typeof password !== "string") {
    throw new TypeError("Cannot hash the password: it is not a string");
  }
  const bytes = encodePassword(password);
  if (bytes === null) {
    throw new RangeError(
      `Cannot hash the password: it is longer than ${MAX_BYTES} bytes, or not well-formed text`,
    );
  }
  if (options.refuse && await options.refuse(password)) {
    throw new PasswordRefusedError();
  }

  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const inputs = inputsOf(settings, bytes, salt);
  const tag = await settings.queue.run(() => derive(inputs, settings));
  return formatArgon2Hash({
    ...inputs,
    keyId: settings.peppers[0]?.id ?? null,
    tag,
  });
}

/**
 * Checks a password against a stored hash.
 *
 * It gives an object, which is true in every condition, also where the password
 * is wrong: read `ok`.
 *
 * Call it for a user who does not exist, too, with `null`: it then takes as
 * long as for one who does, and says no. The same goes for an empty or broken
 * hash, so users who log in elsewhere and have no password can't be told apart.
 * Equal time needs equal options for hashing and checking, and old hashes of
 * another cost or algorithm take their own time until they are replaced.
 *
 * Whatever the client sent as a password, it answers `ok: false` and does not
 * throw; it rejects only when too many passwords wait already.
 *
 * Trust: the hash comes from your own storage. Its parameters are bounded all
 * the same, before any work is done.
 *
 * Give it `saveHash`, so that old hashes are replaced as their users log in.
 *
 * @example Logging in, and moving an old hash to today's cost
 * ```ts
 * import { assert, assertStringIncludes } from "@std/assert";
 * import { hashPassword, verifyPassword } from "@gatehouse/web/auth/password";
 *
 * const user = {
 *   hash: await hashPassword("correct horse", { memory: 8192 }),
 * };
 *
 * const { ok } = await verifyPassword(user.hash, "correct horse", {
 *   saveHash(newHash, oldHash) {
 *     if (user.hash === oldHash) user.hash = newHash;
 *   },
 * });
 *
 * assert(ok);
 * assertStringIncludes(user.hash, "$m=19456,");
 * ```
 *
 * @param hash The stored hash, or nothing where there is no such user.
 * @param password The password, as the client sent it.
 * @param options How new passwords are hashed, and how to save a new hash.
 * @returns Whether the password is right, and whether to hash it anew.
 * @throws {TypeError} When the hash is neither a string nor nothing.
 * @throws {RangeError} When an option is out of bounds.
 * @throws {PasswordQueueFullError} When too many passwords wait already.
 */
export async function verifyPassword(
  hash: string | null | undefined,
  password: string,
  options: VerifyPasswordOptions = {},
): Promise<PasswordVerification> {
  const result = await check(hash, password, options);
  const { saveHash } = options;
  if (!result.needsRehash || !hash || saveHash === undefined) return result;
  try {
    // Its own options only: the password is in use, whatever would refuse it.
    const { refuse: _, ...rest } = options as HashPasswordOptions;
    await saveHash(await hashPassword(password, rest), hash);
    return { ok: true, needsRehash: false };
  } catch (error) {
    if (error instanceof PasswordQueueFullError) return result;
    throw error;
  }
}

async function check(
  hash: string | null | undefined,
  password: string,
  options: PasswordOptions,
): Promise<PasswordVerification> {
  const settings = settingsOf(options);
  if (typeof (hash ?? "") !== "string") {
    throw new TypeError("Cannot verify the password: the hash is not a string");
  }
  const bytes = typeof password === "string" ? encodePassword(password) : null;
  // The same quick answer for every user, so it tells nothing about one.
  if (bytes === null) return { ok: false, needsRehash: false };

  const stored = hash ? parseArgon2Hash(toPhcString(hash)) : null;
  const inputs = stored && storedInputs(stored, bytes, settings);
  const read = hash && !stored ? readOther(hash, settings) : null;
  return await settings.queue.run(async () => {
    if (read) {
      const ok = await read(password);
      return { ok, needsRehash: ok };
    }
    if (stored === null || inputs === null) {
      const salt = new Uint8Array(SALT_BYTES);
      await derive(inputsOf(settings, bytes, salt), settings);
      return { ok: false, needsRehash: false };
    }
    const ok = timingSafeEqual(await derive(inputs, settings), stored.tag);
    return { ok, needsRehash: ok && isOutdated(stored, settings) };
  });
}

/** The bytes of a password, or `null` where it is too long or has no UTF-8. */
function encodePassword(password: string): Uint8Array<ArrayBuffer> | null {
  // A character has at least one byte: what is far too long is not encoded.
  if (password.length > MAX_BYTES) return null;
  // Lone surrogates would all become U+FFFD, and so equal one another.
  if (!password.isWellFormed()) return null;
  const bytes = new TextEncoder().encode(password);
  return bytes.length > MAX_BYTES ? null : bytes;
}

function inputsOf(
  { memory, passes, parallelism, peppers }: PasswordSettings,
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
): Argon2Inputs {
  return {
    variant: "argon2id",
    password,
    salt,
    secret: peppers[0]?.key,
    memory,
    passes,
    parallelism,
    tagLength: TAG_BYTES,
  };
}

function storedInputs(
  stored: Argon2Hash,
  password: Uint8Array<ArrayBuffer>,
  { peppers }: PasswordSettings,
): Argon2Inputs | null {
  const { variant, memory, passes, parallelism, keyId, salt, tag } = stored;
  const secret = peppers.find(({ id }) => id === keyId)?.key;
  if (keyId !== null && secret === undefined) return null;
  return {
    variant,
    password,
    salt,
    secret,
    memory,
    passes,
    parallelism,
    tagLength: tag.length,
  };
}

function isOutdated(stored: Argon2Hash, settings: PasswordSettings): boolean {
  return stored.variant !== "argon2id" ||
    stored.memory !== settings.memory ||
    stored.passes !== settings.passes ||
    stored.parallelism !== settings.parallelism ||
    stored.keyId !== (settings.peppers[0]?.id ?? null) ||
    stored.salt.length < SALT_BYTES ||
    stored.tag.length < TAG_BYTES;
}

function readOther(
  hash: string,
  { readers }: PasswordSettings,
): ((password: string) => Promise<boolean>) | null {
  const phc = toPhcString(hash);
  let check = readScrypt(phc) ?? readPbkdf2(phc);
  for (const read of readers) check ??= read(hash);
  return check;
}

async function derive(
  inputs: Argon2Inputs,
  { engine }: PasswordSettings,
): Promise<Uint8Array> {
  const used = engine ?? (await argon2Engines())[0]!;
  return await used.derive(inputs);
}
