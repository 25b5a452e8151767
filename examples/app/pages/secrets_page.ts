import { html, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { routes } from "../routes.ts";
import { accountPage } from "./account_page.ts";
import { errorSummary, field, type FormState, method } from "./form_fields.ts";
import { time } from "./time.ts";

/** An API key or an access token as its owner sees it. */
export interface Secret {
  readonly id: number;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
}

/** The names, the use and the routes of a kind of secret. */
export interface SecretKind {
  readonly title: string;
  readonly noun: "API key" | "access token";
  readonly about: string;
  /** Returns a command that uses the secret. */
  readonly usage: (secret: string) => string;
  readonly routes: typeof routes.account.keys | typeof routes.account.tokens;
  readonly newRoutes:
    | typeof routes.account.newKey
    | typeof routes.account.newToken;
}

/** Creates the page of a user's API keys or access tokens. */
export function secretsPage(
  context: RequestContext,
  kind: SecretKind,
  list: readonly Secret[],
  state: FormState,
): Response {
  const { title, noun, about, routes: { create, destroy } } = kind;
  const isFailed = state.errors !== undefined || state.error !== undefined;
  return accountPage(context, {
    title,
    status: isFailed ? 422 : 200,
    content: html`
      <p>${about}</p>
      ${errorSummary(state)}
      <form method="post" action="${create.href()}" novalidate>
        ${field({
          name: "label",
          label: "Name",
          autocomplete: "off",
          hint: "Its purpose, so that you recognize it later.",
        }, state)}
        <button>Create ${noun}</button>
      </form>
      <h2>Your ${noun}s</h2>
      ${list.length === 0
        ? html`
          <p class="empty">You have no ${noun}s yet.</p>
        `
        : html`
          <ul class="rows">
            ${list.map((secret) =>
              row(secret, destroy.href({ id: secret.id }))
            )}
          </ul>
        `}
    `,
  });
}

/** Creates the page that shows a new secret. */
export function newSecretPage(
  context: RequestContext,
  { noun, usage, newRoutes }: SecretKind,
  secret: string,
): Response {
  return accountPage(context, {
    title: `Your new ${noun}`,
    script: routes.copyScript.href(),
    content: html`
      <div class="secret">
        <p>
          <strong>Copy the ${noun} now.</strong> This page shows it for five
          minutes. After that, it cannot be shown again.
        </p>
        <p><code id="secret">${secret}</code></p>
        <p class="actions">
          <button type="button" data-copy="#secret" hidden>Copy</button>
          <span id="copied" role="status"></span>
        </p>
        <p class="hint">Try it:</p>
        <pre><code>${usage(secret)}</code></pre>
      </div>
      <form method="post" action="${newRoutes.done.href()}">
        <button>Done</button>
      </form>
    `,
  });
}

function row(secret: Secret, href: string): Markup {
  const { label, createdAt, expiresAt } = secret;
  return html`
    <li>
      <div>
        <strong>${label}</strong>
        <p class="meta">
          Created ${time(createdAt)}${expiresAt !== undefined &&
            html`, expires ${time(expiresAt)}`}
        </p>
      </div>
      <form method="post" action="${href}">
        ${method("DELETE")}
        <button class="quiet" aria-label="Revoke ${label}">Revoke</button>
      </form>
    </li>
  `;
}
