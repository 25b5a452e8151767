import { html, type Markup } from "../../router/content/mod.ts";
import type { Invitation } from "../invitations/invitations.ts";
import { DEFAULT_ROLES } from "../actions/roles.ts";
import { adminView } from "./admin_pages.ts";
import { emailField, errorSummary, type FormState, select } from "./fields.ts";
import type { PageCall, View } from "./page.ts";

/** Creates the page of the invitations to register. */
export function invitationsView(
  call: PageCall,
  state: FormState,
  list: readonly Invitation[],
): View {
  const { messages, services: { adminRoutes, names } } = call;
  const { admin, email: label } = messages;
  const action = adminRoutes.invitations.action.href();
  return adminView(
    call,
    admin.invitations,
    html`
      ${errorSummary(messages, state)}
      <p>${admin.inviteText}</p>
      <form method="post" action="${action}" novalidate>
        <input type="hidden" name="do" value="invite">
        ${emailField(label, "off", state)}
        ${select(
          { name: "role", label: admin.role },
          names.roles ?? DEFAULT_ROLES,
          state,
        )}
        <button>${admin.invite}</button>
      </form>
      <h2>${admin.inviteOpen}</h2>
      ${list.length === 0
        ? html`<p class="hint">${admin.inviteNone}</p>`
        : html`<ul class="rows">${
          list.map((one) => invitationRow(call, one))
        }</ul>`}
    `,
  );
}

function invitationRow(
  { messages: { admin }, services: { adminRoutes } }: PageCall,
  { email, expiresAt, role }: Invitation,
): Markup {
  const day = new Date(expiresAt).toISOString().slice(0, 10);
  const facts = [...role === null ? [] : [role], admin.inviteExpires(day)];
  return html`
    <li>
      <div>
        <strong>${email}</strong>
        <p class="hint">${facts.join(" · ")}</p>
      </div>
      <form method="post" action="${adminRoutes.invitations.action.href()}">
        <input type="hidden" name="do" value="withdraw">
        <input type="hidden" name="email" value="${email}">
        <button class="quiet" aria-label="${admin.withdrawNamed(email)}">
          ${admin.withdraw}
        </button>
      </form>
    </li>
  `;
}
