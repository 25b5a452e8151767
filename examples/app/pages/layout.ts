import type { AccountPageParts, Layout } from "@gatehouse/web/accounts";
import { Actor, Auth } from "@gatehouse/web/auth-middleware";
import { html, htmlResponse, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { definition } from "../definition.ts";
import { routes } from "../routes.ts";
import { demoTable } from "./demo_table.ts";

const { adminRoutes, routes: accountRoutes } = definition;
const SOURCE = "https://github.com/gatehouse/web/tree/main/examples/app";

/** Creates a page of the noticeboard, with the stylesheet of the account pages. */
export function page(
  context: RequestContext,
  { title, content, status = 200 }: {
    readonly title: string;
    readonly content: Markup;
    readonly status?: number;
  },
): Response {
  const parts: AccountPageParts = {
    title: `${status === 422 ? "Error: " : ""}${title} – Noticeboard`,
    head: html`<link rel="stylesheet" href="${accountRoutes.style.href()}">`,
    content: html`${message(context)}${content}`,
    language: "en",
  };
  // Otherwise the Back button shows pages of users after the logout.
  const headers = { "Cache-Control": "no-store" };
  return htmlResponse(layout(parts, context), { status, headers });
}

/** Creates the frame of all pages, including those of the accounts. */
export const layout: Layout = (
  { title, head, content, language },
  context,
) =>
  html`
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title}</title>
        <link rel="icon" type="image/svg+xml" href="${routes.icon.href()}">
        ${head}
        <link rel="stylesheet" href="${routes.stylesheet.href()}">
      </head>
      <body>
        <a class="skip" href="#main" lang="en">Skip to the content</a>
        ${header(context)}
        <main id="main" tabindex="-1">${content} ${demoTable(context)}</main>
        <footer lang="en">
          <p>
            An example of <strong>Gatehouse</strong>: routes, sessions, logins
            and guards on web standards. <a href="${SOURCE}">Source code</a>
          </p>
        </footer>
      </body>
    </html>
  `;

function header(context: RequestContext): Markup {
  const user = context.get(Auth);
  const isActing = context.get(Actor) !== null;
  const link = (href: string, text: string) =>
    html`<li><a href="${href}" ${current(context, href)}>${text}</a></li>`;
  const { login, logout, profile, register } = accountRoutes;
  const { stopActing, users } = adminRoutes;
  const isEditor = user?.role === "editor" || user?.role === "admin";
  return html`
    <header class="bar" lang="en">
      <a class="brand" href="${routes.home.href()}">
        <img src="${routes.icon.href()}" alt="" width="28" height="28">
        Noticeboard
      </a>
      <nav aria-label="Main">
        <ul>
          ${link(routes.home.href(), "Notices")}
          ${isEditor && link(routes.editor.index.href(), "Editor")}
          ${user?.role === "admin" && link(users.href(), "Admin")}
          ${user !== null && link(profile.index.href(), "Account")}
          ${user === null && link(register.index.href(), "Register")}
          ${user === null && link(login.index.href(), "Log in")}
        </ul>
      </nav>
      ${user !== null && html`
        <form method="post" action="${(isActing ? stopActing : logout).href()}">
          <button class="quiet">${isActing ? "Stop acting" : "Log out"}</button>
        </form>
      `}
    </header>
  `;
}

/** Marks the link of the current area. */
function current({ url }: RequestContext, href: string): Markup | false {
  const isCurrent = url.pathname === href ||
    href !== "/" && url.pathname.startsWith(`${href}/`);
  return isCurrent && html`aria-current="page"`;
}

/** Creates the message that the previous request left for this page. */
function message(context: RequestContext): Markup | false {
  const text = context.has(Session) && context.get(Session).get("message");
  return typeof text === "string" && html`
    <p class="message" role="status">${text}</p>
  `;
}
