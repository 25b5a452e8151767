import { Auth } from "@gatehouse/web/auth-middleware";
import { html, htmlResponse, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { forgetLogout, isLoggedOut } from "../logout_message.ts";
import { pagePolicy } from "../page_policy.ts";
import { routes } from "../routes.ts";
import { sourceLinks } from "./source_links.ts";

/** The parts of a page. */
export interface Page {
  readonly title: string;
  readonly content: Markup;
  /** @default {200} */
  readonly status?: number;
  /** The path of a script. The other pages have a policy without scripts. */
  readonly script?: string | undefined;
}

/** Creates a page in the frame that all pages share. */
export function page(context: RequestContext, page: Page): Response {
  const { title, content, status = 200, script } = page;
  const failed = status === 422 || status === 429;
  const headers = new Headers();
  // Otherwise the Back button shows it after the logout.
  if (context.get(Auth) !== null) headers.set("Cache-Control", "no-store");
  if (isLoggedOut(context)) forgetLogout(headers);
  if (script !== undefined) {
    headers.set("Content-Security-Policy", pagePolicy({ scripts: true }));
  }
  return htmlResponse(
    html`
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <meta name="color-scheme" content="light dark">
          <title>${failed && "Error: "}${title} – Noticeboard</title>
          <link rel="icon" type="image/svg+xml" href="${routes.icon.href()}">
          <link rel="stylesheet" href="${routes.stylesheet.href()}">
          ${script !== undefined && html`
            <script type="module" src="${script}"></script>
          `}
        </head>
        <body>
          <a class="skip" href="#main">Skip to the content</a>
          ${header(context)}
          <main id="main" tabindex="-1">
            ${messages(context)} ${content}
          </main>
          <footer>
            <p>
              An example of <strong>Gatehouse</strong>: routes, sessions, logins
              and guards on web standards.
            </p>
            ${sourceLinks(context)}
          </footer>
        </body>
      </html>
    `,
    { status, headers },
  );
}

/** Creates a page with one narrow column, headed by its title. */
export function narrowPage(context: RequestContext, narrow: Page): Response {
  const content = html`
    <div class="narrow">
      <h1>${narrow.title}</h1>
      ${narrow.content}
    </div>
  `;
  return page(context, { ...narrow, content });
}

function header(context: RequestContext): Markup {
  const user = context.get(Auth);
  const link = (href: string, text: string) =>
    html`
      <li><a href="${href}"${current(context, href)}>${text}</a></li>
    `;
  const isEditor = user?.role === "editor" || user?.role === "admin";
  return html`
    <header class="bar">
      <a class="brand" href="${routes.home.href()}">
        <img src="${routes.icon.href()}" alt="" width="28" height="28">
        Noticeboard
      </a>
      <nav aria-label="Main">
        <ul>
          ${link(routes.home.href(), "Notices")}
          ${isEditor && link(routes.editor.index.href(), "Editor")}
          ${user?.role === "admin" &&
            link(routes.admin.users.index.href(), "Admin")}
          ${user !== null &&
            link(routes.account.profile.show.href(), "Account")}
          ${user === null && link(routes.register.index.href(), "Register")}
          ${user === null && link(routes.login.index.href(), "Log in")}
        </ul>
      </nav>
      ${user !== null && html`
        <form method="post" action="${routes.logout.href()}">
          <button class="plain">Log out</button>
        </form>
      `}
    </header>
  `;
}

/** Marks the link of the current area. */
function current({ url }: RequestContext, href: string): Markup | false {
  const isCurrent = url.pathname === href ||
    href !== "/" && url.pathname.startsWith(`${href}/`);
  return isCurrent && html`
    aria-current="page"
  `;
}

/** Creates the messages that the previous request left for this page. */
function messages(context: RequestContext): Markup | false {
  if (!context.has(Session)) return false;
  const session = context.get(Session);
  const problem = session.get("problem");
  const message = isLoggedOut(context)
    ? "You are logged out"
    : session.get("message");
  return html`
    ${typeof problem === "string" && html`
      <p class="problem" role="alert">${problem}</p>
    `} ${typeof message === "string" && html`
      <p class="message" role="status">${message}</p>
    `}
  `;
}
