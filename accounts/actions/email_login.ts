import type { EmailLoginResult } from "../../auth/email_login/mod.ts";
import { loginMail } from "../mails/contents.ts";
import { Form } from "./form.ts";
import {
  type Call,
  expired,
  type Outcome,
  returnToOf,
  searchOf,
} from "./call.ts";
import { emailRefusal } from "./email_refusal.ts";
import { enter, isDisabled } from "./enter.ts";

/**
 * Sends a code and a link to log in. The response is the same if there is no
 * account.
 */
export async function startEmailLogin(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const { emailLogins, now, outbox, routes, store } = services;
  const form = new Form(call);
  const email = form.email();
  if (form.failed !== null) return form.failed;
  const found = await store.findByEmail(email);
  const account = found === null || isDisabled(found, now()) ? null : found;
  const mail = await emailLogins.start(context, {
    email,
    account: account?.id ?? null,
    version: account?.version,
    data: returnToOf(context, services),
  });
  if (mail !== null) outbox.add(context, loginMail(call, mail));
  const location = routes.emailLoginCode.index.href({}, searchOf(context));
  return { ok: true, next: "code", location };
}

/** Logs a user in with the code of the email. */
export async function logInByCode(call: Call): Promise<Outcome> {
  const { context, input, services: { emailLogins } } = call;
  const code = input.get("code");
  return await finish(call, await emailLogins.verifyCode(context, code));
}

/** Logs a user in with the link of the email. */
export async function logInByLink(call: Call): Promise<Outcome> {
  const { context, input, services: { emailLogins } } = call;
  const token = input.get("token");
  return await finish(call, await emailLogins.verifyLink(context, token));
}

async function finish(
  call: Call,
  result: EmailLoginResult,
): Promise<Outcome> {
  const { services: { home, store } } = call;
  if (!result.ok) return emailRefusal(call, result);
  const { account: id, data, email, version } = result;
  const account = await store.find(String(id));
  const isOwn = account !== null && version !== undefined &&
    await store.verifyEmail(account.id, version, email);
  if (!isOwn) return expired(call);
  const proof = { methods: ["email"], returnTo: data ?? home };
  return await enter(call, { ...account, version }, proof);
}
