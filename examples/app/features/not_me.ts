import { createOneTimeToken } from "@gatehouse/web/auth";
import { type RequestContext, withHeaders } from "@gatehouse/web/fetch-router";
import { html } from "@gatehouse/web/html";
import { reportSecurityEvent } from "@gatehouse/web/security-events-middleware";
import type { AppRouter } from "../app_middleware.ts";
import type { User, Users } from "../data/users.ts";
import { endSessionsAndTokens, PASSWORD_RESET } from "../end_access.ts";
import { resetMail } from "../mails.ts";
import { readNotMe, takeNotMe, type WayIn } from "../not_me.ts";
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
        const way = await readNotMe(services, token);
        return way === null || token === null
          ? uselessPage(context)
          : askPage(context, way, token);
      },
      async action(context) {
        const token = context.get(FormData).get("token");
        const found = await takeNotMe(services, token);
        if (found === null) return uselessPage(context);
        const [userId, way] = found;
        await removeWayIn(services, userId, way);
        await endAccess(services, context, userId);
        return donePage(context, way);
      },
    },
  });
}

async function removeWayIn(
  services: Services,
  userId: number,
  way: WayIn,
): Promise<void> {
  const { factors, identities, keys, passkeyTable, tokens, users } = services;
  switch (way.kind) {
    case "app": {
      // Not another one that the owner has set up since.
      const { totpSince } = await factors.status(userId);
      if (totpSince === way.since) await factors.remove(userId);
      break;
    }
    case "passkey":
      await passkeyTable.delete(way.id, userId);
      break;
    case "API key":
      await keys.revoke(Number(way.id), userId);
      break;
    case "access token":
      await tokens.revoke(Number(way.id), userId);
      break;
    case "linked login":
      await identities.remove(way.identity, userId);
      break;
    case "address":
      await unlessChanged(
        users,
        userId,
        (user) => users.changeEmail(user, way.email),
      );
  }
}

/**
 * Ends all access, also that of someone who knows the password, and sends a link
 * for a new one: without the removed factor, the password would be enough.
 */
async function endAccess(
  services: Services,
  context: RequestContext,
  userId: number,
): Promise<void> {
  const { users, store, sendMail, now } = services;
  const version = await unlessChanged(
    users,
    userId,
    (user) => users.resetPassword(user, ""),
  );
  const user = await users.find(userId);
  if (user === null || version === null) return;
  await endSessionsAndTokens(services, context, { userId, version });
  const action = "factor-remove";
  reportSecurityEvent(context, { action, reason: "not-me", userId });
  if (user.email === null) return;
  const token = await createOneTimeToken(store, {
    purpose: PASSWORD_RESET,
    account: userId,
    data: user.email,
    version,
    now,
  });
  sendMail(resetMail(services, user.email, token));
}

/** Tries again if another request changes the account, as a thief may do. */
async function unlessChanged(
  users: Users,
  userId: number,
  change: (user: User) => Promise<number | null>,
): Promise<number | null> {
  for (let tries = 0; tries < 10; tries++) {
    const user = await users.find(userId);
    const version = user && await change(user);
    if (version !== null) return version;
  }
  return null;
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

function donePage(context: RequestContext, { kind }: WayIn): Response {
  const content = html`
    <p>
      The ${names[
        kind
      ]} is removed, and everybody is logged out. We have sent you
      a link to choose a new password. Check the other ways into your account then.
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
