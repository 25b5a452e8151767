import { html, type Markup } from "../../router/content/mod.ts";
import type {
  FoundMember,
  ListedMember,
  StoredInvitation,
  StoredTeam,
} from "../store/teams.ts";
import type { Membership } from "../teams/member.ts";
import {
  emailField,
  errorSummary,
  field,
  type FormState,
  select,
} from "./fields.ts";
import { accountView, card, type PageCall, type View } from "./page.ts";
import { dayOf, factRow, rowButton, rowLink } from "./rows.ts";

/** An invitation with the name of its team. */
export interface ShownInvitation {
  readonly invitation: StoredInvitation;
  readonly team: StoredTeam;
}

/** Creates the page of the user's teams. */
export function teamsView(
  call: PageCall,
  state: FormState,
  { list, invitations }: {
    readonly list: readonly FoundMember[];
    readonly invitations: readonly ShownInvitation[];
  },
): View {
  const { teams } = call.messages;
  const { routes } = call.services;
  const hrefOf = (team: string) => routes.team.href({ team });
  return accountView(
    call,
    teams.title,
    html`
      ${errorSummary(call.messages, state)}
      <p>${teams.text}</p>
      ${invitations.length > 0 && invitationRows(call, invitations)}
      ${list.length === 0
        ? html`
          <p class="hint">${teams.none}</p>
        `
        : html`
          <h2>${teams.yours}</h2>
          <ul class="rows">${list.map((
            { member: { role }, team: { id, name } },
          ) =>
            factRow(
              name,
              [role],
              rowLink(hrefOf(id), teams.view, teams.viewNamed(name)),
            )
          )}</ul>
        `}
      ${creation(call, state)}
    `,
  );
}

function invitationRows(
  { messages: { teams }, services: { routes } }: PageCall,
  invitations: readonly ShownInvitation[],
): Markup {
  const hrefOf = (invitation: string) =>
    routes.invitation.index.href({ invitation });
  return html`
    <h2>${teams.invitations}</h2>
    <ul class="rows">${invitations.map(({ invitation: { id, role }, team }) =>
      factRow(
        team.name,
        [role],
        rowLink(hrefOf(id), teams.view, teams.viewNamed(team.name)),
      )
    )}</ul>
  `;
}

function creation(
  { messages: { teams }, services: { routes } }: PageCall,
  state: FormState,
): Markup {
  return html`
    <h2>${teams.create}</h2>
    <form method="post" action="${routes.teams.action.href()}" novalidate>
      ${field({
        name: "name",
        label: teams.teamName,
        autocomplete: "organization",
      }, state)}
      <button>${teams.create}</button>
    </form>
  `;
}

/** Creates the page of a team. */
export function teamView(
  call: PageCall,
  { own, isOwner, members, invitations }: {
    readonly own: Membership;
    readonly isOwner: boolean;
    readonly members: readonly ListedMember[];
    readonly invitations: readonly StoredInvitation[];
  },
): View {
  const { messages, services: { routes } } = call;
  const { teams } = messages;
  const team = own.teamId;
  const leave = routes.memberRemoval.index.href({ team, member: own.id });
  return accountView(
    call,
    own.teamName,
    html`
      ${memberRows(call, { own, isOwner, members })}
      ${isOwner && invitations.length > 0 && html`
        <h2>${teams.open}</h2>
        <ul class="rows">${invitations.map((one) => openRow(call, one))}</ul>
      `}
      <p class="actions">
        ${isOwner && html`
          <a class="button" href="${routes.invite.index.href({ team })}">${teams
            .invite}</a>
        `}
        <a class="button quiet" href="${leave}">${teams.leave}</a>
      </p>
    `,
  );
}

function memberRows(
  { messages: { teams }, services: { routes } }: PageCall,
  { own, isOwner, members }: {
    readonly own: Membership;
    readonly isOwner: boolean;
    readonly members: readonly ListedMember[];
  },
): Markup {
  const hrefOf = (member: string) =>
    routes.member.index.href({ team: own.teamId, member });
  return html`
    <h2>${teams.members}</h2>
    <ul class="rows">${members.map(({ id, email, name, role }) =>
      factRow(
        name + (id === own.id ? ` (${teams.you})` : ""),
        [email, role],
        isOwner && rowLink(hrefOf(id), teams.change, teams.changeNamed(name)),
      )
    )}</ul>
  `;
}

function openRow(
  { messages: { teams }, services: { routes } }: PageCall,
  { email, expiresAt, id, role, teamId: team }: StoredInvitation,
): Markup {
  return factRow(
    email,
    [role, teams.expires(dayOf(expiresAt))],
    rowButton(routes.withdrawal.href({ team }), { invitation: id }, {
      label: teams.withdrawNamed(email),
      text: teams.withdraw,
    }),
  );
}

/** Creates the page that invites an address. */
export function inviteView(
  call: PageCall,
  state: FormState,
  own: Membership,
  roles: readonly string[],
): View {
  const { messages, services: { routes } } = call;
  const { teams } = messages;
  const team = own.teamId;
  const chosen = { role: roles.at(-1)!, ...state.values };
  return accountView(
    call,
    teams.invite,
    html`
      ${errorSummary(messages, state)}
      <p>${teams.inviteText}</p>
      <form method="post" action="${routes.invite.action.href({ team })}"
        novalidate>
        ${emailField(messages.email, "off", state)}
        ${select({ name: "role", label: teams.role }, roles, {
          ...state,
          values: chosen,
        })}
        <div class="actions">
        <button>${teams.inviteButton}</button>
        <a class="button quiet" href="${routes.team.href({ team })}">${messages
          .cancel}</a>
        </div>
      </form>
    `,
  );
}

/** Creates the page of an invitation, which its address accepts or declines. */
export function invitationView(
  { messages, services: { routes } }: PageCall,
  state: FormState,
  { shown, email }: {
    readonly shown: ShownInvitation | null;
    readonly email: string;
  },
): View {
  const { teams } = messages;
  if (shown === null) {
    const view = card(
      teams.invitationGone,
      html`
        <p>${teams.invitationGoneText(email)}</p>
        <p class="links"><a href="${routes.teams.index.href()}">${teams
          .title}</a></p>
      `,
    );
    return { ...view, status: 404 };
  }
  const { invitation, team } = shown;
  const action = routes.invitation.action.href({ invitation: invitation.id });
  return card(
    teams.invitationTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${teams.invitationText(team.name, invitation.role)}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="answer" value="accept">
        <button>${teams.accept}</button>
      </form>
      <form method="post" action="${action}">
        <input type="hidden" name="answer" value="decline">
        <button class="quiet">${teams.decline}</button>
      </form>
    `,
  );
}

/** Creates the page that changes a member. */
export function memberView(
  call: PageCall,
  state: FormState,
  { member, own, roles }: {
    readonly member: ListedMember;
    readonly own: Membership;
    readonly roles: readonly string[];
  },
): View {
  const { messages, services: { routes } } = call;
  const { teams } = messages;
  const params = { team: own.teamId, member: member.id };
  const action = routes.member.action.href(params);
  return accountView(
    call,
    member.name,
    html`
      ${errorSummary(messages, state)}
      <p>${member.email}</p>
      <form method="post" action="${action}">
        ${select({ name: "role", label: teams.role }, roles, {
          ...state,
          values: { role: member.role, ...state.values },
        })}
        <div class="actions">
        <button>${messages.save}</button>
        <a class="button quiet" href="${routes.team.href(params)}">${messages
          .cancel}</a>
        </div>
      </form>
      ${member.id !== own.id && otherMember(call, member)}
    `,
  );
}

/** Creates the forms that apply only to other members. */
function otherMember(
  { messages: { teams }, services: { routes } }: PageCall,
  { id: member, name, teamId: team }: ListedMember,
): Markup {
  const action = routes.member.action.href({ team, member });
  const removal = routes.memberRemoval.index.href({ team, member });
  return html`
    <h2>${teams.handOver}</h2>
    <p>${teams.handOverText(name)}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="handOver" value="on">
      <button class="danger">${teams.handOver}</button>
    </form>
    <h2>${teams.remove}</h2>
    <p>${teams.removeText}</p>
    <p><a class="button danger" href="${removal}">${teams.remove}</a></p>
  `;
}

/** Creates the page that asks before a membership ends. */
export function memberRemovalView(
  call: PageCall,
  state: FormState,
  { member, own }: {
    readonly member: ListedMember;
    readonly own: Membership;
  },
): View {
  const { messages, services: { routes } } = call;
  const { teams } = messages;
  const params = { team: own.teamId, member: member.id };
  const isSelf = member.id === own.id;
  return accountView(
    call,
    isSelf ? teams.leaveTitle(own.teamName) : teams.removeTitle(member.name),
    html`
      ${errorSummary(messages, state)}
      <p>${isSelf ? teams.leaveText : teams.removeText}</p>
      <form method="post" action="${routes.memberRemoval.action.href(params)}">
        <div class="actions">
          <button class="danger">${isSelf ? teams.leave : teams.remove}</button>
          <a class="button quiet" href="${routes.team.href(params)}">${messages
            .cancel}</a>
        </div>
      </form>
    `,
  );
}
