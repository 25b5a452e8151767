import type { Passkey, PasskeySignal } from "../../auth/passkey/mod.ts";
import { html, type Markup } from "../../router/content/mod.ts";
import { searchOf } from "../actions/call.ts";
import type { Messages } from "../messages/messages.ts";
import { errorSummary, field, type FormState } from "./fields.ts";
import {
  accountView,
  card,
  goneView,
  type PageCall,
  type View,
} from "./page.ts";
import { wayRow } from "./rows.ts";

/** Creates the page of the passkeys. */
export function passkeysView(
  call: PageCall,
  state: FormState,
  { list, signal }: {
    readonly list: readonly Passkey[];
    readonly signal: PasskeySignal;
  },
): View {
  const { messages, services: { routes } } = call;
  const content = html`
    ${errorSummary(messages, state)}
    <p>${messages.passkeysText}</p>
    ${list.length > 0 && html`
      <ul class="rows">${list.map((passkey) =>
        wayRow(call, passkey, {
          action: routes.passkeyRemoval.href(),
          extra: renameLink(call, passkey),
        })
      )}</ul>
    `}
    <noscript><p>${messages.noScript}</p></noscript>
    ${passkeyNameForm(messages, state, {
      action: routes.passkeys.action.href(),
      options: routes.passkeyOptions.href(),
    })}
    <div hidden data-passkey-signal="${JSON.stringify(signal)}"></div>
  `;
  return { ...accountView(call, messages.passkeys, content), script: true };
}

/** The paths of a form with a passkey. */
interface PasskeyPaths {
  readonly action: string;
  /** The path of the options, for the script. */
  readonly options: string;
}

/** Creates the form of a new passkey, which the script shows. */
export function passkeyNameForm(
  messages: Messages,
  state: FormState,
  { action, options }: PasskeyPaths,
): Markup {
  const shown = { ...state, values: { name: "Passkey", ...state.values } };
  return html`
    <form method="post" action="${action}" hidden
      novalidate data-passkey-create="${options}">
      <input type="hidden" name="passkey">
      ${field({
        name: "name",
        label: messages.passkeyName,
        autocomplete: "off",
        hint: messages.passkeyNameHint,
      }, shown)}
      ${problem(messages)}
      <button>${messages.passkeyAdd}</button>
    </form>
  `;
}

/** Creates the form that proves a passkey of the user, which the script shows. */
export function passkeyForm(
  messages: Messages,
  { action, button, options }: PasskeyPaths & { readonly button: Markup },
): Markup {
  return html`
    <form method="post" action="${action}" hidden
      data-passkey-get="${options}">
      <input type="hidden" name="passkey">
      ${problem(messages)}
      ${button}
    </form>
  `;
}

function renameLink(
  { messages, services: { routes } }: PageCall,
  { id, name }: Passkey,
): Markup {
  return html`
    <p class="hint"><a href="${routes.passkeyName.index.href({}, { id })}"
      aria-label="${messages.passkeyRenameNamed(name)}">
      ${messages.passkeyRename}</a></p>
  `;
}

/** Creates the page that renames a passkey. */
export function passkeyNameView(
  call: PageCall,
  state: FormState,
  passkey: Pick<Passkey, "id" | "name"> | null,
): View {
  const { messages, services: { routes } } = call;
  const list = routes.passkeys.index.href();
  if (passkey === null) return goneView(call, messages.passkeyUnknown, list);
  const { id, name } = passkey;
  return accountView(
    call,
    messages.passkeyRenameTitle,
    html`
      ${errorSummary(messages, state)}
      <form method="post" action="${routes.passkeyName.action
        .href()}" novalidate>
        <input type="hidden" name="id" value="${id}">
        ${field({
          name: "name",
          label: messages.passkeyName,
          autocomplete: "off",
          hint: messages.passkeyNameHint,
        }, { ...state, values: { name, ...state.values } })}
        <div class="actions">
        <button>${messages.save}</button>
        <a class="button quiet" href="${list}">${messages.cancel}</a>
        </div>
      </form>
    `,
  );
}

/** Creates the form of the login with a passkey, which the script shows. */
export function passkeyLoginForm(
  { context, messages, services: { routes } }: PageCall,
  { failed }: FormState,
): Markup {
  const unknown = failed?.unknownPasskey;
  const action = routes.passkeyLogin.href({}, searchOf(context));
  return html`
    <form method="post" action="${action}" hidden data-passkey-conditional
      data-passkey-get="${routes.passkeyLoginOptions.href()}">
      <input type="hidden" name="passkey">
      ${problem(messages)}
      <button class="quiet">${messages.logInByPasskey}</button>
    </form>
    ${unknown !== undefined && html`
      <div hidden data-passkey-signal="${JSON.stringify(unknown)}"></div>
    `}
  `;
}

/** Creates the form of the confirmation with a passkey. */
export function passkeyConfirmForm(
  { context, messages, services: { routes } }: PageCall,
): Markup {
  return passkeyForm(messages, {
    action: routes.passkeyConfirm.href({}, searchOf(context)),
    options: routes.passkeyConfirmOptions.href(),
    button: html`<button class="quiet">${messages.confirmByPasskey}</button>`,
  });
}

/** Creates the page that confirms a login with a passkey only. */
export function confirmPasskeyView(call: PageCall, state: FormState): View {
  const { messages } = call;
  const view = card(
    messages.confirmTitle,
    html`
      ${errorSummary(messages, state)}
      <noscript><p>${messages.noScript}</p></noscript>
      ${passkeyConfirmForm(call)}
    `,
  );
  return { ...view, script: true };
}

function problem({ passkeyFailed }: Messages): Markup {
  return html`
    <p class="problem" role="alert" data-passkey-error hidden>${passkeyFailed}</p>
  `;
}
