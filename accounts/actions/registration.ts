import type { EmailLoginResult } from "../../auth/email_login/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import type { RequestContext } from "../../router/mod.ts";
import { type JSONValue, Session } from "../../session/mod.ts";
import { registrationMail, takenMail } from "../mails/contents.ts";
import type { OpenInvitation } from "../invitations/invitations.ts";
import { retry } from "../store/retry.ts";
import type { NewAccount, StoredAccount } from "../store/store.ts";
import { roleOfNew } from "./roles.ts";
import type { Services } from "./services.ts";
import { Form } from "./form.ts";
import { hashNewPassword } from "./_passwords.ts";
import {
  type Call,
  expired,
  type Failed,
  invalid,
  type Outcome,
  refused,
  returnToOf,
  searchOf,
  throttled,
} from "./call.ts";
import { emailRefusal } from "./email_refusal.ts";
import { enter } from "./enter.ts";
import { addIdentity, type Identity } from "./identity.ts";

/**
 * The session key of a registration with an unverified address. A login removes
 * this prefix.
 */
const KEY = "__auth.registration";

/** A registration that waits for the verification of its address. */
export interface Draft {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly fields: Readonly<Record<string, JSONValue>>;
  readonly returnTo: string;
  /** The identity at a provider, which becomes a way in. */
  readonly identity?: Identity;
}

/**
 * Starts a registration: sends an email to verify the address. The account is
 * created after the verification, so an attacker cannot take an address. If the
 * address has an account, the response is the same, and its owner gets a
 * different email.
 */
export async function register(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const token = input.get("token") ?? "";
  if (token !== "") return await registerInvited(call, token);
  if (services.registration !== "open") {
    return refused(messages.invitedOnly(services.name), 403);
  }
  const draft = await readDraft(call);
  if ("ok" in draft) return draft;
  await sendProof(call, draft);
  const { registerCode } = services.routes;
  const location = registerCode.index.href({}, searchOf(context));
  return { ok: true, next: "code", location };
}

/**
 * Registers the address of an invitation, which its emailed link has verified. No
 * attacker can have asked for this email, so the link works in every browser.
 */
async function registerInvited(
  call: Call,
  token: unknown,
): Promise<Outcome> {
  const { services } = call;
  const invitation = await services.invitations.find(token);
  if (invitation === null) return expired(call);
  const draft = await readDraft(call, invitation.email);
  if ("ok" in draft) return draft;
  return await createAccount(call, { ...draft, invitation });
}

/** Reads the form of a registration, with the address of an invitation. */
async function readDraft(
  call: Call,
  invited?: string,
): Promise<Draft | Failed> {
  const { context, messages, services } = call;
  const form = new Form(call);
  const [name, email] = [form.name(), invited ?? form.email()];
  const password = form.newPassword();
  const fields = await form.fields();
  if (form.failed !== null) return form.failed;
  const attempt = await services.registrationThrottle.attempt(context, null);
  if (!attempt.allowed) return throttled(call, attempt.retryAfter);
  const refusal = await services.hooks
    .beforeRegister({ context, email, name, fields });
  if (refusal !== null) return refused(refusal);
  const { registrationQueue } = services;
  const credentials = { email, password };
  const passwordHash = await hashNewPassword(
    services,
    credentials,
    registrationQueue,
  );
  if (passwordHash === null) {
    return invalid({ password: messages.passwordCommon });
  }
  const returnTo = returnToOf(context, services);
  return { email, name, passwordHash, fields, returnTo };
}

/** Sends the email that verifies the address of a registration. */
export async function sendProof(call: Call, draft: Draft): Promise<void> {
  const { context, messages, services } = call;
  const { email } = draft;
  const existing = await services.store.findByEmail(email);
  // The owner of an account gets no code, so this registration cannot be
  // completed.
  const account = existing === null ? `new:${email}` : `taken:${existing.id}`;
  const mail = await services.registrationMails.start(context, {
    email,
    account,
  });
  context.get(Session).set(KEY, draft as unknown as JSONValue);
  if (mail === null) return;
  services.outbox.add(
    context,
    existing === null
      ? registrationMail(call, mail)
      : takenMail(call, messages, email),
  );
}

/** Finishes a registration with the code of the email. */
export async function registerByCode(call: Call): Promise<Outcome> {
  const { context, input, services } = call;
  const { registrationMails } = services;
  return await finish(
    call,
    await registrationMails.verifyCode(context, input.get("code")),
  );
}

/** Finishes a registration with the link of the email. */
export async function registerByLink(call: Call): Promise<Outcome> {
  const { context, input, services } = call;
  const { registrationMails } = services;
  return await finish(
    call,
    await registrationMails.verifyLink(context, input.get("token")),
  );
}

async function finish(
  call: Call,
  result: EmailLoginResult,
): Promise<Outcome> {
  if (!result.ok) return emailRefusal(call, result);
  const draft = draftOf(call.context);
  const { email } = result;
  if (draft?.email !== email || result.account !== `new:${email}`) {
    return expired(call);
  }
  return await createAccount(call, draft);
}

/** Creates the account of a verified address, and logs it in. */
async function createAccount(
  call: Call,
  draft: Draft & { readonly invitation?: OpenInvitation },
): Promise<Outcome> {
  const { context, messages, services } = call;
  const { email, identity, invitation = null, returnTo } = draft;
  const { fields, name, passwordHash } = draft;
  const account = await createStored(services, {
    email,
    emailVerified: true,
    name,
    role: roleOfNew(services, email, invitation?.role),
    language: messages.language,
    fields,
    passwordHash,
    createdAt: services.now(),
  });
  if (account === null) return expired(call);
  if (identity !== undefined) {
    const add = () => addIdentity(services, account, identity);
    await orRemove(services, account.id, add);
  }
  if (!await acceptInvitation(services, account, invitation)) {
    return expired(call);
  }
  const methods = [identity === undefined ? "pwd" : "email"];
  const outcome = await enter(call, account, { methods, returnTo });
  // Wrong guesses on other devices then do not delay logins in this browser.
  await services.loginThrottle.trustDevice(context, email);
  return outcome;
}

/** Creates an account, and marks it until its first login has prepared it. */
export async function createStored(
  services: Services,
  details: Omit<NewAccount, "id">,
): Promise<StoredAccount | null> {
  const { hooks, store } = services;
  const id = newAccountId();
  await hooks.mark(id);
  const create = () => store.create({ ...details, id });
  const account = await orRemove(services, id, create);
  if (account === null) await hooks.unmark(id);
  return account;
}

/**
 * Runs a step of a registration. If it fails, this removes the account, so that the
 * user can try again: otherwise, its own address would be taken.
 */
export async function orRemove<Result>(
  services: Services,
  id: string,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    // If the database is down, the user resets the password of the account later.
    await removeNew(services, id).catch(() => {});
    throw error;
  }
}

/**
 * Uses up the invitation of a new account, if it has one. If it has ended in the
 * meantime, this removes the account again, and returns `false`.
 */
export async function acceptInvitation(
  services: Services,
  account: StoredAccount,
  invitation: OpenInvitation | null,
): Promise<boolean> {
  if (invitation === null) return true;
  const isEnded = await services.invitations.end(invitation);
  if (!isEnded) await removeNew(services, account.id);
  return isEnded;
}

/** Removes an account whose registration could not be completed. */
export async function removeNew(
  { hooks, store }: Services,
  id: string,
): Promise<void> {
  await retry(async () => {
    const account = await store.find(id);
    if (account === null) return true;
    return await store.remove(id, account.version) || undefined;
  });
  await hooks.unmark(id);
}

/** Returns the registration of a browser that waits for its code. */
export function draftOf(context: RequestContext): Draft | undefined {
  return context.get(Session).get(KEY) as unknown as Draft | undefined;
}

/** Returns a new id: 128 random bits. */
export function newAccountId(): string {
  return randomToken(16);
}
