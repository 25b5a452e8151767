import { reportDenied } from "../router/internal.ts";
import type { Middleware, RequestContext } from "../router/mod.ts";
import type { Answers, ViewCall } from "./_answer.ts";
import type { ControllerParts } from "./_controller.ts";
import { onlyIf } from "./guards.ts";
import type { Settings } from "./actions/services.ts";
import { ownAccount } from "./current_account.ts";
import {
  answerInvitation,
  changeMemberRole,
  createTeam,
  inviteMember,
  namedMember,
  ownMembership,
  removeTeamMember,
  withdrawInvitation,
} from "./actions/teams.ts";
import type { FormState } from "./pages/fields.ts";
import { accountView, type View } from "./pages/page.ts";
import {
  invitationView,
  inviteView,
  memberRemovalView,
  memberView,
  type ShownInvitation,
  teamsView,
  teamView,
} from "./pages/team_pages.ts";
import { createRequireMember, Member } from "./teams/member.ts";

/** Creates the handlers of the teams. */
export function teamActions(
  answers: Answers,
  { requireUser, settings, ...parts }: ControllerParts,
) {
  const { teams } = settings;
  const isOn = onlyIf(teams.isOn);
  const own = [isOn, ...parts.own];
  const member: Middleware = teams.isOn
    ? createRequireMember(settings, requireUser)(teamOf)
    : isOn;
  const owner = requireOwner(settings);
  const fresh = [isOn, member, ...parts.fresh];
  return {
    teams: { middleware: own, actions: teamsActions(answers) },
    team: {
      middleware: [...own, member],
      handler: answers.page(teamPage, teamJSON),
    },
    invite: {
      middleware: [...fresh, owner],
      actions: answers.form(invitePage, inviteMember),
    },
    withdrawal: {
      middleware: [...own, member, owner],
      handler: answers.action(withdrawInvitation, teamPage),
    },
    invitation: {
      middleware: own,
      actions: answers.form(invitationPage, answerInvitation),
    },
    member: {
      middleware: [...fresh, owner],
      actions: answers.form(ofMember(memberPage), changeMemberRole),
    },
    memberRemoval: {
      middleware: fresh,
      actions: answers.form(ofMember(removalPage), removeTeamMember),
    },
  };
}

function requireOwner({ teams }: Settings): Middleware {
  return (context, next) => {
    if (context.get(Member)?.role === teams.owner) return next();
    reportDenied(context, "forbidden", ownAccount(context).id);
    return context.createErrorResponse({ status: 403 });
  };
}

function teamOf({ params }: RequestContext): string | undefined {
  return (params as { readonly team?: string }).team;
}

function teamsActions(answers: Answers) {
  const read = async (call: ViewCall) => {
    const { context, services: { teams } } = call;
    const account = ownAccount(context);
    const invitations: ShownInvitation[] = [];
    for (const invitation of await teams.invitationsOf(account)) {
      const team = await teams.store.find(invitation.teamId);
      if (team !== null) invitations.push({ invitation, team });
    }
    return { list: await teams.store.list(account.id), invitations };
  };
  return answers.form(
    async (call, state) => teamsView(call, state, await read(call)),
    createTeam,
    {
      json: async (call) => {
        const { invitations, list } = await read(call);
        return {
          teams: list.map(({ member: { role }, team }) => ({ ...team, role })),
          invitations: invitations.map(({ invitation, team }) => ({
            id: invitation.id,
            team: team.name,
            role: invitation.role,
          })),
        };
      },
    },
  );
}

async function readTeam(call: ViewCall) {
  const { services: { teams } } = call;
  const own = ownMembership(call);
  const isOwner = own.role === teams.owner;
  return {
    own,
    isOwner,
    members: await teams.store.members(own.teamId),
    invitations: isOwner ? await teams.openInvitations(own.teamId) : [],
  };
}

async function teamPage(call: ViewCall): Promise<View> {
  return teamView(call, await readTeam(call));
}

async function teamJSON(call: ViewCall): Promise<object> {
  const { own, members, invitations } = await readTeam(call);
  return {
    id: own.teamId,
    name: own.teamName,
    role: own.role,
    members: members.map(({ id, name, email, role }) => ({
      id,
      name,
      email,
      role,
    })),
    invitations: invitations.map(({ id, email, role }) => ({
      id,
      email,
      role,
    })),
  };
}

function invitePage(call: ViewCall, state: FormState): View {
  const { services: { teams } } = call;
  return inviteView(call, state, ownMembership(call), teams.roles);
}

async function invitationPage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { context, services: { teams } } = call;
  const account = ownAccount(context);
  const { invitation: id } = context.params as { readonly invitation?: string };
  const own = await teams.invitationsOf(account);
  const invitation = own.find((one) => one.id === id);
  const team = invitation && await teams.store.find(invitation.teamId);
  const shown = invitation && team ? { invitation, team } : null;
  return invitationView(call, state, { shown, email: account.email });
}

type MemberPage = (
  call: ViewCall,
  state: FormState,
  member: NonNullable<Awaited<ReturnType<typeof namedMember>>>,
) => View;

/** Creates a page of a member, or one that says that there is no such member. */
function ofMember(page: MemberPage) {
  return async (call: ViewCall, state: FormState): Promise<View> => {
    const member = await namedMember(call);
    if (member !== null) return page(call, state, member);
    const { memberGone } = call.messages.teams;
    return { ...accountView(call, memberGone, NOTHING), status: 404 };
  };
}

const NOTHING = "";

const memberPage: MemberPage = (call, state, member) => {
  const { roles } = call.services.teams;
  return memberView(call, state, { member, own: ownMembership(call), roles });
};

const removalPage: MemberPage = (call, state, member) =>
  memberRemovalView(call, state, { member, own: ownMembership(call) });
