import type { EmailLoginResult } from "@gatehouse/web/auth/email-login";
import { html } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import {
  redirect,
  type RequestContext,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import { failed, ResetRequest } from "../forms.ts";
import { beginLogIn } from "../log_in.ts";
import { loginMail } from "../mails.ts";
import { sendMail } from "../outbox.ts";
import {
  codeField,
  linkPage,
  otherBrowserPage,
  uselessLinkPage,
} from "../pages/email_pages.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { narrowPage } from "../pages/layout.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { claimAccount } from "../verify_email.ts";

const { request, code, link } = routes.emailLogin;

/** Adds the login with a link or a code in an email. */
export function addEmailLogin(router: AppRouter, services: Services): void {
  const { emailLogin, users } = services;

  router.map(request, {
    actions: {
      index: (context) => requestPage(context, {}),
      async action(context) {
        const form = context.get(FormData);
        const result = parseSafe(ResetRequest, form);
        if (!result.success) {
          const state = failed(form, ["email"], result.issues);
          return requestPage(context, state, 422);
        }
        const user = await users.findByEmail(result.value.email);
        // Also for unknown addresses: the time must not reveal accounts.
        const mail = await emailLogin.start(context, {
          email: result.value.email,
          account: user?.id ?? null,
          version: user?.accessVersion,
          data: returnToOf(context).slice(0, 500),
        });
        if (mail !== null) sendMail(context, loginMail(services, mail));
        return redirect(code.index.href());
      },
    },
  });

  router.map(code, {
    actions: {
      index: (context) => codePage(context, {}),
      async action(context) {
        const typed = context.get(FormData).get("code");
        const result = await emailLogin.verifyCode(context, typed);
        return await finish(context, services, result);
      },
    },
  });

  router.map(link, {
    actions: {
      async index(context) {
        const token = context.url.searchParams.get("token");
        return linkPage(context, await emailLogin.open(context, token), {
          title: "Log in",
          button: "Log in",
          action: link.action.href(),
          again: request.index.href(),
          token,
        });
      },
      async action(context) {
        const token = context.get(FormData).get("token");
        const result = await emailLogin.verifyLink(context, token);
        return await finish(context, services, result);
      },
    },
  });
}

/** Logs in the owner of the address, after the second factor if there is one. */
async function finish(
  context: RequestContext,
  services: Services,
  result: EmailLoginResult,
): Promise<Response> {
  const again = request.index.href();
  if (result.ok) {
    const user = await claimAccount(context, services, result);
    if (user === null) return uselessLinkPage(context, again);
    const returnTo = safeRedirectPath(result.data);
    const methods = ["email"];
    const options = { methods, returnTo };
    return redirect(await beginLogIn(context, services, user, options));
  }
  if (result.reason === "expired") return uselessLinkPage(context, again);
  if (result.reason === "other-browser") {
    return otherBrowserPage(context, result);
  }
  if (result.reason === "wrong") {
    const errors = { code: "This code is wrong" };
    return codePage(context, { errors }, 422);
  }
  const { retryAfter } = result;
  const page = codePage(context, { error: waitText(retryAfter) }, 429);
  return await slowDown(context, retryAfter, page);
}

function returnToOf({ url }: RequestContext): string {
  return safeRedirectPath(url.searchParams.get("returnTo"));
}

function requestPage(
  context: RequestContext,
  state: FormState,
  status = 200,
): Response {
  const returnTo = returnToOf(context);
  const search = returnTo === "/" ? undefined : { returnTo };
  const content = html`
    ${errorSummary(state)}
    <p>We will email you a link and a code.</p>
    <form method="post" action="${request.action.href({}, search)}" novalidate>
      ${field({
        name: "email",
        label: "Email",
        type: "email",
        autocomplete: "username",
      }, state)}
      <button>Send the email</button>
    </form>
    <p class="aside">
      <a href="${routes.login.index.href(
        {},
        search,
      )}">Log in with a password</a>
    </p>
  `;
  return narrowPage(context, { title: "Log in by email", content, status });
}

/** Creates the same page for every address: it must not reveal accounts. */
function codePage(
  context: RequestContext,
  state: FormState,
  status = 200,
): Response {
  const content = html`
    ${errorSummary(state)}
    <p>
      If this address has an account, we have sent it an email. Open its link in
      this browser, or type its code here. An address gets at most 11 emails an
      hour: if others ask for them too, open the link of the latest one.
    </p>
    <form method="post" action="${code.action.href()}" novalidate>
      ${codeField("Six digits. They work once, for ten minutes.", state)}
      <button>Log in</button>
    </form>
    <p class="hint">
      This example sends no email: it is printed where the server runs.
    </p>
    <p class="aside">
      <a href="${request.index.href()}">Request a new email</a>
    </p>
  `;
  return narrowPage(context, { title: "Check your email", content, status });
}
