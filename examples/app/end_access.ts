import type { RequestContext } from "@gatehouse/web/fetch-router";
import { Session, userSessions } from "@gatehouse/web/session";
import type { LinkedIdentity } from "./data/identities.ts";
import type { User, Users } from "./data/users.ts";
import type { Services } from "./services.ts";

/** The purpose of one-time tokens that reset a password. */
export const PASSWORD_RESET = "password-reset";

/**
 * Deletes the sessions and the access tokens of a user whose access version was
 * just raised. From that moment none of them works, nor does any link, code,
 * pending login or remembered browser, and no new one can be made with an old
 * session.
 *
 * @param access The user and the new access version.
 * @param except The id of a session that continues.
 */
export async function endSessionsAndTokens(
  { tokens }: Services,
  context: RequestContext,
  { userId, version }: { readonly userId: number; readonly version: number },
  except?: string,
): Promise<void> {
  await tokens.revokeAll(userId);
  await userSessions(context).endAll({ userId, except, version });
}

/**
 * Ends the other sessions of the logged-in user after a change of the ways into the
 * account (ASVS 7.4.3). Access tokens stay.
 *
 * @returns `false` if access was ended meanwhile.
 */
export async function endOtherSessions(
  { users }: Services,
  context: RequestContext,
  user: User,
): Promise<boolean> {
  const version = await users.endAccess(user);
  if (version === null) return false;
  const { id } = context.get(Session);
  await userSessions(context).endAll({ userId: user.id, except: id, version });
  return true;
}

/**
 * Ends the access of a user, and tries again if another request changes the account,
 * as a thief may do.
 *
 * @returns The new access version; `null` if the user is gone, or the account still
 * changes.
 */
export async function unlessChanged(
  users: Users,
  userId: number,
  change: (user: User) => Promise<number | null>,
): Promise<number | null> {
  for (let tries = 0; tries < 10; tries++) {
    const user = await users.find(userId);
    if (user === null) return null;
    const version = await change(user);
    if (version !== null) return version;
  }
  return null;
}

/** The ways in that a reset has removed. */
export interface RemovedAccess {
  readonly identities: readonly LinkedIdentity[];
  readonly keys: number;
  readonly passkeys: number;
}

/**
 * Removes the linked logins, the API keys and the passkeys of a user who has just
 * reset the password by email. An attacker may have made them: for example one who
 * registered with the address of the owner, and waited (pre-hijacking).
 */
export async function removeLoginsAndKeys(
  { identities, keys, passkeyTable }: Services,
  userId: number,
): Promise<RemovedAccess> {
  return {
    identities: await identities.unlinkAll(userId),
    keys: await keys.revokeAll(userId),
    passkeys: await passkeyTable.deleteAll(userId),
  };
}
