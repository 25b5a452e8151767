import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { User } from "./data/users.ts";
import { endSessionsAndTokens, removeLoginsAndKeys } from "./end_access.ts";
import { verifyMail } from "./mails.ts";
import type { Services } from "./services.ts";

/** Sends the email that proves the address of a user, unless it is proved. */
export async function sendProof(
  context: RequestContext,
  services: Services,
  { id: account, email, emailVerified }: User,
): Promise<void> {
  if (email === null || emailVerified) return;
  const { emailProof, sendMail } = services;
  const mail = await emailProof.start(context, { email, account });
  if (mail !== null) sendMail(verifyMail(services, mail));
}

/**
 * Gives an account to the owner of its address, who has just proved it without
 * the password of the account. If the address was never proved before, another
 * person may have registered with it and waited (pre-hijacking). So everything
 * that was made before is removed.
 *
 * @returns The user; `null` if the account is gone or the address has changed.
 */
export async function claimAccount(
  context: RequestContext,
  services: Services,
  userId: number,
  email: string,
): Promise<User | null> {
  const { users, factors } = services;
  const user = await users.find(userId);
  if (user === null) return null;
  if (!user.emailVerified) {
    await users.resetPassword(userId, "");
    await factors.disable(userId);
    await removeLoginsAndKeys(services, userId);
    await endSessionsAndTokens(services, context, userId);
  }
  return await users.verifyEmail(userId, email)
    ? await users.find(userId)
    : null;
}
