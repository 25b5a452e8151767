import type { EmailLoginResult } from "@gatehouse/web/auth/email-login";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { User } from "./data/users.ts";
import { endSessionsAndTokens, removeLoginsAndKeys } from "./end_access.ts";
import { verifyMail } from "./mails.ts";
import { sendMail } from "./outbox.ts";
import type { Services } from "./services.ts";

/** Sends the email that proves the address of a user, unless it is proved. */
export async function sendProof(
  context: RequestContext,
  services: Services,
  { accessVersion: version, id: account, email, emailVerified }: User,
): Promise<void> {
  if (email === null || emailVerified) return;
  const { emailProof } = services;
  const mail = await emailProof.start(context, { email, account, version });
  if (mail !== null) sendMail(context, verifyMail(services, mail));
}

/**
 * Gives an account to the owner of its address, who has just proved it without
 * the password of the account. If the address was never proved before, another
 * person may have registered with it and waited (pre-hijacking). So everything
 * that was made before is removed.
 *
 * @returns The user; `null` if the account is gone, the address has changed, or
 * access was ended since the email was sent.
 */
export async function claimAccount(
  context: RequestContext,
  services: Services,
  { account, email, version }: Extract<EmailLoginResult, { ok: true }>,
): Promise<User | null> {
  const { users, factors } = services;
  const user = await users.find(Number(account));
  if (user === null || user.accessVersion !== version) return null;
  const userId = user.id;
  let accessVersion: number | null = version;
  if (!user.emailVerified) {
    accessVersion = await users.resetPassword(user, "");
    if (accessVersion === null) return null;
    await factors.remove(userId);
    await removeLoginsAndKeys(services, userId);
    const access = { userId, version: accessVersion };
    await endSessionsAndTokens(services, context, access);
  }
  const claimed = { id: userId, accessVersion };
  return await users.verifyEmail(claimed, email)
    ? { ...user, ...claimed, emailVerified: true }
    : null;
}
