import { decodeBase64Url, timingSafeEqual } from "../../session/secrets.ts";
import type { PasswordReader } from "./options.ts";

/**
 * Options for {@linkcode createFirebaseReader}: the "Password hash parameters" of
 * a Firebase project.
 */
export interface FirebaseReaderOptions {
  /** The `base64_signer_key`, which is a secret. */
  readonly signerKey: string;
  /**
   * The `base64_salt_separator`.
   *
   * @default {"Bw=="}
   */
  readonly saltSeparator?: string;
  /**
   * The `rounds`, from 1 to 16.
   *
   * @default {8}
   */
  readonly rounds?: number;
  /**
   * The `mem_cost`, from 1 to 16.
   *
   * @default {14}
   */
  readonly memoryCost?: number;
}

const SHAPE = /^firebase:([\w+/-]{1,88}={0,2}):([\w+/-]{1,344}={0,2})$/;

/**
 * Creates a reader for the scrypt of Firebase, whose hash is the signer key of
 * the project, encrypted with a key from the password.
 *
 * Firebase exports two strings for each user. Store them as
 * `firebase:<salt>:<passwordHash>`.
 *
 * @example Accepting the hashes of an export
 * ```ts
 * import { assert } from "@std/assert";
 * import { verifyPassword } from "@gatehouse/web/auth/password";
 * import { createFirebaseReader } from "@gatehouse/web/auth/password/readers";
 *
 * // These are the public example values of Firebase.
 * const readers = [createFirebaseReader({
 *   signerKey:
 *     "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
 * })];
 * const user = {
 *   salt: "42xEC+ixf3L2lw==",
 *   passwordHash:
 *     "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
 * };
 *
 * const hash = `firebase:${user.salt}:${user.passwordHash}`;
 * const { ok } = await verifyPassword(hash, "user1password", { readers });
 * assert(ok);
 * ```
 *
 * @param options The parameters of the project.
 * @returns A reader for the `readers` of `verifyPassword`.
 * @throws {TypeError} If a string is not base64.
 * @throws {RangeError} If a number exceeds its limits.
 * @see {@link https://github.com/firebase/scrypt | The scrypt of Firebase}
 */
export function createFirebaseReader(
  options: FirebaseReaderOptions,
): PasswordReader {
  const { rounds = 8, memoryCost = 14, saltSeparator = "Bw==" } = options;
  const signerKey = decodeOption("signerKey", options.signerKey);
  const separator = decodeOption("saltSeparator", saltSeparator);
  // The highest values take 128 MiB.
  assertWithin("rounds", rounds);
  assertWithin("memoryCost", memoryCost);

  return (hash) => {
    const [, salt = "", encoded = ""] = SHAPE.exec(hash) ?? [];
    const saltBytes = decodeBase64(salt);
    const expected = decodeBase64(encoded);
    if (saltBytes === null || expected?.length !== signerKey.length) {
      return null;
    }
    return async (password) => {
      const { deriveScrypt } = await import("./_noble_hashes.ts");
      const key = await deriveScrypt({
        password: new TextEncoder().encode(password),
        salt: new Uint8Array([...saltBytes, ...separator]),
        logCost: memoryCost,
        blockSize: rounds,
        parallelization: 1,
        length: 32,
      });
      return timingSafeEqual(await encrypt(signerKey, key), expected);
    };
  };
}

/** Encrypts bytes with AES in counter mode. The key is never used again. */
async function encrypt(
  bytes: Uint8Array<ArrayBuffer>,
  rawKey: Uint8Array,
): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(rawKey),
    "AES-CTR",
    false,
    ["encrypt"],
  );
  const counter = new Uint8Array(16);
  const algorithm = { name: "AES-CTR", counter, length: 128 };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, key, bytes));
}

/** Decodes base64 of both alphabets, or returns `null`. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return text === "" ? null : decodeBase64Url(
    text.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"),
  );
}

function decodeOption(name: string, value: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof value === "string" ? decodeBase64(value) : null;
  if (bytes !== null) return bytes;
  throw new TypeError(
    `Cannot create the reader of Firebase: ${name} is not base64`,
  );
}

function assertWithin(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= 16) return;
  throw new RangeError(
    `Cannot create the reader of Firebase: ${name} "${value}" is not a whole number from 1 to 16`,
  );
}
