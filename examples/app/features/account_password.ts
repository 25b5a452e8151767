import { credentialsAuthResult } from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { endSessionsAndTokens } from "../end_access.ts";
import { failed, PasswordChange } from "../forms.ts";
import { html, type Markup } from "../html.ts";
import { keepAccess } from "../log_in.ts";
import { accountPage } from "../pages/account_page.ts";
import {
  errorSummary,
  field,
  type FormState,
  method,
} from "../pages/form_fields.ts";
import { hashNewPassword, passwordProvider, TOO_COMMON } from "../passwords.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

/** Adds the page that changes the password. */
export function addAccountPassword(
  router: AppRouter,
  services: Services,
): void {
  const { users } = services;
  const currentPassword = passwordProvider(services, (context) => {
    const email = context.get(Auth)?.email;
    const password = context.get(FormData).get("currentPassword");
    return email && typeof password === "string" ? { email, password } : null;
  });

  router.map(routes.account.password, {
    middleware: [requireLogin, requireConfirmation(services)],
    actions: {
      index: (context) => passwordPage(context, context.get(Auth), {}),
      async action(context) {
        const user = context.get(Auth);
        const refuse = (errors: Record<string, string>) =>
          passwordPage(context, user, { errors }, 422);
        const result = parseSafe(PasswordChange, context.get(FormData));
        if (!result.success) {
          const state = failed(context.get(FormData), [], result.issues);
          return passwordPage(context, user, state, 422);
        }
        const proof = await credentialsAuthResult(currentPassword, context);
        if (!proof.ok && proof.reason === "throttled") {
          const error = waitText(proof.retryAfter);
          const answer = passwordPage(context, user, { error }, 429);
          return slowDown(proof.retryAfter, answer);
        }
        const notYours = { currentPassword: "This is not your password" };
        if (!proof.ok) return refuse(notYours);
        const after = await hashNewPassword(result.value.password);
        if (after === null) return refuse({ password: TOO_COMMON });
        // Only if the password is still the one that was verified.
        const before = proof.user.passwordHash;
        const version = await users.changePassword(user.id, before, after);
        if (version === null) return refuse(notYours);
        const session = context.get(Session);
        keepAccess(session, version);
        await endSessionsAndTokens(services, context, user.id, session.id);
        session.flash(
          "message",
          "Your password is changed, your other sessions and your access tokens are ended",
        );
        return redirect(routes.account.profile.show.href());
      },
    },
  });
}

function passwordPage(
  context: RequestContext,
  user: User,
  state: FormState,
  status = 200,
): Response {
  return accountPage(context, {
    title: "Password",
    status,
    content: user.hasPassword ? passwordForm(user, state) : html`
      <p>This account has no password: you log in at an identity provider.</p>
    `,
  });
}

function passwordForm(user: User, state: FormState): Markup {
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
      ${field({
        name: "password",
        label: "New password",
        type: "password",
        autocomplete: "new-password",
        hint:
          "At least 8 characters. It ends your other sessions and your access tokens. API keys stay.",
      }, state)}
      ${field({
        name: "confirmPassword",
        label: "New password, once more",
        type: "password",
        autocomplete: "new-password",
      }, state)}
      <button>Change password</button>
    </form>
  `;
}
