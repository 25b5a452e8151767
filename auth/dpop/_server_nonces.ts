import { SecretBox } from "../../session/internal.ts";

const NONCES = {
  name: "DPoP nonces",
  info: "gatehouse dpop nonce",
  maxLength: 256,
};

/** The name that nonces are encrypted under. */
const NAME = "nonce";

/** The milliseconds for which a nonce is valid. */
const LIFETIME = 300_000;

/** The state of a nonce. An aging one is valid, but clients should replace it. */
export type NonceState = "invalid" | "fresh" | "aging";

/**
 * Creates and checks nonces: encrypted times. Machines with the same secrets
 * accept each other's nonces, and none of them stores any.
 */
export class ServerNonces {
  readonly #cipher: SecretBox;

  /**
   * @param secrets The secrets: the first one encrypts, and all of them
   * decrypt.
   * @throws {TypeError} If the secrets are not an array of strings.
   * @throws {RangeError} If the array is empty, or a secret is too short or easy to
   * guess.
   */
  constructor(secrets: readonly string[]) {
    this.#cipher = new SecretBox(secrets, undefined, NONCES);
  }

  /** Creates a nonce. */
  create(now: number): Promise<string> {
    return this.#cipher.encrypt(NAME, String(now));
  }

  /**
   * Checks the nonce of a proof, which can have any type.
   *
   * @param tolerance The milliseconds by which the clocks of machines differ.
   */
  async check(
    nonce: unknown,
    now: number,
    tolerance: number,
  ): Promise<NonceState> {
    if (typeof nonce !== "string") return "invalid";
    const age = now - Number(await this.#cipher.decrypt(NAME, nonce) ?? NaN);
    if (!(age >= -tolerance && age <= LIFETIME)) return "invalid";
    return age > LIFETIME / 2 ? "aging" : "fresh";
  }
}
