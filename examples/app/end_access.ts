import { revokeOneTimeTokens } from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { sessions } from "@gatehouse/web/session";
import type { LinkedIdentity } from "./data/identities.ts";
import type { Services } from "./services.ts";

/** The purpose of one-time tokens that reset a password. */
export const PASSWORD_RESET = "password-reset";

/**
 * Deletes the sessions, the access tokens, the remembered devices and the one-time
 * links of a user whose
 * access version was just raised: from that moment they do not work, and no new
 * ones can be made with an old session.
 *
 * @param except The id of a session that goes on.
 */
export async function endSessionsAndTokens(
  { store, tokens, factors }: Services,
  context: RequestContext,
  userId: number,
  except?: string,
): Promise<void> {
  await tokens.revokeAll(userId);
  await factors.revoke(userId);
  await sessions(context).endAll({ userId, except });
  await revokeOneTimeTokens(store, {
    purpose: PASSWORD_RESET,
    account: userId,
  });
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
