import { timingSafeEqual } from "../../session/secrets.ts";
import { decodeBase32 } from "./base32.ts";

/** Options for {@linkcode generateTOTP}. */
export interface TOTPOptions {
  /**
   * The time of the code, in epoch milliseconds.
   *
   * @default {Date.now()}
   */
  readonly time?: number;
  /**
   * The number of digits. Authenticator apps and `createSecondFactors` use 6.
   *
   * @default {6}
   */
  readonly digits?: 6 | 8;
}

/** The milliseconds of a step (RFC 6238, section 5.2). */
export const STEP = 30_000;

/**
 * The offsets of the steps that are accepted: the clock of the phone may be wrong
 * by one step (RFC 6238, section 5.2).
 */
const OFFSETS = [-1, 0, 1];

/**
 * Generates a time-based one-time password, as an authenticator app does: with
 * HMAC-SHA-1 and steps of 30 seconds. Tests use it to log in.
 *
 * @example The code of a moment
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { generateTOTP } from "@gatehouse/web/auth/second-factor";
 *
 * const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
 * assertEquals(await generateTOTP(secret, { time: 59_000 }), "287082");
 * ```
 *
 * @param secret The secret in base32.
 * @param options The time and the number of digits.
 * @returns The code.
 * @throws {TypeError} If the secret is not base32.
 * @throws {RangeError} If the time is negative or not a number.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6238 | RFC 6238, TOTP}
 */
export async function generateTOTP(
  secret: string,
  options: TOTPOptions = {},
): Promise<string> {
  const { time = Date.now(), digits = 6 } = options;
  const bytes = decodeBase32(secret);
  if (bytes === null || bytes.length === 0) {
    throw new TypeError("Cannot generate TOTP: the secret is not base32");
  }
  if (!(time >= 0 && time <= Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(
      `Cannot generate TOTP: time "${time}" is not a time in epoch milliseconds`,
    );
  }
  return await hotp(await importKey(bytes), Math.floor(time / STEP), digits);
}

/**
 * Returns the step whose code a user typed, or `null`. It compares with all
 * accepted steps, so that the time does not reveal which of them was close.
 *
 * @param after The last step that was used. It and earlier ones are not accepted.
 */
export async function findStep(
  secret: Uint8Array<ArrayBuffer>,
  code: string,
  { now, after }: { readonly now: number; readonly after: number },
): Promise<number | null> {
  const key = await importKey(secret);
  const current = Math.floor(now / STEP);
  let found: number | null = null;
  for (const offset of OFFSETS) {
    const step = current + offset;
    const isEqual = timingSafeEqual(await hotp(key, step, 6), code);
    if (isEqual && step > after) found = step;
  }
  return found;
}

function importKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  return crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
}

/** Computes an HMAC-based one-time password (RFC 4226, section 5.3). */
async function hotp(
  key: CryptoKey,
  counter: number,
  digits: number,
): Promise<string> {
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(Math.max(0, counter)));
  const hash = await crypto.subtle.sign("HMAC", key, message.buffer);
  const view = new DataView(hash);
  const offset = view.getUint8(19) & 0xf;
  const number = view.getUint32(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}
