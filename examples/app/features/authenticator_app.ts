import { completeAuth } from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import type { TOTPSetup } from "@gatehouse/web/auth/second-factor";
import { html } from "@gatehouse/web/content";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { endOtherSessions } from "../end_access.ts";
import { unlessEnded } from "../log_in.ts";
import { factorMail } from "../mails.ts";
import { tellOfNewWayIn } from "../not_me.ts";
import { sendMail } from "../outbox.ts";
import { accountPage } from "../pages/account_page.ts";
import { codeField } from "../pages/email_pages.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { qrCode } from "../pages/qr_code.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

const { setUp, remove } = routes.account.app;
const security = routes.account.security.href();

/** Adds the set-up of an authenticator app, its removal and recovery codes. */
export function addAuthenticatorApp(
  router: AppRouter,
  services: Services,
): void {
  const { factors } = services;
  const middleware = [
    requireLogin,
    requireConfirmation(services, security),
  ] as const;

  router.map(setUp, {
    middleware,
    actions: {
      async index(context) {
        const user = context.get(Auth);
        const name = user.email ?? user.name;
        return setupPage(context, await factors.createTOTP(user.id, name), {});
      },
      async action(context) {
        const user = context.get(Auth);
        const form = context.get(FormData);
        const [setup, code] = [form.get("setup"), form.get("code")];
        const result = await factors.enableTOTP(context, { setup, code });
        if (result.ok) {
          await endOtherSessions(services, context, user);
          // The code is the second factor of this login.
          const methods = ["otp", "mfa"];
          await unlessEnded(completeAuth(context, user.id, { methods }));
          const since = (await factors.status(user.id)).totpSince ?? 0;
          const change = "Your account has a new authenticator app.";
          await tellOfNewWayIn(
            context,
            services,
            user,
            { kind: "app", since },
            change,
          );
          return codesPage(context, result.recoveryCodes);
        }
        if (result.reason !== "wrong") return redirect(setUp.index.href());
        const errors = { code: "This is not the present code of your app" };
        return setupPage(context, result.setup, { errors }, 422);
      },
    },
  });

  router.post(routes.account.recoveryCodes, { middleware }, async (context) => {
    const user = context.get(Auth);
    const codes = await factors.createRecoveryCodes(context);
    if (codes === null) return redirect(security);
    await endOtherSessions(services, context, user);
    tell(context, services, user, "Your account has new recovery codes.");
    return codesPage(context, codes);
  });

  addRemoval(router, services);
}

/** Adds the removal of the second factor, which needs a code of it. */
function addRemoval(router: AppRouter, services: Services): void {
  const { factors } = services;

  router.map(remove, {
    middleware: [requireLogin],
    actions: {
      index: (context) => removalPage(context, {}),
      async action(context) {
        const user = context.get(Auth);
        const code = context.get(FormData).get("code");
        const result = await unlessEnded(factors.confirmCode(context, code));
        if (result === null) return redirect(security);
        if (result.ok) {
          if (!await factors.disable(context)) return redirect(security);
          await endOtherSessions(services, context, user);
          tell(
            context,
            services,
            user,
            "Your account has no second factor any more.",
          );
          const message = "Your second factor is removed";
          context.get(Session).flash("message", message);
          return redirect(security);
        }
        if (result.reason !== "throttled") {
          const errors = { code: "This code is wrong, or was used before" };
          return removalPage(context, { errors }, 422);
        }
        const { retryAfter } = result;
        const state = { error: waitText(retryAfter) };
        const page = removalPage(context, state, 429);
        return slowDown(context, retryAfter, page);
      },
    },
  });
}

function tell(
  context: RequestContext,
  services: Services,
  { email }: User,
  change: string,
): void {
  if (email !== null) sendMail(context, factorMail(services, email, change));
}

function setupPage(
  context: RequestContext,
  { secret, setup, uri }: TOTPSetup,
  state: FormState,
  status = 200,
): Response {
  return accountPage(context, {
    title: "Set up an authenticator app",
    status,
    content: html`
      ${errorSummary(state)}
      <p>Scan this code with your authenticator app.</p>
      ${qrCode(uri, "QR code with the secret of the authenticator app")}
      <p>
        Without a camera, type this secret:
        <code class="wrap" id="totp-secret">${secret.match(/.{4}/g)!.join(
          " ",
        )}</code>
      </p>
      <form method="post" action="${setUp.action.href()}" novalidate>
        <input type="hidden" name="setup" value="${setup}">
        ${codeField("The six digits that the app shows.", state)}
        <button>Finish</button>
      </form>
    `,
  });
}

function codesPage(
  context: RequestContext,
  codes: readonly string[],
): Response {
  return accountPage(context, {
    title: "Your recovery codes",
    content: html`
      <div class="secret">
        <p>
          <strong>Print or copy these codes now.</strong> They cannot be shown
          again. Each one works once, if you lose your phone.
        </p>
        <ol id="recovery-codes">${codes.map((code) =>
          html`
            <li><code>${code}</code></li>
          `
        )}</ol>
      </div>
      <p class="actions"><a class="button" href="${security}">Done</a></p>
    `,
  });
}

function removalPage(
  context: RequestContext,
  state: FormState,
  status = 200,
): Response {
  return accountPage(context, {
    title: "Remove the second factor",
    status,
    content: html`
      ${errorSummary(state)}
      <p>
        Your password alone will open your account. This also removes the recovery
        codes and forgets the remembered browsers.
      </p>
      <form method="post" action="${remove.action.href()}" novalidate>
        ${field({
          name: "code",
          label: "Code",
          autocomplete: "one-time-code",
          hint: "A code of your authenticator app, or a recovery code.",
        }, state)}
        <button class="danger">Remove</button>
      </form>
    `,
  });
}
