import { Auth } from "../auth/middleware/mod.ts";
import { HTTPError } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import type { StoredAccount } from "./store/store.ts";

/** The stored accounts of the users of requests, with their versions. */
const accounts = new WeakMap<object, StoredAccount>();

/** The users whom the sessions of browsers have logged in. */
const logins = new WeakSet<object>();

/** Remembers that the session of a browser has logged a user in. */
export function rememberLogin(user: object): void {
  logins.add(user);
}

/**
 * Returns `true` for a user whom the session of a browser has logged in, and `false`
 * for users of tokens and API keys.
 */
export function isLogin(user: object): boolean {
  return logins.has(user);
}

/** Remembers the stored account of a user. */
export function rememberAccount(user: object, account: StoredAccount): void {
  accounts.set(user, account);
}

/** Returns the version of the account of a user. */
export function versionOf(user: object): number {
  return accounts.get(user)?.version ?? NaN;
}

/**
 * Returns the account of the user who is logged in, as the guard has read it.
 *
 * @throws {HTTPError} If no session of a browser has logged the user in.
 */
export function ownAccount(context: RequestContext): StoredAccount {
  const user = context.get(Auth);
  const account = user !== null && isLogin(user) && accounts.get(user);
  if (!account) throw new HTTPError(401);
  return account;
}
