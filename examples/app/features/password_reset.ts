import {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import { html } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import {
  redirect,
  type RequestContext,
  withHeaders,
} from "@gatehouse/web/fetch-router";
import { reportSecurityEvent } from "@gatehouse/web/middleware";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import {
  endSessionsAndTokens,
  PASSWORD_RESET,
  removeLoginsAndKeys,
} from "../end_access.ts";
import { failed, ResetRequest } from "../forms.ts";
import { resetDoneMail, resetMail } from "../mails.ts";
import { sendMail } from "../outbox.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { narrowPage } from "../pages/layout.ts";
import { newPasswordFields } from "../pages/new_password_fields.ts";
import { readNewPassword } from "../passwords.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";

const { request, choose, done } = routes.passwordReset;

/** Adds the reset of a forgotten password, by a link that works once. */
export function addPasswordReset(router: AppRouter, services: Services): void {
  addRequest(router, services);
  addChoice(router, services);
}

/** Adds the page that asks for the address to send the link to. */
function addRequest(router: AppRouter, services: Services): void {
  const { resetThrottle } = services;

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
        const { email } = result.value;
        // Every request counts, so that no mailbox is flooded. The page is always
        // the same: the count of an address reveals that its owner was here.
        const { allowed } = await resetThrottle.attempt(context, email);
        if (allowed) await sendLink(context, services, email);
        return sentPage(context);
      },
    },
  });
}

/**
 * Sends a link to the address, if it has an account with a password. It creates
 * a token in any case, so that response time does not reveal accounts.
 */
async function sendLink(
  context: RequestContext,
  services: Services,
  email: string,
): Promise<void> {
  const { users, store, now } = services;
  const user = await users.findByEmail(email);
  const token = await createOneTimeToken(store, {
    purpose: PASSWORD_RESET,
    account: user?.id ?? "nobody",
    // The link belongs to this address, and ends with the access.
    data: user?.email ?? undefined,
    version: user?.accessVersion,
    now,
  });
  if (!user?.email || !user.hasPassword) return;
  sendMail(context, resetMail(services, user.email, token));
}

/** Adds the page that the link opens. Opening it does not use up the link. */
function addChoice(router: AppRouter, services: Services): void {
  const { store, now } = services;

  router.map(choose, {
    actions: {
      async index(context) {
        const token = context.url.searchParams.get("token");
        const user = await ownerOf(services, token);
        return user === null || token === null
          ? uselessPage(context)
          : choicePage(context, token, {});
      },
      async action(context) {
        const form = context.get(FormData);
        const token = form.get("token");
        // An invalid link is refused before the costly hash of the password.
        const user = await ownerOf(services, token);
        if (user === null || typeof token !== "string") {
          return uselessPage(context);
        }
        const chosen = await readNewPassword(services, form);
        if (!chosen.ok) return choicePage(context, token, chosen.state, 422);
        const use = { purpose: PASSWORD_RESET, token, now };
        const isDone = await takeOneTimeToken(store, use) !== null &&
          await resetPassword(services, context, user, chosen.hash);
        return isDone ? redirect(done.href()) : uselessPage(context);
      },
    },
  });

  router.get(done, donePage);
}

/** Returns the user of a link, if it was sent to their present address. */
async function ownerOf(
  { store, users, now }: Services,
  token: unknown,
): Promise<User | null> {
  const use = { purpose: PASSWORD_RESET, token, now };
  const grant = await readOneTimeToken(store, use);
  const user = grant && await users.find(Number(grant.account));
  return user?.email === grant?.data && user?.accessVersion === grant?.version
    ? user
    : null;
}

/**
 * Sets the password, and removes every other way into the account: `false` if
 * access was ended since the user was read.
 */
async function resetPassword(
  services: Services,
  context: RequestContext,
  user: User,
  hash: string,
): Promise<boolean> {
  const { users, factors, loginThrottle, resetThrottle } = services;
  const { email, emailVerified, id: userId } = user;
  const version = await users.resetPassword(user, hash);
  if (version === null) return false;
  const action = "password-change";
  reportSecurityEvent(context, { action, reason: "reset", userId });
  // Second factors of an account whose address was never proved are not the
  // owner's.
  if (!emailVerified) await factors.remove(userId);
  const removed = await removeLoginsAndKeys(services, userId);
  await endSessionsAndTokens(services, context, { userId, version });
  if (email === null) return true;
  await users.verifyEmail({ id: userId, accessVersion: version }, email);
  sendMail(context, resetDoneMail(services, email, removed));
  // The owner can log in now, however many guesses there were.
  await loginThrottle.trustDevice(context, email);
  await resetThrottle.trustDevice(context, email);
  return true;
}

function requestPage(
  context: RequestContext,
  state: FormState,
  status = 200,
): Response {
  const content = html`
    ${errorSummary(state)}
    <p>We will email you a link to choose a new one.</p>
    <form method="post" action="${request.action.href()}" novalidate>
      ${field({
        name: "email",
        label: "Email",
        type: "email",
        autocomplete: "username",
      }, state)}
      <button>Send the link</button>
    </form>
    <p class="aside">
      Do you remember it? <a href="${routes.login.index.href()}">Log in</a>
    </p>
  `;
  return narrowPage(context, {
    title: "Forgot your password?",
    content,
    status,
  });
}

/** Creates the same page for every address: it must not reveal accounts. */
function sentPage(context: RequestContext): Response {
  const content = html`
    <p>
      If this address has an account with a password, we have sent it a link. The
      link works once, for ten minutes. An address gets at most 11 links an hour:
      if others ask for links too, use the latest one.
    </p>
    <p class="hint">
      This example sends no email: the link is printed where the server runs.
    </p>
  `;
  return narrowPage(context, { title: "Check your email", content });
}

function choicePage(
  context: RequestContext,
  token: string,
  state: FormState,
  status = 200,
): Response {
  const content = html`
    ${errorSummary(state)}
    <form method="post" action="${choose.action.href()}" novalidate>
      <input type="hidden" name="token" value="${token}">
      ${newPasswordFields(
        "At least 8 characters. This ends all sessions, and removes your access tokens, API keys and linked logins.",
        state,
      )}
      <button>Change password</button>
    </form>
  `;
  const response = narrowPage(context, {
    title: "Choose a new password",
    content,
    status,
  });
  return withHeaders(
    response,
    (headers) => headers.set("Cache-Control", "no-store"),
  );
}

function uselessPage(context: RequestContext): Response {
  const content = html`
    <p>It was already used, or is more than ten minutes old.</p>
    <p class="actions">
      <a class="button" href="${request.index.href()}">Send a new link</a>
    </p>
  `;
  return narrowPage(context, {
    title: "This link no longer works",
    content,
    status: 400,
  });
}

function donePage(context: RequestContext): Response {
  const content = html`
    <p>
      All sessions of your account have ended. Its access tokens, API keys and
      linked logins are removed, because an attacker may have created them. We
      have sent you an email that lists them.
    </p>
    <p>
      Log in with your new password. If you want to log in at another site again,
      link it again under “Linked logins”.
    </p>
    <p class="actions">
      <a class="button" href="${routes.login.index.href()}">Log in</a>
    </p>
  `;
  return narrowPage(context, { title: "Your password is changed", content });
}
