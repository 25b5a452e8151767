import { completeAuth, credentialsAuthResult } from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import { endUserSessions, Session } from "../../session/mod.ts";
import { setRole } from "../admin/actions.ts";
import { deletionMail, passwordMail } from "../mails/contents.ts";
import type { StoredAccount } from "../store/store.ts";
import { toUser } from "../to_user.ts";
import { Form } from "./form.ts";
import { hashNewPassword } from "./_passwords.ts";
import {
  type Call,
  type Done,
  invalid,
  type Outcome,
  refused,
  RequestInput,
  throttled,
} from "./call.ts";
import { deletionDays } from "./deletion_days.ts";
import { confirmLogin, ownAccount } from "./enter.ts";
import { DEFAULT_ROLES } from "./roles.ts";

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
  return saved(routes.profile.index.href(), messages.saved);
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
  return saved(location, messages.passwordChanged);
}

/** Marks an account for deletion, and ends all access. */
export async function removeAccount(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const { deletionDelay, now, outbox, routes, store } = services;
  const account = ownAccount(context);
  const { id, version } = account;
  // A team must not lose its last owner.
  const owned = await services.teams.onlyOwnerOf(id);
  if (owned.length > 0) {
    return refused(messages.teams.handOverFirst(owned.join(", ")), 409);
  }
  const { hooks, names } = services;
  const user = toUser(account, names);
  const refusal = await hooks.beforeDelete({ context, account: user });
  if (refusal !== null) return refused(refusal);
  if (!await leaveAdminRole(call, account)) {
    return refused(messages.admin.lastAdmin, 409);
  }
  const next = await store.change(id, version, {});
  if (next === null) return ended(call);
  await store.update(id, { deleteAt: now() + deletionDelay });
  context.get(Session).destroy();
  await services.factors.revoke(id);
  await endUserSessions(services.sessions, id, { version: next });
  const days = deletionDays(services);
  outbox.add(context, deletionMail(call, account, days));
  const location = routes.login.index.href();
  return { ok: true, next: "login", location, notice: "deleted" };
}

/**
 * Takes the role away from an administrator who leaves. Returns `false` for the last
 * one, even if two leave at once.
 */
async function leaveAdminRole(
  call: Call,
  account: StoredAccount,
): Promise<boolean> {
  const { adminRole, names: { roles = DEFAULT_ROLES } } = call.services;
  if (adminRole === undefined || account.role !== adminRole) return true;
  return await setRole(call, account, roles[0]!);
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
  done: Omit<Done, "ok" | "next">,
): Promise<Outcome> {
  const next = await call.services.store.change(id, version, {});
  if (next === null) return ended(call);
  await endOtherSessions(call, id, next);
  return { ok: true, next: "done", ...done };
}

/** Returns the result of a change that lost a race. */
export function ended({ messages }: Call): Outcome {
  return refused(messages.linkExpiredTitle, 409);
}

function saved(location: string, message: string): Done {
  return { ok: true, next: "done", location, message };
}
