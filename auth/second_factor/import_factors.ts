import { encodeBase64Url, randomToken } from "../../session/secrets.ts";
import { checkedCaller } from "../store/checked_caller.ts";
import { FactorStore, NO_FACTORS } from "./_factor_store.ts";
import { canonicalImportedCode } from "./_recovery_codes.ts";
import { decodeBase32 } from "./base32.ts";
import type { SecondFactorsOptions } from "./options.ts";
import { STEP } from "./totp.ts";

/** The second factors of a user in another system. */
export interface ImportedFactors {
  /** The secret of the authenticator app in base32: 10 to 128 bytes. */
  readonly secret: string;
  /**
   * The recovery codes, as the user has them: at most 50 codes of 8 to 100
   * characters.
   *
   * @default {[]}
   */
  readonly recoveryCodes?: readonly string[];
}

/**
 * Stores the authenticator app and the recovery codes that a user has in another
 * system, for a migration. The app must create codes of 6 digits every 30 seconds
 * with SHA-1, as almost all do. The secret and the codes are encrypted.
 *
 * Imported recovery codes may be short, so their attempts are limited like those of
 * the app.
 *
 * @example Importing the app of a user
 * ```ts
 * import { assert } from "@std/assert";
 * import { importFactors } from "@gatehouse/web/auth/second-factor";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const isNew = await importFactors(7, {
 *   secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
 *   recoveryCodes: ["aB3dE-fG5hI"],
 * }, {
 *   store: createMemorySessionStore(),
 *   secrets: ["from the environment: 32 random characters or more"],
 * });
 * assert(isNew);
 * ```
 *
 * @param userId The id of the user.
 * @param factors The secret of the app, and the recovery codes.
 * @param options The store and the secrets that `createSecondFactors` gets.
 * @returns `false` if the user already has an app: it stays the same.
 * @throws {TypeError} If the secret or a code is malformed. The message contains
 * neither.
 * @throws {SessionStoreError} If the store failed.
 */
export async function importFactors(
  userId: string | number,
  factors: ImportedFactors,
  options: Pick<
    SecondFactorsOptions,
    "store" | "secrets" | "now" | "storeTimeout"
  >,
): Promise<boolean> {
  const { now = Date.now, secrets, store, storeTimeout } = options;
  const bytes = decodeSecret(factors);
  const codes = checkCodes(factors);
  const owner = "second factors";
  const race = "who uses a code first";
  const callStore = checkedCaller(store, { owner, race, storeTimeout });
  const records = new FactorStore(callStore, secrets);
  const time = now();
  const secret = await records.seal(userId, "totp", encodeBase64Url(bytes));
  // The other system may have accepted the code of the current step.
  const totp = { secret, step: Math.floor(time / STEP), since: time };
  const recovery = await Promise.all(
    codes.map((code) => records.sealCode(userId, code)),
  );
  const isStored = await records.update(userId, (record) => {
    if (record?.totp !== undefined) return null;
    const id = randomToken(12);
    const value = { ...record ?? NO_FACTORS, id, totp, recovery };
    return { value, result: true };
  });
  return isStored === true;
}

function decodeSecret({ secret }: ImportedFactors): Uint8Array {
  const bytes = typeof secret === "string" ? decodeBase32(secret) : null;
  if (bytes !== null && bytes.length >= 10 && bytes.length <= 128) return bytes;
  throw new TypeError(
    "Cannot import second factors: the secret is not base32 of 10 to 128 bytes",
  );
}

function checkCodes({ recoveryCodes = [] }: ImportedFactors): string[] {
  const isCode = (code: unknown) =>
    typeof code === "string" && code.length <= 100 &&
    canonicalImportedCode(code).length >= 8;
  if (recoveryCodes.length <= 50 && recoveryCodes.every(isCode)) {
    return recoveryCodes.map(canonicalImportedCode);
  }
  throw new TypeError(
    "Cannot import second factors: the recovery codes are not up to 50 of 8 to 100 characters",
  );
}
