import { reportSecurityEvent } from "../../router/internal.ts";
import { invitationMail } from "../mails/team_mails.ts";
import type { ListedMember } from "../store/teams.ts";
import { Member, type Membership } from "../teams/member.ts";
import { MAX_INVITATIONS, MAX_TEAMS } from "../teams/team_service.ts";
import { Form } from "./form.ts";
import { ended } from "./account.ts";
import { type Call, done, invalid, type Outcome, refused } from "./call.ts";
import { ownAccount } from "../current_account.ts";

/** Creates a team, whose owner the user becomes. */
export async function createTeam(call: Call): Promise<Outcome> {
  const { context, messages, services: { routes, teams } } = call;
  const form = new Form(call);
  const name = form.name();
  if (form.failed !== null) return form.failed;
  const result = await teams.create(ownAccount(context), name);
  if (result === "ended") return ended(call);
  if (result === "too-many") return refused(messages.teams.tooMany(MAX_TEAMS));
  const team = result.team.id;
  const location = routes.team.href({ team });
  return { ...done(location, messages.teams.created), shown: { team } };
}

/** Invites an address to the team. */
export async function inviteMember(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const { outbox, routes, teams } = services;
  const own = ownMembership(call);
  const form = new Form(call);
  const email = form.email();
  const role = roleOf(call);
  const errors: Record<string, string> = {
    ...form.failed?.errors,
    ...role === null && { role: messages.invalidField },
  };
  if (role === null || Object.keys(errors).length > 0) return invalid(errors);
  const invitation = await teams.invite(own, { email, role });
  if (invitation === "ended") return ended(call);
  if (invitation === "member") {
    return invalid({ email: messages.teams.isMember });
  }
  if (invitation === "too-many") {
    return refused(messages.teams.tooManyInvitations(MAX_INVITATIONS));
  }
  // Owners of many teams could flood a mailbox without this limit.
  const { allowed } = await services.inviteThrottle.attempt(context, email);
  if (allowed) outbox.add(context, invitationMail(call, invitation));
  const location = routes.team.href({ team: own.teamId });
  return { ok: true, next: "sent", location, message: messages.teams.invited };
}

/** Withdraws an invitation of the team. */
export async function withdrawInvitation(call: Call): Promise<Outcome> {
  const { input, messages, services: { routes, teams } } = call;
  const { teamId } = ownMembership(call);
  const id = input.get("invitation");
  const isRemoved = typeof id === "string" &&
    await teams.store.removeInvitation(teamId, id);
  if (!isRemoved) return refused(messages.teams.invitationGone, 404);
  return done(routes.team.href({ team: teamId }), messages.teams.withdrawn);
}

/** Accepts or declines an invitation. */
export async function answerInvitation(call: Call): Promise<Outcome> {
  const { context, input, messages, services: { routes, teams } } = call;
  const account = ownAccount(context);
  const id = context.params.invitation ?? "";
  const declined = refused(messages.teams.invitationGone, 404);
  if (input.get("answer") === "decline") {
    const own = await teams.invitationsOf(account);
    const invitation = own.find((one) => one.id === id);
    const isRemoved = invitation !== undefined &&
      await teams.store.removeInvitation(invitation.teamId, id);
    if (!isRemoved) return declined;
    return done(routes.teams.index.href(), messages.teams.declined);
  }
  const found = await teams.accept(account, id);
  if (found === null) return declined;
  const { member, team } = found;
  reportRole(call, member.userId);
  const location = routes.team.href({ team: team.id });
  return done(location, messages.teams.joined(team.name));
}

/** Changes the role of a member, or hands the team over. */
export async function changeMemberRole(call: Call): Promise<Outcome> {
  const { input, messages, services: { routes, teams } } = call;
  const own = ownMembership(call);
  const target = await namedMember(call);
  const isHandover = input.get("handOver") === "on";
  const role = isHandover ? teams.owner : roleOf(call);
  if (target === null) return refused(messages.teams.memberGone, 404);
  if (role === null) return invalid({ role: messages.invalidField });
  const { teamId } = own;
  const change = { teamId, id: target.id, by: own.id };
  if (!await teams.setRole(change, role)) {
    return refused(messages.teams.lastOwner, 409);
  }
  reportRole(call, target.userId);
  const isOther = isHandover && target.id !== own.id;
  // If this fails, the team has two owners.
  if (isOther && await teams.setRole({ teamId, id: own.id }, teams.roles[1]!)) {
    reportRole(call, ownAccount(call.context).id);
  }
  return done(routes.team.href({ team: teamId }), messages.saved);
}

/** Removes a member, or lets the user leave. */
export async function removeTeamMember(call: Call): Promise<Outcome> {
  const { messages, services: { routes, teams } } = call;
  const own = ownMembership(call);
  const target = await namedMember(call);
  if (target === null) return refused(messages.teams.memberGone, 404);
  const isSelf = target.id === own.id;
  const change = {
    teamId: own.teamId,
    id: target.id,
    by: isSelf ? undefined : own.id,
  };
  if (!await teams.removeMember(change, target.userId)) {
    return refused(messages.teams.lastOwner, 409);
  }
  reportRole(call, target.userId);
  return isSelf
    ? done(routes.teams.index.href(), messages.teams.left)
    : done(routes.team.href({ team: own.teamId }), messages.teams.removed);
}

/**
 * Returns the member that the URL names; `null` if the user may not change it.
 * Owners may change every member, and others only themselves.
 */
export async function namedMember(call: Call): Promise<ListedMember | null> {
  const { context, services: { teams } } = call;
  const own = ownMembership(call);
  const id = context.params.member;
  if (own.role !== teams.owner && own.id !== id) return null;
  const members = await teams.store.members(own.teamId);
  return members.find((one) => one.id === id) ?? null;
}

/** Returns the membership that the guard has found. */
export function ownMembership({ context }: Pick<Call, "context">): Membership {
  return context.get(Member)!;
}

function roleOf({ input, services: { teams } }: Call): string | null {
  const role = input.get("role");
  return typeof role === "string" && teams.roles.includes(role) ? role : null;
}

function reportRole({ context }: Call, targetId: string): void {
  const userId = ownAccount(context).id;
  reportSecurityEvent(context, { action: "role-change", userId, targetId });
}
