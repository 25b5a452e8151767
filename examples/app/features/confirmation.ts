import { credentialsAuthResult } from "@gatehouse/web/auth";
import {
  Auth,
  redirectToLogin,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import {
  redirect,
  type RequestContext,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import type { ExternalLogin } from "../external_logins.ts";
import { Confirmation } from "../forms.ts";
import { unlessEnded } from "../log_in.ts";
import { tellOfRecoveryCode } from "../mails.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { narrowPage } from "../pages/layout.ts";
import { completePasswordLogin, passwordProvider } from "../passwords.ts";
import { passkeyForm } from "./passkey_confirmation.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { loginPath, requireLogin } from "./account.ts";

/** The age of a fresh login: 5 minutes, in milliseconds. */
const FRESH = 5 * 60 * 1000;

/**
 * Creates a middleware that requires a login of the last minutes, so that a
 * browser that was left open is not enough for sensitive changes. Other users
 * confirm their login first. Users with an authenticator app need two factors:
 * otherwise a stolen password could replace the app, or add a passkey.
 *
 * @param index The page of the form. A form that was sent too late cannot be sent
 * again, so the confirmation leads to this page.
 */
export function requireConfirmation(
  { factors, now }: Services,
  index?: string,
) {
  const confirm = routes.account.confirm.index;
  const toConfirmAndBack = redirectToLogin(confirm.href());
  const toConfirm = confirm.href({}, { returnTo: index });
  const onStale = (request: Request) =>
    request.method === "GET" ? toConfirmAndBack(request) : redirect(toConfirm);
  const requireRecent = requireFreshAuth(FRESH, { now, onStale });
  const methods = ["mfa"];
  const requireBoth = requireFreshAuth(FRESH, { now, methods, onStale });
  const middleware: typeof requireRecent = async (context, next) => {
    const user = context.get(Auth);
    const hasApp = user !== null &&
      (await factors.status(Number(user.id))).totp;
    return await (hasApp ? requireBoth : requireRecent)(context, next);
  };
  return middleware;
}

/** Adds the page that asks for the password or a code once more (step-up). */
export function addConfirmation(router: AppRouter, services: Services): void {
  const { factors, identities, logins } = services;
  const password = passwordProvider(services, (context) => {
    const email = context.get(Auth)?.email;
    const result = parseSafe(Confirmation, context.get(FormData));
    return email && result.success
      ? { email, password: result.value.password }
      : null;
  });

  router.map(routes.account.confirm, {
    middleware: [requireLogin],
    actions: {
      async index(context) {
        const user = context.get(Auth);
        const passkey = await passkeyForm(context, services, user);
        if ((await factors.status(user.id)).totp) {
          return codePage(context, {}, 200, passkey);
        }
        if (user.hasPassword) {
          return passwordPage(context, user, {}, 200, passkey);
        }
        const linked = await identities.list(user.id);
        const own = logins.filter(({ name, provider }) =>
          provider.canReauthenticate &&
          linked.some(({ login }) => login === name)
        );
        if (own.length > 0) {
          return confirmPage(context, choice(context, own), 200, passkey);
        }
        return emailPage(context, user.email, {}, 200, passkey);
      },
      async action(context) {
        const user = context.get(Auth);
        if ((await factors.status(user.id)).totp) {
          return await confirmByCode(services, context);
        }
        const result = await credentialsAuthResult(password, context);
        if (result.ok) {
          // The session gets a new id and a new login time.
          const session = await completePasswordLogin(context, result.user);
          return redirect(session === null ? loginPath : returnToOf(context));
        }
        if (result.reason !== "throttled") {
          const errors = { password: "This is not your password" };
          return passwordPage(context, user, { errors }, 422);
        }
        const error = waitText(result.retryAfter);
        const answer = passwordPage(context, user, { error }, 429);
        return slowDown(context, result.retryAfter, answer);
      },
    },
  });
}

/** Confirms the login of a user with an authenticator app. */
async function confirmByCode(
  services: Services,
  context: RequestContext,
): Promise<Response> {
  const code = context.get(FormData).get("code");
  const result = await unlessEnded(
    services.factors.confirmCode(context, code),
  );
  if (result === null) return redirect(loginPath);
  if (result.ok) {
    tellOfRecoveryCode(context, services, context.get(Auth)?.email, result);
    return redirect(returnToOf(context));
  }
  if (result.reason !== "throttled") {
    const errors = { code: "This code is wrong, or was used before" };
    return codePage(context, { errors }, 422);
  }
  const { retryAfter } = result;
  const page = codePage(context, { error: waitText(retryAfter) }, 429);
  return slowDown(context, retryAfter, page);
}

function codePage(
  context: RequestContext,
  state: FormState,
  status = 200,
  passkey?: Markup,
): Response {
  const search = { returnTo: returnToOf(context) };
  const content = html`
    ${errorSummary(state)}
    <p>You logged in a while ago. Please enter a code to continue.</p>
    <form method="post"
      action="${routes.account.confirm.action.href({}, search)}" novalidate>
      ${field({
        name: "code",
        label: "Code",
        autocomplete: "one-time-code",
        hint: "A code of your authenticator app, or a recovery code.",
      }, state)}
      <button>Confirm</button>
    </form>
  `;
  return confirmPage(context, content, status, passkey);
}

/** Returns the path of the page to go on with after the confirmation. */
export function returnToOf({ url }: RequestContext): string {
  const elsewhere = routes.account.password.index.href();
  return safeRedirectPath(url.searchParams.get("returnTo"), elsewhere);
}

function passwordPage(
  context: RequestContext,
  user: User,
  state: FormState,
  status = 200,
  passkey?: Markup,
): Response {
  const search = { returnTo: returnToOf(context) };
  const content = html`
    ${errorSummary(state)}
    <p>You logged in a while ago. Please enter your password again to continue.</p>
    <form method="post"
      action="${routes.account.confirm.action.href({}, search)}" novalidate>
      <input type="text" name="username" autocomplete="username" hidden
        value="${user.email}">
      ${field({
        name: "password",
        label: "Password",
        type: "password",
        autocomplete: "current-password",
      }, state)}
      <button>Confirm</button>
    </form>
  `;
  return confirmPage(context, content, status, passkey);
}

/** Lets users without a password log in again at a provider that asks them. */
function choice(
  context: RequestContext,
  logins: readonly ExternalLogin[],
): Markup {
  const search = { returnTo: returnToOf(context) };
  return html`
    <p>You logged in a while ago. Please log in again to continue.</p>
    <ul class="logins">${logins.map(({ name, label }) => {
      const href = routes.external.start.href({ provider: name }, search);
      return html`
        <li>
          <a class="button quiet" href="${href}">Log in with ${label}</a>
        </li>
      `;
    })}</ul>
  `;
}

/**
 * Offers a link by email to users without a password whose providers do not ask
 * again: one click at those proves nothing.
 */
export function emailPage(
  context: RequestContext,
  email: string | null,
  state: FormState,
  status = 200,
  passkey?: Markup,
): Response {
  const search = { returnTo: returnToOf(context) };
  const { send } = routes.account.confirmByEmail;
  const content = email === null
    ? html`
      <p>
        Your identity provider cannot confirm your identity, and your account
        has no verified email address. Please ask an admin to make this change.
      </p>
    `
    : html`
      ${errorSummary(state)}
      <p>
        Your identity provider cannot ask you to log in again. Instead, we can
        send a link to ${email}.
      </p>
      <form method="post" action="${send.href({}, search)}">
        <button>Send the link</button>
      </form>
    `;
  return confirmPage(context, content, status, passkey);
}

/** Creates a page that confirms a login, also with a passkey if there is one. */
export function confirmPage(
  context: RequestContext,
  content: Markup,
  status = 200,
  passkey?: Markup,
): Response {
  return narrowPage(context, {
    title: "Confirm that it is you",
    status,
    script: passkey && routes.passkeyScript.href(),
    content: html`${content}${passkey}`,
  });
}
