import type {
  RememberedDevice,
  SecondFactorStatus,
  TOTPSetup,
} from "../../auth/second_factor/mod.ts";
import { Auth } from "../../auth/middleware/mod.ts";
import { html, type Markup } from "../../router/content/mod.ts";
import type { SessionInfo } from "../../session/mod.ts";
import { searchOf } from "../actions/call.ts";
import { browserName } from "../mails/browser_name.ts";
import type { Messages } from "../messages/messages.ts";
import { checkbox, errorSummary, field, type FormState } from "./fields.ts";
import { accountView, card, type PageCall, type View } from "./page.ts";
import { dayOf, rowButton, rowList, timeAgo } from "./rows.ts";
import { passkeyConfirmForm } from "./passkey_pages.ts";
import { qrImage } from "./qr_code.ts";

/** Creates the page that asks for the second factor. */
export function secondFactorView(
  { context, messages, services: { routes } }: PageCall,
  state: FormState,
): View {
  const search = searchOf(context);
  return card(
    messages.secondFactorTitle,
    html`
      ${errorSummary(messages, state)}
      <form method="post"
        action="${routes.secondFactor.action.href({}, search)}" novalidate>
        ${appCode(messages, state)}
        ${checkbox(
          { name: "remember", label: messages.rememberBrowser },
          state,
        )}
        <button>${messages.logIn}</button>
      </form>
      <p class="links">
        <a href="${routes.login.index.href({}, search)}">${messages.back}</a>
      </p>
    `,
  );
}

/** Creates the page that confirms a login with a code. */
export function confirmCodeView(
  call: PageCall,
  state: FormState,
  hasPasskey: boolean,
): View {
  const { context, messages, services: { routes } } = call;
  const action = routes.codeConfirm.href({}, searchOf(context));
  const view = card(
    messages.confirmTitle,
    html`
      ${errorSummary(messages, state)}
      <form method="post" action="${action}" novalidate>
        ${appCode(messages, state)}
        <button>${messages.confirmButton}</button>
      </form>
      ${hasPasskey && passkeyConfirmForm(call)}
    `,
  );
  return { ...view, script: hasPasskey };
}

/** The second factor of a user, and the values of its page. */
interface TwoStep extends SecondFactorStatus {
  readonly devices: readonly RememberedDevice[];
  readonly setup: TOTPSetup;
}

/** Creates the page of the authenticator app. */
export function twoStepView(
  call: PageCall,
  state: FormState,
  twoStep: TwoStep,
): View {
  const { messages } = call;
  const content = twoStep.totp ? enabled(call, twoStep) : html`
    <p>${messages.twoStepText}</p>
    ${appSetupForm(messages, state, {
      action: call.services.routes.twoStep.action.href(),
      setup: twoStep.setup,
    })}
  `;
  return accountView(
    call,
    messages.twoStep,
    html`
      ${errorSummary(messages, state)} ${content}
    `,
  );
}

/** Creates the form that sets up an authenticator app. */
export function appSetupForm(
  messages: Messages,
  state: FormState,
  { action, setup: { secret, setup, uri } }: {
    readonly action: string;
    readonly setup: TOTPSetup;
  },
): Markup {
  const image = qrImage(uri, messages.twoStepImage);
  return html`
    <p>${image === null ? messages.twoStepKey : messages.twoStepScan}</p>
    ${image}
    <p class="key">${secret.replaceAll(/(.{4})/g, "$1 ").trim()}</p>
    <p><a href="${uri}">${messages.twoStepOpen}</a></p>
    <form method="post" action="${action}" novalidate>
      <input type="hidden" name="setup" value="${setup}">
      ${field({
        name: "code",
        label: messages.code,
        autocomplete: "one-time-code",
        hint: messages.twoStepCodeHint,
        isNumeric: true,
      }, state)}
      <button>${messages.twoStepOn}</button>
    </form>
  `;
}

function enabled(call: PageCall, { devices, recoveryCodes }: TwoStep): Markup {
  const { messages, services: { routes } } = call;
  return html`
    <p>${messages.twoStepIsOn(recoveryCodes)}</p>
    <form method="post" action="${routes.recoveryCodes.href()}">
      <p><button class="quiet">${messages.newCodes}</button></p>
    </form>
    <form method="post" action="${routes.twoStepRemoval.href()}">
      <button class="danger">${messages.twoStepOff}</button>
    </form>
    <h2>${messages.rememberedTitle}</h2>
    ${rowList(
      devices.map((one) => browserRow(call, one)),
      messages.rememberedNone,
    )}
  `;
}

function browserRow(
  { messages, services: { routes } }: PageCall,
  { id, current, expiresAt, userAgent }: RememberedDevice,
): Markup {
  const name = browserName(userAgent ?? null) ?? messages.unknownBrowser;
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        <p class="hint">${current && html`
          ${messages.thisBrowser} ·
        `}${messages.rememberedUntil(dayOf(expiresAt))}</p>
      </div>
      ${rowButton(routes.browserRemoval.href(), { id }, {
        label: messages.forgetNamed(name),
        text: messages.forget,
      })}
    </li>
  `;
}

/** Creates the page that shows new recovery codes, once. */
export function recoveryCodesView(
  call: PageCall,
  codes: readonly string[],
  next: string,
): View {
  const { context, messages } = call;
  const content = html`
    <p>${messages.recoveryCodesText}</p>
    <ul class="codes">${codes.map((code) =>
      html`
        <li>${code}</li>
      `
    )}</ul>
    <p>
      <a class="button" href="${next}">${messages.codesSaved}</a>
    </p>
  `;
  // A login that has just completed has no account area yet.
  return context.get(Auth) === null
    ? card(messages.recoveryCodes, content)
    : accountView(call, messages.recoveryCodes, content);
}

/** Creates the page of the sessions. The one of this browser comes first. */
export function sessionsView(
  call: PageCall,
  state: FormState,
  list: readonly SessionInfo[],
): View {
  const { messages, services: { apps, routes } } = call;
  const sorted = list.toSorted((a, b) => Number(b.current) - Number(a.current));
  return accountView(
    call,
    messages.sessions,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.sessionsText}</p>
      <ul class="rows">${sorted.map((one) => sessionRow(call, one))}</ul>
      ${list.length > 1 && html`
        <form method="post" action="${routes.sessions.action.href()}">
          <button class="danger">${messages.endOthers}</button>
        </form>
        ${apps.isOn && html`
          <p class="hint">${messages.apps.sessionsText}</p>
        `}
      `}
    `,
  );
}

function sessionRow(
  call: PageCall,
  { id, current, label, createdAt, seenAt }: SessionInfo,
): Markup {
  const { messages, services: { routes } } = call;
  const name = browserName(label.userAgent ?? null) ??
    messages.unknownBrowser;
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        <p class="hint facts">
          ${current && html`
            <span>${messages.thisBrowser}</span>
          `}
          <span>${timeAgo(
            call,
            // The session of this request is only saved after it.
            current ? call.services.now() : seenAt,
            messages.lastActive,
          )}</span>
          <span>${messages.loggedIn(dayOf(createdAt))}</span>
        </p>
      </div>
      ${!current && rowButton(routes.sessions.action.href(), { id }, {
        label: messages.endNamed(name),
        text: messages.end,
      })}
    </li>
  `;
}

function appCode(messages: Messages, state: FormState): Markup {
  return field({
    name: "code",
    label: messages.code,
    autocomplete: "one-time-code",
    hint: messages.appCodeHint,
  }, state);
}
