import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import {
  HTTPError,
  redirect,
  type RequestContext,
  withHeaders,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { LinkedIdentity } from "../data/identities.ts";
import { endOtherSessions } from "../end_access.ts";
import type { ExternalLogin } from "../external_logins.ts";
import { pagePolicy } from "../page_policy.ts";
import { accountPage } from "../pages/account_page.ts";
import { method } from "../pages/form_fields.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";
import { startLinking } from "./external_login.ts";

/** Adds the page of the external logins of the account. */
export function addAccountLogins(
  router: AppRouter,
  services: Services,
): void {
  const { identities, logins } = services;
  const { index } = routes.account.logins;
  // A linked login opens the account for good.
  const middleware = [requireConfirmation(services, index.href())] as const;
  const find = (name: string) => logins.find((login) => login.name === name);

  // The forms redirect to providers, and those to other hosts. Browsers check
  // each redirect against the policy.
  const linkingPolicy = pagePolicy({
    formTargets: [
      "https:",
      ...logins.flatMap(({ insecureOrigin }) => insecureOrigin ?? []),
    ],
  });

  router.map(routes.account.logins, {
    middleware: [requireLogin],
    actions: {
      async index(context) {
        const linked = await identities.list(context.get(Auth).id);
        const response = loginsPage(context, logins, linked);
        return withHeaders(
          response,
          (headers) => headers.set("Content-Security-Policy", linkingPolicy),
        );
      },
      link: {
        middleware,
        handler(context) {
          const login = find(context.params.provider);
          if (login === undefined) throw new HTTPError(404);
          return startLinking(context, login, context.get(Auth).id);
        },
      },
      unlink: {
        middleware,
        async handler(context) {
          const user = context.get(Auth);
          const session = context.get(Session);
          if (await identities.unlink(Number(context.params.id), user.id)) {
            await endOtherSessions(services, context, user);
            session.flash("message", "The login is unlinked");
          } else {
            session.flash(
              "problem",
              "This is your only way to log in. Set a password or link another login first.",
            );
          }
          return redirect(index.href());
        },
      },
    },
  });
}

function loginsPage(
  context: RequestContext,
  logins: readonly ExternalLogin[],
  linked: readonly LinkedIdentity[],
): Response {
  return accountPage(context, {
    title: "Linked logins",
    content: html`
      <p>
        Log in here with an account at another site. Logins are linked only on
        this page, never because of a matching email address. If you do not
        recognize one, unlink it and change your password.
      </p>
      ${linked.length > 0 && html`
        <ul class="rows">
          ${linked.map((identity) => linkedRow(logins, identity))}
        </ul>
      `}
      ${logins.length > 0 && html`
        <h2>Link another login</h2>
        <ul class="rows">${logins.map(linkRow)}</ul>
      `}
    `,
  });
}

function linkedRow(
  logins: readonly ExternalLogin[],
  { id, login, account, linkedAt }: LinkedIdentity,
): Markup {
  const label = logins.find(({ name }) => name === login)?.label ?? login;
  return html`
    <li>
      <div>
        <strong>${label}</strong>
        <p class="meta">${account}</p>
        <p class="meta">Linked ${time(linkedAt)}</p>
      </div>
      <form method="post" action="${routes.account.logins.unlink.href({ id })}">
        ${method("DELETE")}
        <button class="quiet" aria-label="Unlink ${label}, ${account}">
          Unlink
        </button>
      </form>
    </li>
  `;
}

function linkRow({ name, label }: ExternalLogin): Markup {
  const href = routes.account.logins.link.href({ provider: name });
  return html`
    <li>
      <strong>${label}</strong>
      <form method="post" action="${href}">
        <button class="quiet">Link ${label}</button>
      </form>
    </li>
  `;
}
