import { html, htmlResponse, type Markup } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { Session } from "../../session/mod.ts";
import { Auth } from "../../auth/middleware/mod.ts";
import { type Call, hasLongPath, type Notice } from "../actions/call.ts";
import { deletionDays } from "../actions/deletion.ts";
import { type Group, groupsOf, isIn } from "./groups.ts";

/** A page, for the option `layout`. */
export interface AccountPageParts {
  /** The title, for the element `title`. */
  readonly title: string;
  /** The elements for `head`: the stylesheet. */
  readonly head: Markup;
  /** The content, for the element `main`. */
  readonly content: Markup;
  /** The language, for the attribute `lang`. */
  readonly language: string;
}

/** Creates the frame of a page. */
export type Layout = (
  page: AccountPageParts,
  context: RequestContext,
) => Markup;

/** The title and the content of a page. */
export interface View {
  readonly title: string;
  readonly content: Markup;
  readonly status?: number;
  /** The URL that the browser opens immediately. */
  readonly refresh?: string;
  /** `true` if the page needs the script of passkeys. */
  readonly script?: boolean;
}

/** The facts of a request that a view needs. */
export type PageCall = Pick<Call, "context" | "messages"> & {
  readonly services: Pick<
    Call["services"],
    | "name"
    | "routes"
    | "adminRoutes"
    | "apps"
    | "names"
    | "now"
    | "deletionDelay"
    | "features"
    | "providers"
    | "registration"
  >;
  readonly layout: Layout | undefined;
  /** The policy of pages with the script. */
  readonly scriptPolicy: string;
};

/** The session key of the message for the next page. */
export const MESSAGE = "account-message";

/** Creates the response of a page. */
export function renderPage(
  call: PageCall,
  { title, content, refresh, status = 200, script = false }: View,
): Response {
  const { context, messages, services, layout } = call;
  const isFailed = status >= 400 && status !== 404;
  const parts: AccountPageParts = {
    title: `${
      isFailed ? `${messages.error}: ` : ""
    }${title} – ${services.name}`,
    head: html`
      <link rel="stylesheet" href="${services.routes.style.href()}">
      ${script && html`
        <script type="module" src="${services.routes.passkeyScript
          .href()}"></script>
      `}
    `,
    content: html`${message(call)}${content}`,
    language: messages.language,
  };
  const markup = layout === undefined
    ? frame(call, parts)
    : layout(parts, context);
  const headers = new Headers();
  if (refresh !== undefined) headers.set("Refresh", `0; url=${refresh}`);
  // The other pages have a policy without scripts.
  if (script) headers.set("Content-Security-Policy", call.scriptPolicy);
  return htmlResponse(markup, { status, headers });
}

function message(
  { context, messages, services }: PageCall,
): Markup | false {
  const notices: Readonly<Record<Notice, string>> = {
    "sent": messages.resetSent,
    "reset": messages.resetDone,
    "restored": messages.notMeDone,
    "logged-out": messages.loggedOut,
    "deleted": messages.deleted(deletionDays(services)),
    "long-path": messages.longPath,
  };
  const { searchParams } = context.url;
  const notice = hasLongPath(context)
    ? "long-path"
    : searchParams.get("notice") ?? "";
  const text = Object.hasOwn(notices, notice)
    ? notices[notice as Notice]
    : context.get(Session).get(MESSAGE);
  return typeof text === "string" &&
    html`
      <p class="message card" role="status">${text}</p>
    `;
}

function frame(
  { context, messages, services: { name, routes } }: PageCall,
  { title, head, content, language }: AccountPageParts,
): Markup {
  return html`
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="${messages.description(name)}">
        <title>${title}</title>
        ${head}
      </head>
      <body>
        <a class="skip" href="#main">${messages.skip}</a>
        <header class="bar">
          <a class="brand" href="/">${name}</a>
          ${context.get(Auth) !== null && html`
            <form method="post" action="${routes.logout.href()}">
              <button class="quiet">${messages.logOut}</button>
            </form>
          `}
        </header>
        <main id="main" tabindex="-1">${content}</main>
      </body>
    </html>
  `;
}

/** Creates the content of a page with one card. */
export function card(title: string, content: Markup): View {
  return {
    title,
    content: html`
      <div class="card">
        <h1>${title}</h1>
        ${content}
      </div>
    `,
  };
}

/** Creates a page of the account, next to its navigation. */
export function accountView(
  call: PageCall,
  title: string,
  content: Markup,
): View {
  const { context: { url }, messages, services } = call;
  const groups = groupsOf(call);
  const home = services.routes.profile.index.href();
  const own = groups.find((group) => isIn(group, url.pathname, home));
  const back = own !== undefined && own.href !== url.pathname && html`
    <p class="back"><a href="${own.href}">${own.text}</a></p>
  `;
  const parts = { label: messages.account, groups, home };
  return areaView(url, parts, title, content, back);
}

/** Creates the page of a link to something that the account does not have. */
export function goneView(call: PageCall, title: string, back: string): View {
  const link = html`<p><a href="${back}">${call.messages.back}</a></p>`;
  return { ...accountView(call, title, link), status: 404 };
}

/** The navigation of an area. */
interface Navigation {
  readonly label: string;
  readonly groups: readonly Group[];
  /** The link that is the prefix of the others. */
  readonly home: string;
}

/** Creates a page next to a navigation. */
export function areaView(
  url: URL,
  { groups, home, label }: Navigation,
  title: string,
  content: Markup,
  back: Markup | false = false,
): View {
  return {
    title,
    content: html`
      <div class="area">
        <nav aria-label="${label}">
          <ul>${groups.map((group) =>
            html`
              <li><a href="${group.href}"${current(
                group,
                url,
                home,
              )}>${group.text}</a></li>
            `
          )}</ul>
        </nav>
        <section>
          ${back}
          <h1>${title}</h1>
          ${content}
        </section>
      </div>
    `,
  };
}

/** Marks the link of the page, or of its group. */
function current(
  group: Group,
  { pathname }: URL,
  home: string,
): Markup | false {
  return isIn(group, pathname, home) && html`
    aria-current="${pathname === group.href ? "page" : "true"}"
  `;
}

/** Creates a short question with a link. */
export function question(text: string, href: string, label: string): Markup {
  return html`<span>${text} <a href="${href}">${label}</a></span>`;
}
