import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { User } from "../data/users.ts";
import { endSessionsAndTokens } from "../end_access.ts";
import { failed, NewPassword } from "../forms.ts";
import { html, type Markup } from "../html.ts";
import { keepAccess } from "../log_in.ts";
import { firstPasswordMail } from "../mails.ts";
import { accountPage } from "../pages/account_page.ts";
import { errorSummary, type FormState, method } from "../pages/form_fields.ts";
import { newPasswordFields } from "../pages/new_password_fields.ts";
import { hashNewPassword, TOO_COMMON } from "../passwords.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { loginPath } from "./account.ts";

/** Creates the page of a user who has only logged in at identity providers. */
export function firstPasswordPage(
  context: RequestContext,
  user: User,
  state: FormState,
  status = 200,
): Response {
  return accountPage(context, {
    title: "Password",
    status,
    content: user.email === null
      ? html`
        <p>
          You log in at an identity provider that has not verified your email
          address. An account without an address cannot have a password.
        </p>
      `
      : form(user.email, state),
  });
}

function form(email: string, state: FormState): Markup {
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

/** Sets the first password of a user. */
export async function setFirstPassword(
  services: Services,
  context: RequestContext,
  user: User,
): Promise<Response> {
  const { users, sendMail } = services;
  if (user.email === null) return firstPasswordPage(context, user, {}, 422);
  const input = context.get(FormData);
  const result = parseSafe(NewPassword, input);
  if (!result.success) {
    const state = failed(input, [], result.issues);
    return firstPasswordPage(context, user, state, 422);
  }
  const hash = await hashNewPassword(result.value.password);
  if (hash === null) {
    const errors = { password: TOO_COMMON };
    return firstPasswordPage(context, user, { errors }, 422);
  }
  const version = await users.setFirstPassword(user, hash);
  // Access was ended, or another request was faster.
  if (version === null) return redirect(loginPath);
  const session = context.get(Session);
  keepAccess(session, version);
  await endSessionsAndTokens(services, context, user.id, session.id);
  sendMail(firstPasswordMail(services, user.email));
  session.flash("message", "You can now log in with your email and password");
  return redirect(routes.account.profile.show.href());
}
