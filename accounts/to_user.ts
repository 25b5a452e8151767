import type { Account, Names } from "./definition/names.ts";
import type { StoredAccount } from "./store/store.ts";

/**
 * Returns an account as handlers see it.
 *
 * @param account The stored account.
 * @param names The names of the application.
 * @param scopes The scopes of the API key of the request. A login has all of them.
 */
export function toUser<N extends Names>(
  account: StoredAccount,
  names: Names,
  scopes: readonly string[] = names.scopes ?? [],
): Account<N> {
  const { id, email, emailVerified, name, role, fields } = account;
  const user = { id, email, emailVerified, name, role, scopes, fields };
  return user as unknown as Account<N>;
}
