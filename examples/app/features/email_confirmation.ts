import {
  createOneTimeToken,
  type OneTimeTokenGrant,
  readOneTimeToken,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import { html } from "@gatehouse/web/content";
import {
  redirect,
  type RequestContext,
  safeRedirectPath,
  withHeaders,
} from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { logIn, unlessEnded } from "../log_in.ts";
import { confirmMail } from "../mails.ts";
import { sendMail } from "../outbox.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";
import { requireLogin } from "./account.ts";
import { confirmPage, emailPage, returnToOf } from "./confirmation.ts";

/** The purpose of one-time tokens that confirm a login. */
const purpose = "confirm-login";

/** The longest path to return to that goes into a token, in characters. */
const LONGEST_PATH = 500;

const { send, open } = routes.account.confirmByEmail;

/** Adds the emailed link that confirms a login if its provider cannot. */
export function addEmailConfirmation(
  router: AppRouter,
  services: Services,
): void {
  const { confirmThrottle, store, now } = services;

  router.post(send, { middleware: [requireLogin] }, async (context) => {
    const user = context.get(Auth);
    const { accessVersion: version, id: account, email, hasPassword } = user;
    // The password is the better proof.
    if (email === null || hasPassword) {
      return emailPage(context, null, {}, 422);
    }
    // Every request counts, so that the mailbox is not flooded.
    const attempt = await confirmThrottle.attempt(context, email);
    if (!attempt.allowed) {
      const { retryAfter } = attempt;
      const state = { error: waitText(retryAfter) };
      return slowDown(
        context,
        retryAfter,
        emailPage(context, email, state, 429),
      );
    }
    const returnTo = returnToOf(context);
    const data = returnTo.length > LONGEST_PATH ? undefined : returnTo;
    const options = { purpose, account, data, version, now };
    const token = await createOneTimeToken(store, options);
    sendMail(context, confirmMail(services, email, token));
    return sentPage(context);
  });

  router.map(open, {
    middleware: [requireLogin],
    actions: {
      async index(context) {
        const token = context.url.searchParams.get("token");
        const grant = await readOneTimeToken(store, { purpose, token, now });
        return isOwn(grant, context.get(Auth)) && token !== null
          ? openPage(context, token)
          : uselessPage(context);
      },
      async action(context) {
        const user = context.get(Auth);
        const token = context.get(FormData).get("token");
        const use = { purpose, token, now };
        // The link of another user is not used up here.
        const known = await readOneTimeToken(store, use);
        if (!isOwn(known, user)) return uselessPage(context);
        const grant = await takeOneTimeToken(store, use);
        if (grant === null) return uselessPage(context);
        if (user.email) await confirmThrottle.trustDevice(context, user.email);
        // The session gets a new id and a new login time.
        await unlessEnded(logIn(context, user));
        const fallback = routes.account.profile.show.href();
        return redirect(safeRedirectPath(grant.data, fallback));
      },
    },
  });
}

/** Returns `true` for the user's own link, if access was not ended since. */
function isOwn(
  grant: OneTimeTokenGrant | null,
  { accessVersion, id }: User,
): boolean {
  return grant?.account === id && grant.version === accessVersion;
}

function sentPage(context: RequestContext): Response {
  return confirmPage(
    context,
    html`
      <p>
        A link is on its way to your email address. Open it in this browser. It
        works once, for ten minutes.
      </p>
      <p class="hint">
        This example sends no email: the link is printed where the server runs.
      </p>
    `,
  );
}

function openPage(context: RequestContext, token: string): Response {
  const content = html`
    <p>Confirm only if you have just requested this link yourself.</p>
    <form method="post" action="${open.action.href()}">
      <input type="hidden" name="token" value="${token}">
      <button>Confirm</button>
    </form>
  `;
  return withHeaders(
    confirmPage(context, content),
    (headers) => headers.set("Cache-Control", "no-store"),
  );
}

function uselessPage(context: RequestContext): Response {
  const content = html`
    <p>
      This link does not work. It was already used, is more than ten minutes old,
      or belongs to another account.
    </p>
    <p class="actions">
      <a class="button" href="${routes.account.confirm.index.href()}">
        Request a new link
      </a>
    </p>
  `;
  return confirmPage(context, content, 400);
}
