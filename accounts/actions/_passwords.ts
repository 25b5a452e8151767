import {
  hashPassword,
  type PasswordQueue,
  PasswordRefusedError,
  verifyPassword,
} from "../../auth/password/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { canonicalName } from "../../auth/internal.ts";
import { retry } from "../store/retry.ts";
import type { AccountLogin } from "../store/store.ts";
import { RequestInput } from "./call.ts";
import type { Settings } from "./services.ts";

/** The address and the password of a login. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The bounds of a password (NIST SP 800-63B-4, 3.1.1.2), in characters. */
export const PASSWORD_LENGTH = { least: 8, most: 1_000 };

/** Reads the credentials of a login: `null` if they are missing. */
export function readCredentials(context: RequestContext): Credentials | null {
  const input = context.get(RequestInput);
  const [email, password] = [input.get("email"), input.get("password")];
  if (typeof email !== "string" || typeof password !== "string") return null;
  return email.length > 320 || password.length > PASSWORD_LENGTH.most
    ? null
    : { email: canonicalName(email), password };
}

/** Verifies a password. An unknown user takes as long as a wrong password. */
export async function verifyLogin(
  { store, passwords }: Pick<Settings, "store" | "passwords">,
  { email, password }: Credentials,
): Promise<AccountLogin | null> {
  return await retry(async () => {
    const found = await store.findLogin(email);
    const hash = found?.passwordHash ?? "";
    const { ok, needsRehash } = await verifyPassword(hash, password, passwords);
    if (found === null || !ok) return null;
    if (!needsRehash) return found;
    const passwordHash = await hashPassword(password, passwords);
    // Another login or password change may have replaced the hash.
    return await store.rehash(found.account.id, hash, passwordHash)
      ? { ...found, passwordHash }
      : undefined;
  });
}

/**
 * Hashes a new password. Returns `null` if it is too common, or contains only the
 * name of the application or the address.
 */
export async function hashNewPassword(
  { name, passwords }: Pick<Settings, "name" | "passwords">,
  { email, password }: Credentials,
  queue?: PasswordQueue,
): Promise<string | null> {
  const [local = ""] = email.split("@");
  const words = [name, email, local].map(lettersOf);
  const refuse = (password: string) => isCommon(lettersOf(password), words);
  try {
    return await hashPassword(password, {
      ...passwords,
      refuse,
      ...queue && { queue },
    });
  } catch (error) {
    if (error instanceof PasswordRefusedError) return null;
    throw error;
  }
}

/** Returns the lowercase letters and digits of a string. */
function lettersOf(value: string): string {
  return value.slice(0, 1_000).toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The most common words in passwords, which often add digits to them. */
const COMMON_WORDS =
  /^(?:pass|password|passwort|letmein|welcome|willkommen|admin|administrator|login|master|dragon|monkey|football|fussball|baseball|iloveyou|sunshine|princess|superman|batman|starwars|pokemon|computer|internet|whatever|trustno|hello|hallo|test|user|geheim|secret|changeme|schatz|qwerty|qwertz|azerty|asdf|yxcvbnm|zxcvbnm)+$/;

const ROWS = [
  "01234567890123456789",
  "98765432109876543210",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "1q2w3e4r5t6z7u8i9o0p",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
];

function isCommon(letters: string, words: readonly string[]): boolean {
  const core = letters.replace(/^\d+|\d+$/g, "");
  if (core === "" && letters.length < 10 || new Set(letters).size < 4) {
    return true;
  }
  if (COMMON_WORDS.test(core)) return true;
  if (
    words.some((word) => word !== "" && (core === word || letters === word))
  ) {
    return true;
  }
  return ROWS.some((row) => row.includes(letters));
}
