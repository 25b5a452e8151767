import { Auth } from "../auth/middleware/mod.ts";
import { redirect } from "../router/internal.ts";
import { returnToOf, searchOf } from "./actions/call.ts";
import { ownAccount } from "./current_account.ts";
import { restorationOf } from "./actions/not_me.ts";
import { draftOf } from "./actions/registration.ts";
import { openReset } from "./actions/reset.ts";
import { confirmingProviders } from "./actions/linked_logins.ts";
import { requiresFactor } from "./factors/required_factor.ts";
import { countPasskeys, createPasskeyStore } from "./actions/passkey_store.ts";
import { namedPasskey, passkeyUser } from "./actions/passkeys.ts";
import type { ViewCall, ViewOf } from "./_answer.ts";
import { confirmView } from "./pages/account_pages.ts";
import type { FormState } from "./pages/fields.ts";
import {
  confirmPasskeyView,
  passkeyNameView,
  passkeysView,
} from "./pages/passkey_pages.ts";
import type { View } from "./pages/page.ts";
import {
  confirmCodeView,
  secondFactorView,
  sessionsView,
  twoStepView,
} from "./pages/security_pages.ts";
import { userSessions } from "../session/mod.ts";
import {
  chooseView,
  codeView,
  expiredView,
  invitedOnlyView,
  linkView,
  notMeView,
  registerView,
} from "./pages/visitor_pages.ts";

/** Shows the page of the second factor, if a login waits for it. */
export async function secondFactorPage(
  call: ViewCall,
  state: FormState,
): Promise<View | Response> {
  const { context, services: { factors, routes } } = call;
  return await factors.pendingLogin(context) === null
    ? redirect(routes.login.index.href({}, searchOf(context)))
    : secondFactorView(call, state);
}

/** Shows the page of the authenticator app. */
export async function twoStepPage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { context, services: { factors } } = call;
  const { id, email } = ownAccount(context);
  const status = await factors.status(id);
  // After a wrong code, the app still has the same secret.
  const setup = state.failed?.setup ?? await factors.createTOTP(id, email);
  const devices = await factors.devices(context, id);
  return twoStepView(call, state, { ...status, devices, setup });
}

/** Shows the page of the sessions. */
export async function sessionsPage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  return sessionsView(call, state, await userSessions(call.context).list());
}

/** Shows the page of the code of a login by email. */
export async function emailLoginCodeView(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { context, services: { emailLogins, routes } } = call;
  const email = await emailLogins.pendingEmail(context);
  const again = routes.emailLogin.index.href({}, searchOf(context));
  if (email === null) return expiredView(call, again);
  const action = routes.emailLoginCode.action.href({}, searchOf(context));
  return codeView(call, state, { action, again, email });
}

/** Shows the page of the link of a login by email. */
export async function emailLoginLinkView(call: ViewCall): Promise<View> {
  const { context, services: { emailLogins, routes } } = call;
  const token = tokenOf(call);
  return linkView(call, await emailLogins.open(context, token), {
    action: routes.emailLoginLink.action.href(),
    again: routes.emailLogin.index.href(),
    token,
  });
}

/** Shows the page of the passkeys. */
export async function passkeysPage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { context, services: { passkeys, store } } = call;
  const account = ownAccount(context);
  return passkeysView(call, state, {
    list: await createPasskeyStore(store).list(account.id),
    signal: await passkeys.signal(passkeyUser(account)),
  });
}

/** Shows the page that renames a passkey. */
export async function passkeyNamePage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  return passkeyNameView(call, state, await namedPasskey(call));
}

/** Shows the page that confirms a login with a method of the user. */
export async function confirmPage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { context, services } = call;
  const account = ownAccount(context);
  const hasPasskey = await countPasskeys(services, account.id) > 0;
  if ((await services.factors.status(account.id)).totp) {
    return confirmCodeView(call, state, hasPasskey);
  }
  return await requiresFactor(services, account)
    ? confirmPasskeyView(call, state)
    : confirmView(call, state, account, {
      hasPasskey,
      providers: await confirmingProviders(call),
    });
}

/** Shows the registration page, with the address of the link's invitation. */
export async function registerPage(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { services: { invitations, registration, routes } } = call;
  const token = tokenOf(call);
  if (token === "") {
    return registration === "open"
      ? registerView(call, state)
      : invitedOnlyView(call);
  }
  const invitation = await invitations.find(token);
  return invitation === null
    ? expiredView(call, routes.login.index.href())
    : registerView(call, state, { email: invitation.email, token });
}

/** Shows the page of the code of a registration. */
export async function registerCodeView(
  call: ViewCall,
  state: FormState,
): Promise<View | Response> {
  const { context, services: { registrationMails, routes } } = call;
  const email = await registrationMails.pendingEmail(context);
  const again = draftOf(context)?.identity === undefined
    ? routes.register.index.href({}, searchOf(context))
    : routes.providerEmail.index.href();
  if (email === null) return expiredView(call, again);
  const action = routes.registerCode.action.href({}, searchOf(context));
  return codeView(call, state, { action, again, email });
}

/** Shows the page of the link of a registration. */
export async function registerLinkView(call: ViewCall): Promise<View> {
  const { context, services: { registrationMails, routes } } = call;
  const token = tokenOf(call);
  return linkView(call, await registrationMails.open(context, token), {
    action: routes.registerLink.action.href(),
    again: routes.register.index.href(),
    token,
  });
}

/** Shows the page of the code of a new address. */
export async function emailCodeView(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const { context, services: { emailChanges, routes } } = call;
  const email = await emailChanges.pendingEmail(context);
  const again = routes.email.index.href();
  if (email === null) return expiredView(call, again);
  const action = routes.emailCode.action.href();
  return codeView(call, state, { action, again, email });
}

/** Shows the page of the link of a new address. */
export async function emailLinkView(call: ViewCall): Promise<View> {
  const { context, services: { emailChanges, routes } } = call;
  const token = tokenOf(call);
  return linkView(call, await emailChanges.open(context, token), {
    action: routes.emailLink.action.href(),
    again: routes.email.index.href(),
    token,
  });
}

/** Shows the page of the link that resets the password. */
export async function resetLinkView(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const token = tokenOf(call);
  const opened = await openReset(call, token);
  return opened === null
    ? expiredView(call, call.services.routes.reset.index.href())
    : chooseView(call, state, { email: opened.account.email, token });
}

/** Shows the page of the link "This was not me". */
export async function restoreView(call: ViewCall): Promise<View> {
  const { services } = call;
  const token = tokenOf(call);
  const restoration = await restorationOf(services, token);
  return restoration === null
    ? expiredView(call, services.routes.reset.index.href())
    : notMeView(call, token, "email" in restoration.undo);
}

/** Returns the token of an opened link, or of its form. */
function tokenOf({ context, input }: ViewCall): string {
  const token = input.get("token") ?? context.url.searchParams.get("token");
  return typeof token === "string" ? token : "";
}

/** Creates a view of the logged-in account. */
export function of(
  view: (
    call: ViewCall,
    state: FormState,
    account: ReturnType<typeof ownAccount>,
  ) => View,
): ViewOf {
  return (call, state) => view(call, state, ownAccount(call.context));
}

/** Sends users who are logged in to the page they asked for. */
export function unlessLoggedIn(view: ViewOf): ViewOf {
  return (call, state) => {
    const { context, services } = call;
    return context.get(Auth) === null
      ? view(call, state)
      : redirect(returnToOf(context, services));
  };
}
