import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { Notice } from "../data/notices.ts";
import { page } from "../pages/layout.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";

/** Milliseconds after a login in which the browser may create a passkey. */
const JUST_NOW = 60_000;

/** Adds the board itself, which everyone can read. */
export function addHome(
  router: AppRouter,
  { notices, now }: Services,
): void {
  router.get(routes.home, async (context) => {
    const list = await notices.list();
    const isUpgrade = hasJustUsedPassword(context, now());
    return page(context, {
      title: "Notices",
      script: isUpgrade ? routes.passkeyScript.href() : undefined,
      content: html`
        ${context.get(Auth) === null && welcome()}
        ${isUpgrade && upgradeForm()}
        <h1>Notices</h1>
        ${list.length === 0
          ? html`
            <p class="empty">There are no notices yet. Editors can write the first.</p>
          `
          : html`
            <ol class="notices">${list.map(card)}</ol>
          `}
      `,
    });
  });
}

/** Returns `true` right after a login with a password. */
function hasJustUsedPassword(context: RequestContext, now: number): boolean {
  const { pwd = -Infinity } = context.get(Session).authMethods ?? {};
  return context.get(Auth) !== null && now - pwd < JUST_NOW;
}

/** Creates the hidden form by which a browser creates a passkey without asking. */
function upgradeForm(): Markup {
  const { create, options } = routes.account.passkeys.upgrade;
  return html`
    <form method="post" action="${create.href()}" hidden
      data-passkey-create="${options.href()}" data-passkey-conditional>
      <input type="hidden" name="passkey">
    </form>
  `;
}

function welcome(): Markup {
  return html`
    <section class="welcome" aria-label="Welcome">
      <p class="tagline">A small noticeboard with real accounts</p>
      <p>
        Everyone can read. Register or log in at an identity provider to get an
        account, where you can end sessions and create API keys. Editors write
        notices, and admins choose the editors.
      </p>
      <p class="actions">
        <a class="button" href="${routes.register.index.href()}">Register</a>
        <a class="button quiet" href="${routes.login.index.href()}">Log in</a>
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
        <p class="meta">${author}, ${time(createdAt)}</p>
      </article>
    </li>
  `;
}
