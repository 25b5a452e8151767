import { Auth } from "@gatehouse/web/auth-middleware";
import type { EmailLoginResult } from "@gatehouse/web/auth/email-login";
import { html } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { endSessionsAndTokens } from "../end_access.ts";
import { failed, ResetRequest } from "../forms.ts";
import { changeEmailMail, emailChangedMail } from "../mails.ts";
import { createNotMeToken } from "../not_me.ts";
import { sendMail } from "../outbox.ts";
import { accountPage } from "../pages/account_page.ts";
import {
  codeField,
  linkPage,
  otherBrowserPage,
  uselessLinkPage,
} from "../pages/email_pages.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { sendProof } from "../verify_email.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

const { verify, send, link, change, changeLink } = routes.account.email;
const index = verify.index.href();

/** Adds the page that verifies the address of a user, and changes it. */
export function addAccountEmail(router: AppRouter, services: Services): void {
  addVerification(router, services);
  addChange(router, services);
}

function addVerification(router: AppRouter, services: Services): void {
  const { emailProof, users } = services;
  const middleware = [requireLogin] as const;

  async function finish(
    context: RequestContext,
    user: User,
    result: EmailLoginResult,
  ): Promise<Response> {
    if (!result.ok) return await refused(context, user, result);
    const isOwn = result.account === user.id &&
      result.version === user.accessVersion &&
      await users.verifyEmail(user, result.email);
    if (!isOwn) return uselessLinkPage(context, index);
    context.get(Session).flash("message", "Your address is verified");
    return redirect(index);
  }

  router.map(verify, {
    middleware,
    actions: {
      index: (context) => emailPage(context, context.get(Auth), {}),
      async action(context) {
        const code = context.get(FormData).get("code");
        const result = await emailProof.verifyCode(context, code);
        return await finish(context, context.get(Auth), result);
      },
    },
  });

  router.post(send, { middleware }, async (context) => {
    await sendProof(context, services, context.get(Auth));
    context.get(Session).flash("message", "The email is on its way");
    return redirect(index);
  });

  // The link needs no login: another browser gets the code to type.
  router.map(link, {
    actions: {
      async index(context) {
        const token = context.url.searchParams.get("token");
        return linkPage(context, await emailProof.open(context, token), {
          title: "Verify your address",
          button: "Verify",
          action: link.action.href(),
          again: index,
          token,
        });
      },
      async action(context) {
        const user = context.get(Auth);
        if (user === null) return redirect(index);
        const token = context.get(FormData).get("token");
        const result = await emailProof.verifyLink(context, token);
        return await finish(context, user, result);
      },
    },
  });
}

function addChange(router: AppRouter, services: Services): void {
  const { emailChange, users } = services;

  async function finish(
    context: RequestContext,
    user: User,
    result: EmailLoginResult,
  ): Promise<Response> {
    if (!result.ok) return await refused(context, user, result, change);
    const isOwn = result.account === user.id &&
      result.version === user.accessVersion;
    if (!isOwn) return uselessLinkPage(context, index);
    const version = await users.changeEmail(user, result.email);
    if (version === null) {
      if (!await users.hasAccess(user)) return redirect(index);
      const error = "This address belongs to another account";
      return changePage(context, { error }, 422);
    }
    // The old address must learn of it: the change may be a theft.
    if (user.email !== null) {
      const since = services.now();
      const way = { kind: "address", email: user.email, since } as const;
      const token = await createNotMeToken(services, user, way);
      const changed = { email: result.email, token };
      sendMail(context, emailChangedMail(services, user.email, changed));
    }
    const session = context.get(Session);
    const access = { userId: user.id, version };
    await endSessionsAndTokens(services, context, access, session.id);
    session.flash(
      "message",
      "Your new address is saved, and your other sessions have ended",
    );
    return redirect(index);
  }

  router.map(change, {
    middleware: [requireLogin, requireConfirmation(services, index)],
    actions: {
      index: (context) => changePage(context, {}),
      async action(context) {
        const user = context.get(Auth);
        const form = context.get(FormData);
        const code = form.get("code");
        if (code !== null) {
          return await finish(
            context,
            user,
            await emailChange.verifyCode(context, code),
          );
        }
        const parsed = parseSafe(ResetRequest, form);
        if (!parsed.success) {
          const state = failed(form, ["email"], parsed.issues);
          return changePage(context, state, 422);
        }
        const { email } = parsed.value;
        const { accessVersion: version, id: account } = user;
        const request = { email, account, version };
        const mail = await emailChange.start(context, request);
        if (mail !== null) sendMail(context, changeEmailMail(services, mail));
        return changePage(context, {}, 200, email);
      },
    },
  });

  router.map(changeLink, {
    actions: {
      async index(context) {
        const token = context.url.searchParams.get("token");
        return linkPage(context, await emailChange.open(context, token), {
          title: "Change your address",
          button: "Use this address",
          action: changeLink.action.href(),
          again: change.index.href(),
          token,
        });
      },
      async action(context) {
        const user = context.get(Auth);
        if (user === null) return redirect(index);
        const token = context.get(FormData).get("token");
        const result = await emailChange.verifyLink(context, token);
        return await finish(context, user, result);
      },
    },
  });
}

/** Creates the response to a link or a code that does not work. */
async function refused(
  context: RequestContext,
  user: User,
  result: Extract<EmailLoginResult, { ok: false }>,
  form: typeof change | typeof verify = verify,
): Promise<Response> {
  const show = (state: FormState, status: number) =>
    form === change
      ? changePage(context, state, status, "your new address")
      : emailPage(context, user, state, status);
  switch (result.reason) {
    case "expired":
      return uselessLinkPage(context, form.index.href());
    case "other-browser":
      return otherBrowserPage(context, result);
    case "wrong":
      return show({ errors: { code: "This code is wrong" } }, 422);
    case "throttled": {
      const { retryAfter } = result;
      const page = show({ error: waitText(retryAfter) }, 429);
      return await slowDown(context, retryAfter, page);
    }
  }
}

function emailPage(
  context: RequestContext,
  { email, emailVerified }: User,
  state: FormState,
  status = 200,
): Response {
  const proof = emailVerified ? "verified" : "not verified yet";
  return accountPage(context, {
    title: "Email",
    status,
    content: html`
      ${errorSummary(state)}
      <p>
        ${email === null
          ? "Your account has no email address."
          : html`Your address is <strong>${email}</strong>, ${proof}.`}
      </p>
      ${email !== null && !emailVerified && html`
        <p>
          We have sent an email when you registered. Open its link in this browser,
          or type its code here.
        </p>
        <form method="post" action="${verify.action.href()}" novalidate>
          ${codeField("Six digits. They work once, for ten minutes.", state)}
          <button>Verify</button>
        </form>
        <form method="post" action="${send.href()}">
          <button class="quiet">Send a new email</button>
        </form>
      `}
      <p><a href="${change.index.href()}">Change your address</a></p>
    `,
  });
}

/** @param sentTo The address that an email was sent to. */
function changePage(
  context: RequestContext,
  state: FormState,
  status = 200,
  sentTo?: string,
): Response {
  const content = sentTo === undefined
    ? html`
      ${errorSummary(state)}
      <form method="post" action="${change.action.href()}" novalidate>
        ${field({
          name: "email",
          label: "New email",
          type: "email",
          autocomplete: "email",
        }, state)}
        <button>Send the email</button>
      </form>
    `
    : html`
      ${errorSummary(state)}
      <p>
        We have sent an email to ${sentTo}. Open its link in this browser, or type
        its code here.
      </p>
      <form method="post" action="${change.action.href()}" novalidate>
        ${codeField("Six digits. They work once, for ten minutes.", state)}
        <button>Use this address</button>
      </form>
    `;
  const title = "Change your address";
  return accountPage(context, { title, status, content });
}
