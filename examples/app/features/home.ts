import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import type { AppRouter } from "../app.ts";
import type { Notice, Notices } from "../data/notices.ts";
import { definition } from "../definition.ts";
import { page } from "../pages/layout.ts";
import { dayOf } from "../pages/time.ts";
import { routes } from "../routes.ts";

/** Adds the board itself, which everyone can read. */
export function addHome(router: AppRouter, notices: Notices): void {
  router.get(routes.home, async (context) => {
    const list = await notices.list();
    return page(context, {
      title: "Notices",
      content: html`
        ${context.get(Auth) === null && welcome()}
        <h1>Notices</h1>
        ${list.length === 0 && html`
          <p class="empty">There are no notices yet. Editors can write the first.</p>
        `}
        <ol class="notices">${list.map(card)}</ol>
      `,
    });
  });
}

function welcome(): Markup {
  const { login, register } = definition.routes;
  return html`
    <section class="welcome" aria-label="Welcome">
      <p class="tagline">A small noticeboard with real accounts</p>
      <p>
        Everyone can read. Register or log in at an identity provider to get an
        account, where you can end sessions and create API keys. Editors write
        notices, and admins choose the editors.
      </p>
      <p class="actions">
        <a class="button" href="${register.index.href()}">Register</a>
        <a class="button quiet" href="${login.index.href()}">Log in</a>
      </p>
    </section>
  `;
}

function card({ title, body, author, createdAt }: Notice): Markup {
  return html`
    <li>
      <article>
        <h2>${title}</h2>
        <p class="prose">${body}</p>
        <p class="meta">${author}, ${dayOf(createdAt)}</p>
      </article>
    </li>
  `;
}
