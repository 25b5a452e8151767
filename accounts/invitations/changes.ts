import { canonicalName } from "../../auth/internal.ts";
import { isAddress } from "../actions/address.ts";
import { type Call, invalid, type Outcome, refused } from "../actions/call.ts";
import { ownAccount } from "../current_account.ts";
import { MAX_OPEN } from "./invitations.ts";
import { DEFAULT_ROLES } from "../actions/roles.ts";
import { invitedMail } from "../mails/contents.ts";
import { record } from "../admin/audit_log.ts";

/** Invites an address to register, or withdraws its invitation. */
export async function changeInvitations(call: Call): Promise<Outcome> {
  const { input, messages } = call;
  const action = input.get("do");
  if (action === "invite") return await invite(call);
  if (action === "withdraw") return await withdraw(call);
  return refused(messages.invalidField);
}

async function invite(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const { invitations, names: { roles = DEFAULT_ROLES }, outbox } = services;
  const email = emailOf(call);
  const role = input.get("role") ?? roles[0];
  const isListed = typeof role === "string" && roles.includes(role);
  if (!isListed) return invalid({ role: messages.invalidField });
  if (!isAddress(email)) return invalid({ email: messages.invalidEmail });
  const { id: invitedBy } = ownAccount(context);
  const result = await invitations.invite({ email, role, invitedBy });
  if (result === "taken") return invalid({ email: messages.admin.inviteTaken });
  if (result === "too-many") {
    return refused(messages.admin.inviteTooMany(MAX_OPEN));
  }
  await audit(call, "invite", role);
  const { allowed } = await services.inviteThrottle.attempt(context, email);
  if (allowed) {
    outbox.add(context, invitedMail(call, messages, { email, ...result }));
  }
  return done(call, messages.admin.invited);
}

async function withdraw(call: Call): Promise<Outcome> {
  const { messages, services: { invitations } } = call;
  if (!await invitations.withdraw(emailOf(call))) {
    return refused(messages.admin.inviteGone, 404);
  }
  await audit(call, "invite-end");
  return done(call, messages.admin.inviteEnded);
}

/** Returns the address of the input as the store spells it. */
function emailOf({ input }: Call): string {
  const email = input.get("email");
  return typeof email === "string" ? canonicalName(email) : "";
}

function done({ services: { adminRoutes } }: Call, message: string): Outcome {
  const location = adminRoutes.invitations.index.href();
  return { ok: true, next: "done", location, message };
}

/** Stores an entry without the address, which may never have an account. */
async function audit(
  { context, services }: Call,
  action: string,
  reason = "",
): Promise<void> {
  const { id } = ownAccount(context);
  await record(services, { actorId: id, userId: id, action, reason });
}
