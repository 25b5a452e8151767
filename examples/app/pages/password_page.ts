import { html, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { User } from "../data/users.ts";
import { routes } from "../routes.ts";
import { accountPage } from "./account_page.ts";
import { errorSummary, field, type FormState, method } from "./form_fields.ts";
import { newPasswordFields } from "./new_password_fields.ts";

/** Creates the page that changes the password of a user, or sets the first. */
export function passwordPage(
  context: RequestContext,
  user: User,
  state: FormState,
  status = 200,
): Response {
  return accountPage(context, {
    title: "Password",
    status,
    content: user.hasPassword
      ? changeForm(user, state)
      : firstForm(user, state),
  });
}

function changeForm(user: User, state: FormState): Markup {
  return html`
    ${errorSummary(state)}
    <form method="post" action="${routes.account.password.action.href()}"
      novalidate>
      ${method("PUT")}
      <input type="text" name="username" autocomplete="username" hidden
        value="${user.email}">
      ${field({
        name: "currentPassword",
        label: "Current password",
        type: "password",
        autocomplete: "current-password",
      }, state)}
      ${newPasswordFields(
        "At least 8 characters. This ends your other sessions and revokes your access tokens. API keys stay.",
        state,
      )}
      <button>Change password</button>
    </form>
  `;
}

/** Creates the form of a user who has only logged in at identity providers. */
function firstForm({ email }: User, state: FormState): Markup {
  if (email === null) {
    return html`
      <p>
        You log in at an identity provider that has not verified your email
        address. An account without an address cannot have a password.
      </p>
    `;
  }
  return html`
    ${errorSummary(state)}
    <p>
      You log in at an identity provider. With a password, you can also log in
      with your email address ${email}.
    </p>
    <form method="post" action="${routes.account.password.action.href()}"
      novalidate>
      ${method("PUT")}
      <input type="text" name="username" autocomplete="username" hidden
        value="${email}">
      ${newPasswordFields("At least 8 characters.", state)}
      <button>Set password</button>
    </form>
  `;
}
