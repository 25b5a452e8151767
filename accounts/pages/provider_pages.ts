import { html, type Markup } from "../../router/content/mod.ts";
import { searchOf } from "../actions/call.ts";
import type { WayIn } from "../store/store.ts";
import { emailField, errorSummary, type FormState } from "./fields.ts";
import { accountView, card, type PageCall, type View } from "./page.ts";
import { wayRow } from "./rows.ts";

/** Creates the links of the login page that lead to the providers. */
export function providerLinks(
  { context, messages, services: { providers, routes } }: PageCall,
): Markup[] {
  return Object.entries(providers).map(([provider, { label }]) =>
    html`
      <p><a class="button quiet wide" href="${routes.providerLogin.href(
        { provider },
        searchOf(context),
      )}">${messages.providers.logInWith(label)}</a></p>
    `
  );
}

/** Creates the form that confirms a login at a provider. */
export function providerConfirmForm(
  { context, messages, services: { providers, routes } }: PageCall,
  name: string,
): Markup {
  const action = routes.providerConfirm.href({}, searchOf(context));
  return html`
    <form method="post" action="${action}">
      <input type="hidden" name="provider" value="${name}">
      <button class="quiet">
        ${messages.providers.confirmWith(providers[name]!.label)}
      </button>
    </form>
  `;
}

/**
 * Creates the page that leads to a provider. The content security policy
 * forbids forms that lead to other sites, even by a redirect, so the browser
 * leaves from this page.
 */
export function leavingView(
  { messages: { providers: { leaving } } }: PageCall,
  location: string,
): View {
  const content = html`
    <p><a class="button" href="${location}">${leaving}</a></p>
  `;
  return { ...card(leaving, content), refresh: location };
}

/** Creates the page of a login at a provider that did not work. */
export function providerProblemView(
  { context, messages, services: { routes } }: PageCall,
  state: FormState,
): View {
  const { returnTo } = state.failed ?? {};
  const search = returnTo === undefined ? searchOf(context) : { returnTo };
  return card(
    messages.providers.problem,
    html`
      ${errorSummary(messages, state)}
      <p class="links">
        <a href="${routes.login.index.href({}, search)}">${messages.back}</a>
      </p>
    `,
  );
}

/** Creates the page that asks for the address of a new account. */
export function providerEmailView(
  { context, messages, services: { routes } }: PageCall,
  state: FormState,
  { email, name }: { readonly email: string; readonly name: string },
): View {
  const action = routes.providerEmail.action.href({}, searchOf(context));
  return card(
    messages.providers.emailTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.providers.emailText(name)}</p>
      <form method="post" action="${action}" novalidate>
        ${emailField(messages.email, "email", {
          ...state,
          values: { email, ...state.values },
        })}
        <button>${messages.continueButton}</button>
      </form>
    `,
  );
}

/** Creates the page of the linked logins. */
export function loginsView(
  call: PageCall,
  state: FormState,
  list: readonly WayIn[],
): View {
  const { messages, services: { providers, routes } } = call;
  return accountView(
    call,
    messages.providers.title,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.providers.text}</p>
      ${list.length === 0
        ? html`<p>${messages.providers.none}</p>`
        : html`<ul class="rows">${list.map((way) => row(call, way))}</ul>`}
      <div class="actions">${Object.entries(providers).map(
        ([name, { label }]) =>
          html`
            <form method="post" action="${routes.logins.action.href()}">
              <input type="hidden" name="provider" value="${name}">
              <button class="quiet">${messages.providers.link(label)}</button>
            </form>
          `,
      )}</div>
    `,
  );
}

function row(
  call: PageCall,
  { data, name, ...way }: WayIn,
): Markup {
  const { providers, routes } = call.services;
  const key = String(Object(data).provider);
  const label = Object.hasOwn(providers, key) ? providers[key]!.label : key;
  const shown = { ...way, name: `${label}: ${name}` };
  return wayRow(call, shown, { action: routes.loginRemoval.href() });
}
