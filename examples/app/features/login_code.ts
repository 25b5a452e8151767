import { html } from "@gatehouse/web/content";
import {
  redirect,
  type RequestContext,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import { unlessEnded } from "../log_in.ts";
import { tellOfRecoveryCode } from "../mails.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { narrowPage } from "../pages/layout.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { loginPath } from "./account.ts";

/** Adds the page that asks for the code of the authenticator app at a login. */
export function addLoginCode(router: AppRouter, services: Services): void {
  const { factors, users } = services;

  router.map(routes.loginCode, {
    actions: {
      async index(context) {
        return await factors.pendingLogin(context) === null
          ? redirect(loginPath)
          : codePage(context, {});
      },
      async action(context) {
        const form = context.get(FormData);
        const result = await unlessEnded(
          factors.verifyCode(context, form.get("code"), {
            rememberDevice: form.has("remember"),
          }),
        );
        if (result === null) return redirect(loginPath);
        if (result.ok) {
          const { data, session } = result;
          const user = await users.find(Number(session.userId));
          tellOfRecoveryCode(context, services, user?.email, result);
          session.flash("message", `You are logged in, ${user?.name}`);
          return redirect(safeRedirectPath(data));
        }
        if (result.reason === "missing") return redirect(loginPath);
        if (result.reason === "wrong") {
          const errors = { code: "This code is wrong, or was used before" };
          return codePage(context, { errors }, 422);
        }
        const { retryAfter } = result;
        // Wrong codes of a thief never delay the owner's recovery codes.
        const error = `${waitText(retryAfter)} A recovery code works at once.`;
        const page = codePage(context, { error }, 429);
        return slowDown(context, retryAfter, page);
      },
    },
  });
}

function codePage(
  context: RequestContext,
  state: FormState,
  status = 200,
): Response {
  const content = html`
    ${errorSummary(state)}
    <form method="post" action="${routes.loginCode.action.href()}" novalidate>
      ${field({
        name: "code",
        label: "Code",
        autocomplete: "one-time-code",
        hint:
          "The six digits of your authenticator app, or one of your recovery codes.",
      }, state)}
      <p class="choice">
        <input type="checkbox" id="remember" name="remember">
        <label for="remember">Remember this browser for 30 days</label>
      </p>
      <button>Log in</button>
    </form>
  `;
  return narrowPage(context, { title: "Enter your code", content, status });
}
