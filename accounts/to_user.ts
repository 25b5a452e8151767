import type { Account, Names } from "./definition/names.ts";
import type { StoredAccount } from "./store/store.ts";

/** The rights of the API key of a request. */
export interface KeyRights {
  readonly scopes: readonly string[];
  readonly teamId?: string | undefined;
}

/**
 * Returns an account as handlers see it.
 *
 * @param account The stored account.
 * @param names The names of the application.
 * @param rights The rights of the API key of the request. A login has all scopes.
 */
export function toUser<N extends Names>(
  account: StoredAccount,
  names: Names,
  { scopes, teamId }: KeyRights = { scopes: names.scopes ?? [] },
): Account<N> {
  const { id, email, emailVerified, name, role, fields } = account;
  const own = { id, email, emailVerified, name, role, scopes, fields };
  const user = { ...own, ...teamId !== undefined && { teamId } };
  return user as unknown as Account<N>;
}
