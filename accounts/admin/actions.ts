import { actAs, Auth, stopActing } from "../../auth/middleware/mod.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import {
  type Call,
  done,
  type Failed,
  invalid,
  type Outcome,
  refused,
} from "../actions/call.ts";
import { DEFAULT_ROLES } from "../actions/roles.ts";
import { ownAccount } from "../current_account.ts";
import type { StoredAccount } from "../store/store.ts";
import type { Users } from "./user_records.ts";
import { createUsers } from "../users.ts";
import { toUser } from "../to_user.ts";
import { record } from "./audit_log.ts";

/** The maximum length of a reason, in characters. */
const MAX_REASON = 200;

type Change = (call: Call, target: StoredAccount) => Promise<Outcome>;

/** The changes of an account, by the value of the input `do`. */
const CHANGES: ReadonlyMap<unknown, Change> = new Map<unknown, Change>([
  ["role", changeRole],
  ["disable", disable],
  ["enable", enable],
  ["end-access", endAccess],
  ["remove-factors", removeFactors],
  ["remove", remove],
  ["act", act],
]);

/** Changes the account that the URL names. */
export async function changeUser(call: Call): Promise<Outcome> {
  const { input, messages } = call;
  const target = await namedUser(call);
  if (target === null) return refused(messages.admin.unknown, 404);
  const change = CHANGES.get(input.get("do"));
  return await (change?.(call, target) ?? refused(messages.invalidField));
}

/** Ends acting as another user. */
export async function endActing({ context, services }: Call): Promise<Outcome> {
  const isEnded = await stopActing(context);
  const location = isEnded ? services.adminRoutes.users.href() : services.home;
  return { ok: true, next: "done", location };
}

/** Returns the account that the URL names. */
export async function namedUser(
  { context, services: { store } }: Pick<Call, "context" | "services">,
): Promise<StoredAccount | null> {
  return await store.find(context.params.user ?? "");
}

async function changeRole(call: Call, target: StoredAccount): Promise<Outcome> {
  const { input, messages, services } = call;
  const { names: { roles = DEFAULT_ROLES } } = services;
  const role = input.get("role");
  if (typeof role !== "string" || !roles.includes(role)) {
    return invalid({ role: messages.invalidField });
  }
  return role === target.role || await setRole(call, target, role)
    ? saved(call, target)
    : refused(messages.admin.lastAdmin, 409);
}

/** Changes a role. Returns `false` for the last administrator, who keeps it. */
export async function setRole(
  call: Call,
  target: StoredAccount,
  role: string,
): Promise<boolean> {
  const { context, services: { adminRole, store } } = call;
  await audit(call, target, "role", `${target.role} → ${role}`);
  if (!await store.setRole(target.id, role, adminRole!)) {
    await audit(call, target, "refused", `${target.role} → ${role}`);
    return false;
  }
  const { id: userId } = ownAccount(context);
  const targetId = target.id;
  reportSecurityEvent(context, { action: "role-change", userId, targetId });
  return true;
}

async function disable(call: Call, target: StoredAccount): Promise<Outcome> {
  const { input, messages, services: { now } } = call;
  const reason = reasonOf(call);
  if (reason === "") return invalid({ reason: messages.admin.reasonMissing });
  const end = input.get("until") ?? "";
  const until = end === "" ? undefined : dayOf(end);
  if (until !== undefined && !(until > now())) {
    return invalid({ until: messages.admin.untilInvalid });
  }
  const failed = protectedAccount(call, target);
  if (failed !== null) return failed;
  await audit(call, target, "disable", reason);
  const block = { reason, ...until !== undefined && { until } };
  await usersOf(call).disable(target.id, block);
  return saved(call, target);
}

async function enable(call: Call, target: StoredAccount): Promise<Outcome> {
  await audit(call, target, "enable");
  await usersOf(call).enable(target.id);
  return saved(call, target);
}

async function endAccess(call: Call, target: StoredAccount): Promise<Outcome> {
  await audit(call, target, "end-access");
  await usersOf(call).endAccess(target.id);
  return saved(call, target);
}

async function removeFactors(
  call: Call,
  target: StoredAccount,
): Promise<Outcome> {
  const failed = protectedAccount(call, target);
  if (failed !== null) return failed;
  await audit(call, target, "remove-factors");
  await usersOf(call).removeFactors(target.id);
  return saved(call, target);
}

async function remove(call: Call, target: StoredAccount): Promise<Outcome> {
  const { input, messages, services } = call;
  // The typed address confirms the removal, on the page and in scripts.
  if (input.get("email") !== target.email) {
    return invalid({ email: messages.admin.removeConfirm });
  }
  const failed = protectedAccount(call, target);
  if (failed !== null) return failed;
  const owned = await services.teams.onlyOwnerOf(target.id);
  if (owned.length > 0) {
    return refused(messages.teams.handOverFirst(owned.join(", ")), 409);
  }
  const { hooks, names } = services;
  const { context } = call;
  const user = toUser(target, names);
  const refusal = await hooks.beforeDelete({ context, account: user });
  if (refusal !== null) return refused(refusal);
  await audit(call, target, "remove");
  await usersOf(call).remove(target.id);
  return done(services.adminRoutes.users.href(), messages.admin.removed);
}

/** Acts as another user. The acting rules write the audit log. */
async function act(call: Call, target: StoredAccount): Promise<Outcome> {
  const { context, messages, services: { home } } = call;
  const reason = reasonOf(call);
  if (reason === "") {
    return invalid({ actReason: messages.admin.reasonMissing });
  }
  const user = await actAs(context, target.id, { reason });
  return user === null
    ? refused(messages.admin.actRefused, 403)
    : { ok: true, next: "done", location: home };
}

/**
 * Refuses to weaken, block or remove an administrator. Otherwise, two administrators
 * could remove each other.
 */
function protectedAccount(
  { context, messages: { admin }, services: { adminRole } }: Call,
  { id, role }: StoredAccount,
): Failed | null {
  if (id === context.get(Auth)?.id) return refused(admin.notSelf, 409);
  return role === adminRole ? refused(admin.roleFirst, 409) : null;
}

function saved(
  { messages, services: { adminRoutes } }: Call,
  { id }: StoredAccount,
): Outcome {
  return done(adminRoutes.user.index.href({ user: id }), messages.saved);
}

/** Stores the entry before the change, so that no change lacks one. */
async function audit(
  { context, services }: Call,
  { id: userId }: StoredAccount,
  action: string,
  reason = "",
): Promise<void> {
  const { id: actorId } = ownAccount(context);
  await record(services, { actorId, userId, action, reason });
}

function usersOf({ services }: Call): Users {
  return createUsers(() => Promise.resolve(services));
}

/** Reads a reason. Line breaks and control characters would corrupt logs. */
function reasonOf({ input }: Call): string {
  const value = input.get(input.has("actReason") ? "actReason" : "reason");
  return typeof value !== "string" ? "" : value.slice(0, 1_000)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim().slice(0, MAX_REASON);
}

/** Reads a day such as `2030-01-31`: NaN if it is malformed. */
function dayOf(value: unknown): number {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)
    ? Date.parse(`${value}T00:00:00Z`)
    : NaN;
}
