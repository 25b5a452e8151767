import type { EmailLoginResult } from "../../auth/email_login/mod.ts";
import { changedMail, changeMail, takenMail } from "../mails/contents.ts";
import { Form } from "./form.ts";
import { ended, endOtherSessions } from "./account.ts";
import { type Call, done, expired, type Outcome, refused } from "./call.ts";
import { emailRefusal } from "./email_refusal.ts";
import { ownAccount } from "../current_account.ts";
import { createNotMeToken } from "./not_me.ts";

/**
 * Starts a change of the address: sends an email to the new one. If another
 * account has this address, the response is the same, and its owner gets a
 * different email.
 */
export async function startEmailChange(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const { id, version } = ownAccount(context);
  const form = new Form(call);
  const email = form.email();
  if (form.failed !== null) return form.failed;
  const other = await services.store.findByEmail(email);
  const request = { email, account: id, version };
  const mail = await services.emailChanges.start(context, request);
  if (mail !== null) {
    services.outbox.add(
      context,
      other === null || other.id === id
        ? changeMail(call, mail)
        : takenMail(call, messages, email),
    );
  }
  const location = services.routes.emailCode.index.href();
  return { ok: true, next: "code", location };
}

/** Changes the address with the code of the email. */
export async function changeEmailByCode(call: Call): Promise<Outcome> {
  const { context, input, services: { emailChanges } } = call;
  const code = input.get("code");
  return await finish(call, await emailChanges.verifyCode(context, code));
}

/** Changes the address with the link of the email. */
export async function changeEmailByLink(call: Call): Promise<Outcome> {
  const { context, input, services: { emailChanges } } = call;
  const token = input.get("token");
  return await finish(call, await emailChanges.verifyLink(context, token));
}

async function finish(
  call: Call,
  result: EmailLoginResult,
): Promise<Outcome> {
  const { context, messages, services } = call;
  const account = ownAccount(context);
  const { id, version } = account;
  if (!result.ok) return emailRefusal(call, result);
  if (result.account !== id || result.version !== version) return expired(call);
  const { email } = result;
  // The address becomes free, and an invitation to it must not work again.
  await services.invitations.withdraw(account.email);
  const next = await services.store.change(id, version, {
    email,
    emailVerified: true,
  });
  if (next === null) {
    const { store } = services;
    const isTaken = (await store.find(id))?.version === version;
    return isTaken ? refused(messages.addressTaken) : ended(call);
  }
  // This tells the earlier address, because a thief may have changed it.
  const token = await createNotMeToken(services, account);
  services.outbox.add(context, changedMail(call, account, { email, token }));
  await services.factors.revoke(id);
  await endOtherSessions(call, id, next);
  return done(services.routes.email.index.href(), messages.emailChanged);
}
