import type { TOTPSetup } from "../../auth/second_factor/mod.ts";
import { html, type Markup } from "../../router/content/mod.ts";
import { searchOf } from "../actions/call.ts";
import { errorSummary, type FormState } from "./fields.ts";
import { card, type PageCall, type View } from "./page.ts";
import { passkeyForm, passkeyNameForm } from "./passkey_pages.ts";
import { appSetupForm } from "./security_pages.ts";

/** Creates the page of a login that needs the first second factor of its account. */
export function factorSetupView(
  call: PageCall,
  state: FormState,
  setup: TOTPSetup,
): View {
  const { context, messages, services: { name, routes } } = call;
  const search = searchOf(context);
  const view = card(
    messages.factors.setupTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.factors.setupText(name)}</p>
      <h2>${messages.passkeys}</h2>
      <p>${messages.passkeysText}</p>
      <noscript><p>${messages.noScript}</p></noscript>
      ${passkeyNameForm(messages, state, {
        action: routes.secondFactorPasskey.href({}, search),
        options: routes.secondFactorPasskeyOptions.href(),
      })}
      <h2>${messages.factors.app}</h2>
      ${appSetupForm(messages, state, {
        action: routes.secondFactorSetup.action.href({}, search),
        setup,
      })}
      ${backToLogin(call)}
    `,
  );
  return { ...view, script: true };
}

/** Creates the page of a login that needs a passkey of its account. */
export function passkeyFactorView(call: PageCall, state: FormState): View {
  const { context, messages, services: { name, routes } } = call;
  const { factors } = messages;
  const view = card(
    factors.proveTitle,
    html`
      ${errorSummary(messages, state)}
      <p>${factors.proveText(name)}</p>
      <noscript><p>${messages.noScript}</p></noscript>
      ${passkeyForm(messages, {
        action: routes.secondFactorPasskey.href({}, searchOf(context)),
        options: routes.secondFactorPasskeyOptions.href(),
        button: html`<button>${factors.proveButton}</button>`,
      })}
      <p class="hint">${factors.lost(name)}</p>
      ${backToLogin(call)}
    `,
  );
  return { ...view, script: true };
}

/** Creates the link for a user who has begun with another account. */
function backToLogin({ context, messages, services }: PageCall): Markup {
  const login = services.routes.login.index.href({}, searchOf(context));
  return html`<p class="links"><a href="${login}">${messages.back}</a></p>`;
}
