import { html } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { routes } from "../routes.ts";
import { type Page, page } from "./layout.ts";

const { show } = routes.account.profile;

/** The pages of the account area, in groups. */
const groups = [
  ["You", [
    [show.href(), "Profile"],
    [routes.account.email.verify.index.href(), "Email"],
    [routes.account.security.href(), "Security"],
  ]],
  ["Login", [
    [routes.account.password.index.href(), "Password"],
    [routes.account.passkeys.index.href(), "Passkeys"],
    [routes.account.logins.index.href(), "Linked logins"],
  ]],
  ["Access", [
    [routes.account.sessions.index.href(), "Sessions"],
    [routes.account.keys.index.href(), "API keys"],
    [routes.account.tokens.index.href(), "Access tokens"],
  ]],
] as const;

/** Creates a page of the account area, with links to the others. */
export function accountPage(
  context: RequestContext,
  { title, content, status, script }: Page,
): Response {
  const { pathname } = context.url;
  const isCurrent = (href: string) =>
    pathname === href ||
    href !== show.href() && pathname.startsWith(`${href}/`);
  return page(context, {
    title,
    status,
    script,
    content: html`
      <div class="columns">
        <nav class="side" aria-label="Account">
          <ul>
            ${groups.map(([name, pages]) => {
              const isOpen = pages.some(([href]) => isCurrent(href));
              return html`
                <li${isOpen && html`
                  class="open"
                `}>
                  <a class="group" href="${pages[0][0]}" ${isOpen && html`
                    aria-current="true"
                  `}>${name}</a>
                  <ul>
                    ${pages.map(([href, text]) =>
                      html`
                        <li>
                          <a href="${href}" ${isCurrent(href) && html`
                            aria-current="page"
                          `}>${text}</a>
                        </li>
                      `
                    )}
                  </ul>
                  </li>
              `;
            })}
          </ul>
        </nav>
        <div>
          <h1>${title}</h1>
          ${content}
        </div>
      </div>
    `,
  });
}
