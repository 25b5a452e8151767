import { sha256Base64Url } from "../../session/secrets.ts";
import { encodeBase32 } from "./base32.ts";

/** The number of recovery codes of a user. */
const COUNT = 10;

/**
 * The random bytes of a code. 120 bits need no slow hash (ASVS 5.0, 6.5.2: at
 * least 112).
 */
const BYTES = 15;

/** Creates the recovery codes of a user: four groups of six letters and digits. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
    const text = encodeBase32(bytes).toLowerCase();
    return text.match(/.{6}/g)!.join("-");
  });
}

/**
 * Returns a recovery code in its one spelling, or `null` if a string cannot be
 * one. Base32 has no 0, 1 and 8, so these were meant as letters.
 */
export function canonicalRecoveryCode(text: string): string | null {
  const code = text.toLowerCase().replace(/[\s-]/g, "")
    .replaceAll("0", "o").replaceAll("1", "l").replaceAll("8", "b");
  return /^[a-z2-7]{24}$/.test(code) ? code : null;
}

/** Returns the hash of a code, which is valid for this user only. */
export async function hashRecoveryCode(
  userId: string | number,
  code: string,
): Promise<string> {
  const canonical = canonicalRecoveryCode(code) ?? "";
  const text = JSON.stringify(["recovery", String(userId), canonical]);
  return await sha256Base64Url(text);
}

/** Returns a code of another system without spaces and hyphens. */
export function canonicalImportedCode(code: string): string {
  return code.replace(/[\s-]/g, "");
}
