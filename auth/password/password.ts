import { timingSafeEqual } from "../../session/secrets.ts";
import {
  type Argon2Hash,
  formatArgon2Hash,
  parseArgon2Hash,
} from "./_stored_argon2.ts";
import { toPhcString } from "./_framework_hashes.ts";
import { argon2Engines, type Argon2Inputs } from "./argon2_engine.ts";
import { readPbkdf2 } from "./_stored_pbkdf2.ts";
import { readHexScrypt } from "./_stored_hex_scrypt.ts";
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
  /** `true` if the password is correct. */
  readonly ok: boolean;

  /**
   * `true` if the password is correct but its stored hash still has another
   * algorithm, cost or pepper than new ones. Either `saveHash` is missing or the
   * queue was full.
   */
  readonly needsRehash: boolean;
}

/** The longest password, in bytes of UTF-8. */
const MAX_BYTES = 4096;

const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Hashes a password with Argon2id. Store the returned string with the user.
 *
 * The string has the PHC format and works on all runtimes. The input is the
 * UTF-8 of the password, not trimmed, normalized or cut off. Check its length
 * first: more than 4,096 bytes are an error.
 *
 * The defaults are OWASP's first choice: 19 MiB, 2 passes, 1 lane. Without a
 * native Argon2, as on Workers, they take about 150 ms of CPU time. That is more
 * than Cloudflare's free plan allows.
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
 * @param options The cost, and the passwords to refuse.
 * @returns The hash.
 * @throws {TypeError} If the password is not a string.
 * @throws {RangeError} If the password has more than 4,096 bytes of UTF-8 or a
 * lone surrogate, or an option exceeds its limits.
 * @throws {PasswordRefusedError} If `options.refuse` returns `true`.
 * @throws {PasswordQueueFullError} If the queue is full.
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
      `Cannot hash the password: it is longer than ${MAX_BYTES} bytes, or has a lone surrogate`,
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
 * Verifies a password against a stored hash.
 *
 * Read `ok` of the result: the object itself is always truthy.
 *
 * If the user does not exist, pass `null` as the hash. The call then takes as
 * long as for a wrong password, so that response time does not reveal which
 * users exist. The same is true for empty or broken hashes, for example those
 * of users without a password. This requires the same options for hashing and
 * verification. Old hashes with another cost or algorithm take a different time
 * until they are replaced: pass `saveHash` to replace them as their users log
 * in.
 *
 * No password from a client makes it throw. It rejects only if the queue is full
 * or an option is invalid.
 *
 * Trust: the hash must come from your own storage. Its parameters are checked
 * before any work.
 *
 * @example Logging in, and replacing an old hash
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
 * @param hash The stored hash, or `null` if the user does not exist.
 * @param password The password, as the client sent it.
 * @param options The cost of new hashes, and the function that saves them.
 * @returns The result.
 * @throws {TypeError} If the hash is not a string, `null` or `undefined`.
 * @throws {RangeError} If an option exceeds its limits.
 * @throws {PasswordQueueFullError} If the queue is full.
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
    // The rehash omits `refuse`, because the password is already in use.
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
  // This path takes the same time for every user, so it reveals nothing about
  // one.
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

/** Returns the UTF-8 of a password, or `null` if it is too long or has none. */
function encodePassword(password: string): Uint8Array<ArrayBuffer> | null {
  // A character has at least one byte, so far too long passwords need not be
  // encoded.
  if (password.length > MAX_BYTES) return null;
  // All lone surrogates would become U+FFFD, and passwords would match others.
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
  let check = readScrypt(phc) ?? readPbkdf2(phc) ?? readHexScrypt(hash);
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
