import { Auth } from "@gatehouse/web/auth-middleware";
import {
  redirect,
  type RequestContext,
  withHeaders,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { ExternalLogin } from "../external_logins.ts";
import { html, type Markup } from "../html.ts";
import { pagePolicy } from "../page_policy.ts";
import { accountPage } from "../pages/account_page.ts";
import { method } from "../pages/form_fields.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";
import { startLinking } from "./external_login.ts";

/** Which external logins belong to the account. */
export function addAccountLogins(
  router: AppRouter,
  services: Services,
): void {
  const { identities, logins } = services;
  const { index } = routes.account.logins;
  // A login that is linked is a way in for good.
  const middleware = [requireConfirmation(services, index.href())] as const;
  const find = (name: string) => logins.find((login) => login.name === name);

  // The forms are answered with redirects to the providers, which may lead on
  // to other hosts: browsers hold all of them against the policy.
  const linkingPolicy = pagePolicy(
    "https:",
    ...logins.flatMap(({ insecureOrigin }) => insecureOrigin ?? []),
  );

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
          return login === undefined
            ? notFound()
            : startLinking(context, login, context.get(Auth).id);
        },
      },
      unlink: {
        middleware,
        async handler(context) {
          const login = find(context.params.provider);
          if (login === undefined) return notFound();
          const { id } = context.get(Auth);
          const message = await identities.unlink(login.name, id)
            ? `${login.label} is unlinked`
            : "This is your only way to log in, so it stays";
          context.get(Session).flash("message", message);
          return redirect(index.href());
        },
      },
    },
  });
}

function loginsPage(
  context: RequestContext,
  logins: readonly ExternalLogin[],
  linked: readonly string[],
): Response {
  return accountPage(context, {
    title: "Linked logins",
    content: html`
      <p>
        Log in here with an account you have elsewhere. It is linked only from
        this page, never by an email address that looks the same.
      </p>
      <ul class="rows">
        ${logins.map((login) => row(login, linked.includes(login.name)))}
      </ul>
    `,
  });
}

function row({ name, label }: ExternalLogin, isLinked: boolean): Markup {
  const { link, unlink } = routes.account.logins;
  const href = (isLinked ? unlink : link).href({ provider: name });
  return html`
    <li>
      <div>
        <strong>${label}</strong>
        ${isLinked && html`<span class="badge">linked</span>`}
      </div>
      <form method="post" action="${href}">
        ${isLinked && method("DELETE")}
        <button class="quiet">
          ${isLinked ? `Unlink ${label}` : `Link ${label}`}
        </button>
      </form>
    </li>
  `;
}

function notFound(): Response {
  return new Response("Not Found", { status: 404 });
}
