import { html, type Markup } from "../../router/content/mod.ts";
import type { Invitation } from "../invitations/invitations.ts";
import { DEFAULT_ROLES } from "../actions/roles.ts";
import { adminView } from "./admin_pages.ts";
import { emailField, errorSummary, type FormState, select } from "./fields.ts";
import type { PageCall, View } from "./page.ts";
import { dayOf, factRow, rowButton, rowList } from "./rows.ts";

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
      ${rowList(list.map((one) => invitationRow(call, one)), admin.inviteNone)}
    `,
  );
}

function invitationRow(
  { messages: { admin }, services: { adminRoutes } }: PageCall,
  { email, expiresAt, role }: Invitation,
): Markup {
  const expiry = admin.inviteExpires(dayOf(expiresAt));
  const inputs = { do: "withdraw", email };
  return factRow(
    email,
    [...role === null ? [] : [role], expiry],
    rowButton(adminRoutes.invitations.action.href(), inputs, {
      label: admin.withdrawNamed(email),
      text: admin.withdraw,
    }),
  );
}
