import { endUserSessions, Session } from "../../session/mod.ts";
import { setRole } from "../admin/actions.ts";
import { deletionMail } from "../mails/contents.ts";
import type { StoredAccount } from "../store/store.ts";
import { toUser } from "../to_user.ts";
import { ended } from "./account.ts";
import { type Call, type Outcome, refused } from "./call.ts";
import { ownAccount } from "../current_account.ts";
import { DEFAULT_ROLES } from "./roles.ts";

/** Returns the days until a deletion. */
export function deletionDays(
  { deletionDelay }: { readonly deletionDelay: number },
): number {
  return Math.ceil(deletionDelay / 86_400_000);
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
