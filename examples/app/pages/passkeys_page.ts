import type { Passkey, PasskeySignal } from "@gatehouse/web/auth/passkey";
import { html, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { routes } from "../routes.ts";
import { accountPage } from "./account_page.ts";
import { errorSummary, field, type FormState, method } from "./form_fields.ts";
import { time } from "./time.ts";

const paths = routes.account.passkeys;

/** The passkeys of a user, and the state of the form that adds one. */
export interface PasskeyList {
  readonly list: readonly Passkey[];
  /** The present passkeys and names, which the script tells the browser. */
  readonly signal: PasskeySignal;
  readonly state: FormState;
}

/** Creates the page of a user's passkeys. */
export function passkeysPage(
  context: RequestContext,
  { list, signal, state }: PasskeyList,
): Response {
  const isFailed = state.errors !== undefined || state.error !== undefined;
  return accountPage(context, {
    title: "Passkeys",
    status: isFailed ? 422 : 200,
    script: routes.passkeyScript.href(),
    content: html`
      <p>
        A passkey logs you in with your fingerprint, your face or the PIN of
        your device. No one can guess or steal it.
      </p>
      ${errorSummary(state)}
      <noscript>
        <p>To add a passkey, please turn on JavaScript.</p>
      </noscript>
      <form method="post" action="${paths.create.href()}" hidden novalidate
        data-passkey-create="${paths.options.href()}">
        <input type="hidden" name="passkey">
        ${field({
          name: "label",
          label: "Name",
          autocomplete: "off",
          hint: "Such as the device, so that you recognize it later.",
        }, { ...state, values: { label: "Passkey", ...state.values } })}
        ${problem("The passkey was not added.")}
        <button>Add a passkey</button>
      </form>
      <h2>Your passkeys</h2>
      ${list.length === 0
        ? html`
          <p class="empty">You have no passkeys yet.</p>
        `
        : html`
          <ul class="rows">${list.map(row)}</ul>
        `}
      <div hidden data-passkey-signal="${JSON.stringify(signal)}"></div>
    `,
  });
}

/** Creates the message that the script shows if the authenticator failed. */
export function problem(text: string): Markup {
  return html`
    <p class="problem" role="alert" data-passkey-error hidden>
      ${text} Please try again.
    </p>
  `;
}

function row({ id, name, backedUp, createdAt, usedAt }: Passkey): Markup {
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        ${backedUp && html`<span class="badge">synced</span>`}
        <p class="meta">
          Added ${time(createdAt)}${usedAt !== null &&
            html`, last used ${time(usedAt)}`}
        </p>
        <details>
          <summary>Rename ${name}</summary>
          <form method="post" action="${paths.update.href({ id })}">
            ${method("PUT")}
            <label for="label-${id}">New name of ${name}</label>
            <input id="label-${id}" name="label" value="${name}"
              autocomplete="off" maxlength="60" required>
            <button class="quiet">Rename</button>
          </form>
        </details>
      </div>
      <form method="post" action="${paths.destroy.href({ id })}">
        ${method("DELETE")}
        <button class="quiet" aria-label="Remove ${name}">Remove</button>
      </form>
    </li>
  `;
}
