import { html, type Markup } from "@gatehouse/web/content";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import {
  Session,
  type SessionInfo,
  userSessions,
} from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { accountPage } from "../pages/account_page.ts";
import { browserName } from "../pages/browser_name.ts";
import { method } from "../pages/form_fields.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import { requireLogin } from "./account.ts";

/** Adds the page that lists the sessions of the user and ends them. */
export function addAccountSessions(router: AppRouter): void {
  router.map(routes.account.sessions, {
    middleware: [requireLogin],
    actions: {
      index: sessionsPage,
      async destroy(context) {
        await userSessions(context).end(context.params.id);
        return done(context, "The session has ended");
      },
      async destroyOthers(context) {
        await userSessions(context).endAll({ except: context.get(Session).id });
        return done(context, "All other sessions have ended");
      },
    },
  });
}

function done(context: RequestContext, message: string): Response {
  context.get(Session).flash("message", message);
  return redirect(routes.account.sessions.index.href());
}

async function sessionsPage(context: RequestContext): Promise<Response> {
  // The session of this browser comes first.
  const list = (await userSessions(context).list())
    .sort((a, b) => Number(b.current) - Number(a.current));
  return accountPage(context, {
    title: "Sessions",
    content: html`
      <p>
        You are logged in on these browsers. End the sessions that you do not
        recognize.
      </p>
      <ul class="rows">${list.map(row)}</ul>
      ${list.length > 1 && html`
        <form method="post"
          action="${routes.account.sessions.destroyOthers.href()}">
          ${method("DELETE")}
          <button class="danger">End all other sessions</button>
        </form>
      `}
    `,
  });
}

function row({ id, current, label, createdAt, seenAt }: SessionInfo): Markup {
  const name = browserName(label.userAgent);
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        ${current && html`<span class="badge">this browser</span>`}
        <p class="meta">
          ${label.address !== undefined && `From ${label.address}. `}
          Logged in ${time(createdAt)}, last active ${current
            ? "now"
            : time(seenAt)}
        </p>
      </div>
      ${!current && html`
        <form method="post" action="${routes.account.sessions.destroy.href({
          id,
        })}">
          ${method("DELETE")}
          <button class="quiet" aria-label="End the session of ${name}">End</button>
        </form>
      `}
    </li>
  `;
}
