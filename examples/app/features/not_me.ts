import {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import { html } from "@gatehouse/web/content";
import { type RequestContext, withHeaders } from "@gatehouse/web/fetch-router";
import { reportSecurityEvent } from "@gatehouse/web/middleware";
import type { AppRouter } from "../app_middleware.ts";
import {
  endSessionsAndTokens,
  PASSWORD_RESET,
  removeLoginsAndKeys,
  unlessChanged,
} from "../end_access.ts";
import { resetMail } from "../mails.ts";
import {
  endLaterLinks,
  findNotMe,
  isEnded,
  type NotMe,
  type WayIn,
} from "../not_me.ts";
import { sendMail } from "../outbox.ts";
import { narrowPage } from "../pages/layout.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";

const paths = routes.notMe;

/** Adds the link of a notice with which an owner removes a new way in. */
export function addNotMe(router: AppRouter, services: Services): void {
  router.map(paths, {
    actions: {
      async index(context) {
        const token = context.url.searchParams.get("token");
        const link = await findNotMe(services, token, readOneTimeToken);
        return link === null || token === null
          ? uselessPage(context)
          : askPage(context, link.way, token);
      },
      async action(context) {
        const token = context.get(FormData).get("token");
        const link = await findNotMe(services, token, takeOneTimeToken);
        if (link === null) return uselessPage(context);
        const { userId, way } = link;
        if (!await removeWayIn(services, link)) return uselessPage(context);
        const isSent = await endAccess(services, context, userId);
        return donePage(context, way, isSent);
      },
    },
  });
}

/** Removes a way in: `false` if its link has just ended. */
async function removeWayIn(services: Services, link: NotMe): Promise<boolean> {
  const { identities, keys, passkeyTable, tokens } = services;
  const { userId, way } = link;
  switch (way.kind) {
    case "app":
      await removeApp(services, userId, (since) => since === way.since);
      return true;
    case "passkey":
      await passkeyTable.remove(way.id, userId);
      return true;
    case "API key":
      await keys.revoke(Number(way.id), userId);
      return true;
    case "access token":
      await tokens.revoke(Number(way.id), userId);
      return true;
    case "linked login":
      await identities.remove(way.identity, userId);
      return true;
    case "address":
      if (!await restoreAddress(services, link, way.email)) return false;
      // The notices of these went to the new address.
      await removeApp(services, userId, (since) => since >= way.since);
      await removeLoginsAndKeys(services, userId);
      return true;
  }
}

/** Removes an app, but not another one that the owner has set up. */
async function removeApp(
  { factors }: Services,
  userId: number,
  isMeant: (since: number) => boolean,
): Promise<void> {
  const { totpSince } = await factors.status(userId);
  if (totpSince !== undefined && isMeant(totpSince)) {
    await factors.remove(userId);
  }
}

/**
 * Gives an account its earlier address back, or none if another account has
 * proved it meanwhile: then an admin must help. `false` if the link has just
 * ended.
 */
async function restoreAddress(
  services: Services,
  link: NotMe,
  email: string,
): Promise<boolean> {
  const { users } = services;
  const version = await unlessChanged(users, link.userId, async (user) => {
    if (await isEnded(services, link)) return null;
    await endLaterLinks(services, user, link);
    // A thief may have registered with it, but cannot prove it.
    await users.releaseEmail(email, user.id);
    return await users.changeEmail(user, email) ??
      await users.removeEmail(user);
  });
  return version !== null;
}

/**
 * Ends all access, also that of someone who knows the password, and sends a link
 * for a new one: without the removed factor, the password would be enough.
 *
 * @returns `false` if the account has no address for the link.
 */
async function endAccess(
  services: Services,
  context: RequestContext,
  userId: number,
): Promise<boolean> {
  const { users, store, now } = services;
  const version = await unlessChanged(
    users,
    userId,
    (user) => users.resetPassword(user, ""),
  );
  const user = await users.find(userId);
  if (user === null || version === null) return false;
  await endSessionsAndTokens(services, context, { userId, version });
  const action = "factor-remove";
  reportSecurityEvent(context, { action, reason: "not-me", userId });
  if (user.email === null) return false;
  const token = await createOneTimeToken(store, {
    purpose: PASSWORD_RESET,
    account: userId,
    data: user.email,
    version,
    now,
  });
  sendMail(context, resetMail(services, user.email, token));
  return true;
}

const names: Record<WayIn["kind"], string> = {
  "app": "authenticator app",
  "passkey": "passkey",
  "API key": "API key",
  "access token": "access token",
  "linked login": "linked login",
  "address": "new address",
};

function askPage(
  context: RequestContext,
  { kind }: WayIn,
  token: string,
): Response {
  const content = html`
    <p>
      This removes the ${names[
        kind
      ]}, logs everybody out, and makes the password
      invalid. We send you a link to choose a new one.
    </p>
    <form method="post" action="${paths.action.href()}">
      <input type="hidden" name="token" value="${token}">
      <button class="danger">Remove it and log everybody out</button>
    </form>
  `;
  const title = "This was not me";
  return withHeaders(
    narrowPage(context, { title, content }),
    (headers) => headers.set("Cache-Control", "no-store"),
  );
}

function donePage(
  context: RequestContext,
  { kind }: WayIn,
  isSent: boolean,
): Response {
  const content = html`
    <p>
      The ${names[kind]} is removed, and everybody is logged out. ${isSent
        ? "We have sent you a link to choose a new password. Check the other ways into your account then."
        : "Please ask an admin to give your account an address: yours belongs to another account now."}
    </p>
  `;
  return narrowPage(context, { title: "Your account is safe", content });
}

function uselessPage(context: RequestContext): Response {
  const content = html`
    <p>
      It was already used, or is more than a week old. You can still
      <a href="${routes.passwordReset.request.index.href()}">choose a new
        password</a>: that removes passkeys, keys and linked logins.
    </p>
  `;
  const title = "This link no longer works";
  return narrowPage(context, { title, content, status: 400 });
}
