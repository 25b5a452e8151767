import { html, type Markup } from "../../router/content/mod.ts";
import { searchOf } from "../actions/call.ts";
import { inputNameOf } from "../definition/input_names.ts";
import type { StoredAccount } from "../store/store.ts";
import {
  emailField,
  errorSummary,
  field,
  type FormState,
  hiddenUsername,
  newPasswordField,
  ownField,
} from "./fields.ts";
import { linkRows } from "./overview_pages.ts";
import { passkeyConfirmForm } from "./passkey_pages.ts";
import { providerConfirmForm } from "./provider_pages.ts";
import { accountView, card, type PageCall, type View } from "./page.ts";

/** Creates the page of the name and the additional fields. */
export function profileView(
  call: PageCall,
  state: FormState,
  account: StoredAccount,
): View {
  const { messages, services: { features, names, routes } } = call;
  const shown = state.values === undefined
    ? { ...state, values: valuesOf(account) }
    : state;
  return accountView(
    call,
    messages.profile,
    html`
      ${errorSummary(messages, state)}
      <form method="post" action="${routes.profile.action.href()}" novalidate>
        ${field(
          { name: "name", label: messages.name, autocomplete: "name" },
          shown,
        )}
        ${Object.entries(names.fields ?? {})
          .map((entry) => ownField(entry, messages, shown))}
        <button>${messages.save}</button>
      </form>
      ${linkRows([
        {
          href: routes.email.index.href(),
          text: messages.email,
          state: account.email,
        },
        features.has("data") &&
        { href: routes.data.index.href(), text: messages.data },
        features.has("deletion") &&
        { href: routes.remove.index.href(), text: messages.deleteTitle },
      ])}
    `,
  );
}

function valuesOf({ name, fields }: StoredAccount): Record<string, string> {
  const own = Object.entries(fields)
    .map(([key, value]) => [inputNameOf(key), String(value ?? "")]);
  return { name, ...Object.fromEntries(own) };
}

/** Creates the page that changes the address. */
export function emailView(
  call: PageCall,
  state: FormState,
  { email }: StoredAccount,
): View {
  const { messages, services: { routes } } = call;
  return accountView(
    call,
    messages.changeEmail,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.emailIs(email)}</p>
      <form method="post" action="${routes.email.action.href()}" novalidate>
        ${emailField(messages.newEmail, "email", state)}
        <button>${messages.continueButton}</button>
      </form>
    `,
  );
}

/** Creates the page that changes the password. */
export function passwordView(
  call: PageCall,
  state: FormState,
  { email }: StoredAccount,
): View {
  const { messages, services: { routes } } = call;
  return accountView(
    call,
    messages.changePassword,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.passwordText}</p>
      <form method="post" action="${routes.password.action.href()}" novalidate>
        ${hiddenUsername(email)}
        ${newPasswordField(messages.newPassword, messages, state)}
        <button>${messages.changePassword}</button>
      </form>
    `,
  );
}

/** Creates the page that confirms a login. */
export function confirmView(
  call: PageCall,
  state: FormState,
  { email }: StoredAccount,
  { hasPasskey, providers }: {
    readonly hasPasskey: boolean;
    readonly providers: readonly string[];
  },
): View {
  const { context, messages, services: { routes } } = call;
  const action = routes.confirm.action.href({}, searchOf(context));
  const view = card(
    messages.confirmTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.confirmText}</p>
      <form method="post" action="${action}" novalidate>
        ${hiddenUsername(email)}
        ${field({
          name: "password",
          label: messages.password,
          type: "password",
          autocomplete: "current-password",
        }, state)}
        <button>${messages.confirmButton}</button>
      </form>
      ${hasPasskey && passkeyConfirmForm(call)}
      ${providers.map((name) => providerConfirmForm(call, name))}
      <p class="links">
        <a href="${routes.reset.index.href()}">${messages.forgot}</a>
      </p>
    `,
  );
  return { ...view, script: hasPasskey };
}

function dataLink({ messages, services: { routes } }: PageCall): Markup {
  return html`
    <p class="links"><a href="${routes.data.index.href()}">${messages
      .data}</a></p>
  `;
}

/** Creates the page that downloads the data of the account. */
export function dataView(call: PageCall, state: FormState): View {
  const { messages, services: { routes } } = call;
  return accountView(
    call,
    messages.data,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.dataText}</p>
      <form method="post" action="${routes.data.action.href()}">
        <button>${messages.download}</button>
      </form>
    `,
  );
}

/** Creates the page that deletes the account. */
export function removeView(
  call: PageCall,
  state: FormState,
  days: number,
): View {
  const { messages, services: { routes } } = call;
  return accountView(
    call,
    messages.deleteTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.deleteText(days)}</p>
      <form method="post" action="${routes.remove.action.href()}">
        <div class="actions">
          <button class="danger">${messages.deleteButton}</button>
          <a class="button quiet" href="${routes.profile.index.href()}">
          ${messages.cancel}
        </a>
        </div>
      </form>
      ${dataLink(call)}
    `,
  );
}
