import type { EmailLink } from "../../auth/email_login/mod.ts";
import { html, type Markup } from "../../router/content/mod.ts";
import { searchOf } from "../actions/call.ts";
import {
  checkbox,
  emailField,
  errorSummary,
  field,
  type FormState,
  hiddenUsername,
  newPasswordField,
  ownField,
} from "./fields.ts";
import { card, type PageCall, question, type View } from "./page.ts";

import { providerLinks } from "./provider_pages.ts";
import { passkeyLoginForm } from "./passkey_pages.ts";

/** Creates the login page. */
export function loginView(call: PageCall, state: FormState): View {
  const script = call.services.features.has("passkeys");
  return { ...loginCard(call, state), script };
}

function loginCard(call: PageCall, state: FormState): View {
  const { context, messages, services: { features, name, routes } } = call;
  const search = searchOf(context);
  const hasPasskeys = features.has("passkeys");
  const address = hasPasskeys ? "username webauthn" : "username";
  const isAsked = search !== undefined && state.failed === undefined;
  return card(
    messages.logInTo(name),
    html`
      ${isAsked && html`
        <p>${messages.pleaseLogIn}</p>
      `} ${errorSummary(messages, state)}
      <form method="post" action="${routes.login.action.href({}, search)}"
        novalidate>
        ${emailField(messages.email, address, state)}
        ${field({
          name: "password",
          label: messages.password,
          type: "password",
          autocomplete: "current-password",
        }, state)}
        ${checkbox({ name: "remember", label: messages.remember }, state)}
        <button>${messages.logIn}</button>
      </form>
      ${hasPasskeys && passkeyLoginForm(call, state)} ${providerLinks(call)}
      ${loginLinks(call)}
    `,
  );
}

function loginLinks({ context, messages, services }: PageCall): Markup {
  const { features, registration, routes } = services;
  const search = searchOf(context);
  return html`
    <p class="links">
      ${features.has("email-login") && html`
        <a href="${routes.emailLogin.index.href({}, search)}">
          ${messages.emailLogin}</a>
      `}
      <a href="${routes.reset.index.href({}, search)}">
        ${messages.forgot}</a>
      ${registration === "open" && question(
        messages.noAccount,
        routes.register.index.href({}, search),
        messages.register,
      )}
    </p>
  `;
}

/** Creates the page that says that a registration needs an invitation. */
export function invitedOnlyView(call: PageCall): View {
  const { context, messages, services: { name, routes } } = call;
  const login = routes.login.index.href({}, searchOf(context));
  return card(
    messages.registerAt(name),
    html`
      <p>${messages.invitedOnly(name)}</p>
      <p><a class="button" href="${login}">${messages.logIn}</a></p>
    `,
  );
}

/** The invitation of a link. */
interface Invited {
  readonly email: string;
  readonly token: string;
}

/** Creates the registration page. An invitation has the address of the account. */
export function registerView(
  call: PageCall,
  state: FormState,
  invited?: Invited,
): View {
  const { context, messages, services: { name, names, routes } } = call;
  const action = routes.register.action.href({}, searchOf(context));
  return card(
    messages.registerAt(name),
    html`
      ${errorSummary(messages, state)}
      <form method="post" action="${action}" novalidate>
        ${field(
          { name: "name", label: messages.name, autocomplete: "name" },
          state,
        )}
        ${addressOf(messages, state, invited)}
        ${newPasswordField(messages.password, messages, state)}
        ${Object.entries(names.fields ?? {})
          .map((entry) => ownField(entry, messages, state))}
        <button>${messages.register}</button>
      </form>
      <p class="links">
        ${question(
          messages.hasAccount,
          routes.login.index.href({}, searchOf(context)),
          messages.logIn,
        )}
      </p>
    `,
  );
}

/** Creates the input of the address, which an invitation determines. */
function addressOf(
  messages: PageCall["messages"],
  state: FormState,
  invited: Invited | undefined,
): Markup {
  if (invited === undefined) return emailField(messages.email, "email", state);
  const { email, token } = invited;
  return html`
    <input type="hidden" name="token" value="${token}">
    ${hiddenUsername(email)}
    <p>${messages.invitedAs(email)}</p>
  `;
}

/** Creates the page that asks for the code of an email. */
export function codeView(
  { messages }: PageCall,
  state: FormState,
  { action, again, email }: {
    readonly action: string;
    readonly again: string;
    readonly email: string;
  },
): View {
  return card(
    messages.checkMail,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.codeSent(email)}</p>
      <form method="post" action="${action}" novalidate>
        ${field({
          name: "code",
          label: messages.code,
          autocomplete: "one-time-code",
          hint: messages.codeHint,
          isNumeric: true,
        }, state)}
        <button>${messages.continueButton}</button>
      </form>
      <p class="links">
        ${question(messages.noMail, again, messages.askAgain)}
      </p>
    `,
  );
}

/** Creates the page of an opened link. */
export function linkView(
  call: PageCall,
  link: EmailLink,
  { action, again, token }: {
    readonly action: string;
    readonly again: string;
    readonly token: string;
  },
): View {
  const { messages } = call;
  if (link.status === "expired") return expiredView(call, again);
  if (link.status === "other-browser") {
    return card(
      messages.otherBrowserTitle,
      html`
        <p>${messages.otherBrowserText}</p>
        <p class="secret">${link.code}</p>
      `,
    );
  }
  return card(
    messages.proveTitle,
    html`
      <p>${messages.proveText(link.email)}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="token" value="${token}">
        <button>${messages.continueButton}</button>
      </form>
    `,
  );
}

/** Creates the page of a link that does not work. */
export function expiredView({ messages }: PageCall, again: string): View {
  const view = card(
    messages.linkExpiredTitle,
    html`
      <p>${messages.linkExpiredText}</p>
      <p><a class="button" href="${again}">${messages.back}</a></p>
    `,
  );
  return { ...view, status: 400 };
}

/** Creates the page that asks for the address of a forgotten password. */
export function resetView(call: PageCall, state: FormState): View {
  const { context, messages, services: { routes } } = call;
  const action = routes.reset.action.href({}, searchOf(context));
  return card(
    messages.resetTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.resetText}</p>
      <form method="post" action="${action}" novalidate>
        ${emailField(messages.email, "username", state)}
        <button>${messages.sendLink}</button>
      </form>
      <p class="links">
        <a href="${routes.login.index.href({}, searchOf(context))}">
          ${messages.logIn}</a>
      </p>
    `,
  );
}

/** Creates the page that asks for the address of a login by email. */
export function emailLoginView(call: PageCall, state: FormState): View {
  const { context, messages, services: { routes } } = call;
  const action = routes.emailLogin.action.href({}, searchOf(context));
  return card(
    messages.emailLogin,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.emailLoginText}</p>
      <form method="post" action="${action}" novalidate>
        ${emailField(messages.email, "username", state)}
        <button>${messages.sendCode}</button>
      </form>
      <p class="links">
        <a href="${routes.login.index.href({}, searchOf(context))}">
          ${messages.back}</a>
      </p>
    `,
  );
}

/** Creates the page that asks for a new password, after a reset. */
export function chooseView(
  call: PageCall,
  state: FormState,
  { email, token }: { readonly email: string; readonly token: string },
): View {
  const { messages, services: { routes } } = call;
  return card(
    messages.chooseTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.chooseText}</p>
      <form method="post" action="${routes.resetLink.action.href()}" novalidate>
        <input type="hidden" name="token" value="${token}">
        ${hiddenUsername(email)}
        ${newPasswordField(messages.newPassword, messages, state)}
        <button>${messages.changePassword}</button>
      </form>
    `,
  );
}

/** Creates the page of the link "this was not me". */
export function notMeView(
  { messages, services: { routes } }: PageCall,
  token: string,
  isAddress: boolean,
): View {
  return card(
    messages.notMeTitle,
    html`
      <p>${isAddress ? messages.notMeText : messages.notMeWayText}</p>
      <form method="post" action="${routes.notMe.action.href()}">
        <input type="hidden" name="token" value="${token}">
        <button>
          ${isAddress ? messages.notMeButton : messages.notMeWayButton}
        </button>
      </form>
    `,
  );
}
