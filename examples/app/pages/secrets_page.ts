import type { RequestContext } from "@gatehouse/web/fetch-router";
import { html, type Markup } from "../html.ts";
import type { routes } from "../routes.ts";
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

/** The names and the use of a kind of secret. */
export interface SecretKind {
  readonly title: string;
  readonly noun: string;
  readonly about: string;
  /** A command that uses it. */
  readonly usage: (secret: string) => string;
}

/** The content of the page. */
export interface SecretsPage {
  readonly kind: SecretKind;
  readonly list: readonly Secret[];
  readonly state: FormState;
  /** The secret that was just created. */
  readonly made: string | undefined;
  readonly shelfRoutes:
    | typeof routes.account.keys
    | typeof routes.account.tokens;
}

/** Creates the page of a user's API keys or access tokens. */
export function secretsPage(
  context: RequestContext,
  { kind, list, state, made, shelfRoutes }: SecretsPage,
): Response {
  const isFailed = state.errors !== undefined || state.error !== undefined;
  return accountPage(context, {
    title: kind.title,
    status: isFailed ? 422 : made === undefined ? 200 : 201,
    content: html`
      <p>${kind.about}</p>
      ${errorSummary(state)}
      ${made !== undefined && shownOnce(kind, made)}
      <form method="post" action="${shelfRoutes.create.href()}" novalidate>
        ${field({
          name: "label",
          label: "Name",
          autocomplete: "off",
          hint: "Its purpose, so that you recognize it later.",
        }, state)}
        <button>Create ${kind.noun}</button>
      </form>
      <h2>Yours</h2>
      ${list.length === 0
        ? html`
          <p class="empty">You have none.</p>
        `
        : html`
          <ul class="rows">
            ${list.map((secret) =>
              row(secret, shelfRoutes.destroy.href({ id: secret.id }))
            )}
          </ul>
        `}
    `,
  });
}

function shownOnce({ noun, usage }: SecretKind, secret: string): Markup {
  return html`
    <div class="secret" role="status">
      <p>
        <strong>Copy your new ${noun} now.</strong> It is not shown again.
      </p>
      <p><code id="secret">${secret}</code></p>
      <p class="hint">Try it:</p>
      <pre><code>${usage(secret)}</code></pre>
    </div>
  `;
}

function row(secret: Secret, href: string): Markup {
  const { label, createdAt, expiresAt } = secret;
  return html`
    <li>
      <div>
        <strong>${label}</strong>
        <p class="meta">
          Created ${time(createdAt)}${expiresAt !== undefined &&
            html`, works until ${time(expiresAt)}`}
        </p>
      </div>
      <form method="post" action="${href}">
        ${method("DELETE")}
        <button class="quiet" aria-label="Revoke ${label}">Revoke</button>
      </form>
    </li>
  `;
}
