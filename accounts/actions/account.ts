import { completeAuth, credentialsAuthResult } from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import { endUserSessions, Session } from "../../session/mod.ts";
import { passwordMail } from "../mails/contents.ts";
import type { StoredAccount } from "../store/store.ts";
import { Form } from "./form.ts";
import { hashNewPassword } from "./_passwords.ts";
import {
  type Call,
  type Done,
  done,
  invalid,
  type Outcome,
  refused,
  RequestInput,
  throttled,
} from "./call.ts";
import { confirmLogin } from "./enter.ts";
import { ownAccount } from "../current_account.ts";

/** Confirms the login with the password, before a sensitive change. */
export async function confirm(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const { email } = ownAccount(context);
  // The address is that of the account, no matter what the client sends.
  const credentials = new Map([...input, ["email", email]]);
  context.set(RequestInput, credentials);
  const result = await credentialsAuthResult(services.password, context);
  if (!result.ok) {
    return result.reason === "throttled"
      ? throttled(call, result.retryAfter)
      : invalid({ password: messages.wrongPassword });
  }
  return await confirmLogin(call, { methods: ["pwd"] });
}

/** Saves the name and the additional fields. */
export async function saveProfile(call: Call): Promise<Outcome> {
  const { context, messages, services: { routes, store } } = call;
  const account = ownAccount(context);
  const form = new Form(call);
  const name = form.name();
  const fields = await form.fields(account.fields);
  if (form.failed !== null) return form.failed;
  await store.update(account.id, { name, fields });
  return done(routes.profile.index.href(), messages.saved);
}

/** Changes the password of a user with a fresh login. */
export async function changePassword(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const account = ownAccount(context);
  const { email, id, version } = account;
  const form = new Form(call);
  const password = form.newPassword();
  if (form.failed !== null) return form.failed;
  const passwordHash = await hashNewPassword(services, { email, password });
  if (passwordHash === null) {
    return invalid({ password: messages.passwordCommon });
  }
  const next = await services.store.change(id, version, { passwordHash });
  if (next === null) return ended(call);
  reportSecurityEvent(context, { action: "password-change", userId: id });
  await services.factors.revoke(id);
  await endOtherSessions(call, id, next);
  services.outbox.add(context, passwordMail(call, account));
  const location = services.routes.password.index.href();
  return done(location, messages.passwordChanged);
}

/** Ends all sessions of a user except that of this browser. */
export async function endOtherSessions(
  { context, services }: Call,
  userId: string,
  version: number,
): Promise<void> {
  const session = context.get(Session);
  // The session gets a new id and the new version, which no other session has.
  await completeAuth(context, userId, {
    version,
    ...session.authenticatedAt !== undefined &&
      { authenticatedAt: session.authenticatedAt },
  });
  const { id } = context.get(Session);
  await endUserSessions(services.sessions, userId, { except: id, version });
}

/** Ends all other access after a way to log in has changed. */
export async function endOtherAccess(
  call: Call,
  { id, version }: StoredAccount,
  result: Omit<Done, "ok" | "next">,
): Promise<Outcome> {
  const next = await call.services.store.change(id, version, {});
  if (next === null) return ended(call);
  await endOtherSessions(call, id, next);
  return { ok: true, next: "done", ...result };
}

/** Returns the result of a change that lost a race. */
export function ended({ messages }: Call): Outcome {
  return refused(messages.linkExpiredTitle, 409);
}
