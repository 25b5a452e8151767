import { credentialsAuthResult } from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect } from "@gatehouse/web/fetch-router";
import { reportSecurityEvent } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { endSessionsAndTokens } from "../end_access.ts";
import { failed, PasswordChange } from "../forms.ts";
import { passwordChangedMail } from "../mails.ts";
import { sendMail } from "../outbox.ts";
import { passwordPage } from "../pages/password_page.ts";
import { hashNewPassword, passwordProvider, TOO_COMMON } from "../passwords.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";
import { setFirstPassword } from "./first_password.ts";

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
        if (!user.hasPassword) {
          return await setFirstPassword(services, context, user);
        }
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
          return slowDown(context, proof.retryAfter, answer);
        }
        const notYours = { currentPassword: "This is not your password" };
        if (!proof.ok) return refuse(notYours);
        const after = await hashNewPassword(services, result.value.password);
        if (after === null) return refuse({ password: TOO_COMMON });
        // Only if the password is still the one that was verified.
        const before = proof.user.passwordHash;
        const version = await users.changePassword(user, before, after);
        if (version === null) return refuse(notYours);
        reportSecurityEvent(context, {
          action: "password-change",
          userId: user.id,
        });
        const session = context.get(Session);
        const access = { userId: user.id, version };
        await endSessionsAndTokens(services, context, access, session.id);
        if (user.email !== null) {
          sendMail(context, passwordChangedMail(services, user.email));
        }
        session.flash(
          "message",
          "Your password is changed. Your other sessions have ended, and your access tokens are revoked.",
        );
        return redirect(routes.account.profile.show.href());
      },
    },
  });
}
