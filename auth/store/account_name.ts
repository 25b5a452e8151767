/**
 * Returns the name of an account in the spelling that databases compare, so that
 * other spellings count as the same account.
 *
 * It is trimmed before it is cut off, because leading spaces would turn one
 * account into many. It is cut off because normalizing takes quadratic time.
 * Names with the same 1,024 first characters count as one.
 */
export function canonicalName(account: string): string {
  return account.trim().slice(0, 1024).normalize("NFKC").toLowerCase().trim();
}
