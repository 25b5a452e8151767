import { Auth, type Guard, requireOwnLogin } from "../auth/middleware/mod.ts";
import { formData, secureHeaders } from "../router/middleware/mod.ts";
import { redirect } from "../router/internal.ts";
import type { Controller, Middleware, RequestContext } from "../router/mod.ts";
import type { AccountRoutes } from "./definition/routes.ts";
import {
  changePassword,
  confirm,
  removeAccount,
  saveProfile,
} from "./actions/account.ts";
import { returnToOf, searchOf } from "./actions/call.ts";
import {
  changeEmailByCode,
  changeEmailByLink,
  startEmailChange,
} from "./actions/email_change.ts";
import { deletionDays } from "./actions/deletion_days.ts";
import { ownAccount } from "./actions/enter.ts";
import { logIn, logOut } from "./actions/login.ts";
import { restorationOf, restoreAccount } from "./actions/not_me.ts";
import {
  register,
  registerByCode,
  registerByLink,
} from "./actions/registration.ts";
import {
  accountOfReset,
  requestReset,
  resetPassword,
} from "./actions/reset.ts";
import { createPasskeyStore, PASSKEY } from "./actions/passkey_store.ts";
import {
  addPasskey,
  confirmByPasskey,
  logInByPasskey,
  passkeyConfirmOptions,
  passkeyLoginOptions,
  passkeyOptions,
  passkeyUser,
  removePasskey,
} from "./actions/passkeys.ts";
import type { Services, Settings } from "./actions/services.ts";
import {
  Answers,
  LIMITS,
  noStore,
  type ViewCall,
  type ViewOf,
} from "./_answer.ts";
import {
  confirmView,
  emailView,
  passwordView,
  profileView,
  removeView,
} from "./pages/account_pages.ts";
import type { FormState } from "./pages/fields.ts";
import { passkeysView } from "./pages/passkey_pages.ts";
import type { Layout, View } from "./pages/page.ts";
import { passkeyScript } from "../auth/passkey/mod.ts";
import { STYLE } from "./pages/style.ts";
import {
  chooseView,
  codeView,
  expiredView,
  linkView,
  loginView,
  notMeView,
  registerView,
  resetView,
} from "./pages/visitor_pages.ts";

/** The parts of the controller that the options decide. */
export interface ControllerParts {
  readonly settings: Settings;
  readonly ready: () => Promise<Services>;
  readonly requireUser: Guard;
  readonly requireFresh: Guard;
  readonly layout: Layout | undefined;
  readonly policy: Readonly<Record<string, readonly string[]>>;
}

/** Creates the controller of the account pages. */
export function createController(
  parts: ControllerParts,
): Controller<AccountRoutes> {
  const { settings, ready, layout } = parts;
  const scriptPolicy = policyOf({
    ...parts.policy,
    "script-src": ["'self'", ...parts.policy["script-src"] ?? []],
    "connect-src": ["'self'", ...parts.policy["connect-src"] ?? []],
  });
  const answers = new Answers(ready, { layout, scriptPolicy });
  return {
    middleware: [
      secureHeaders({ contentSecurityPolicy: policyOf(parts.policy) }),
      noStore,
      settings.outbox.middleware,
      formData(LIMITS),
    ],
    actions: {
      ...visitorActions(answers, settings),
      ...userActions(answers, parts),
      ...linkActions(answers),
      ...passkeyActions(answers, parts),
      session: sessionJSON,
      style: stylesheet,
      passkeyScript,
    },
  };
}

function visitorActions(answers: Answers, { registration }: Settings) {
  const closed: Middleware<readonly []> = (context, next) =>
    registration === "open"
      ? next()
      : context.createErrorResponse({ status: 404 });
  const middleware = [closed];
  return {
    login: { actions: answers.form(unlessLoggedIn(loginView), logIn) },
    logout: answers.action(logOut),
    register: {
      middleware,
      actions: answers.form(unlessLoggedIn(registerView), register),
    },
    registerCode: {
      middleware,
      actions: answers.form(registerCodeView, registerByCode),
    },
    registerLink: {
      middleware,
      actions: answers.form(registerLinkView, registerByLink),
    },
    reset: { actions: answers.form(resetView, requestReset) },
  };
}

function linkActions(answers: Answers) {
  return {
    resetLink: { actions: answers.form(resetLinkView, resetPassword) },
    notMe: { actions: answers.form(restoreView, restoreAccount) },
  };
}

function userActions(
  answers: Answers,
  { requireUser, requireFresh }: ControllerParts,
) {
  const own = [requireUser, requireOwnLogin()];
  const fresh = [requireFresh, requireOwnLogin()];
  return {
    confirm: {
      middleware: own,
      actions: answers.form(confirmPage, confirm),
    },
    profile: {
      middleware: own,
      actions: answers.form(of(profileView), saveProfile),
    },
    password: {
      middleware: fresh,
      actions: answers.form(of(passwordView), changePassword),
    },
    email: {
      middleware: fresh,
      actions: answers.form(of(emailView), startEmailChange),
    },
    emailCode: {
      middleware: fresh,
      actions: answers.form(emailCodeView, changeEmailByCode),
    },
    emailLink: emailLinkActions(answers, own),
    remove: {
      middleware: fresh,
      actions: answers.form(
        (call) => removeView(call, deletionDays(call.services)),
        removeAccount,
      ),
    },
  };
}

function passkeyActions(
  answers: Answers,
  { requireUser, requireFresh }: ControllerParts,
) {
  const own = [requireUser, requireOwnLogin()];
  const fresh = [requireFresh, requireOwnLogin()];
  return {
    passkeyLogin: answers.action(logInByPasskey, loginView),
    passkeyLoginOptions: answers.options(passkeyLoginOptions),
    passkeyConfirm: {
      middleware: own,
      handler: answers.action(confirmByPasskey, confirmPage),
    },
    passkeyConfirmOptions: {
      middleware: own,
      handler: answers.options(passkeyConfirmOptions),
    },
    passkeys: {
      middleware: fresh,
      actions: answers.form(passkeysPage, addPasskey),
    },
    passkeyOptions: {
      middleware: fresh,
      handler: answers.options(passkeyOptions),
    },
    passkeyRemoval: {
      middleware: fresh,
      handler: answers.action(removePasskey, passkeysPage),
    },
  };
}

async function passkeysPage(call: ViewCall, state: FormState): Promise<View> {
  const { context, services: { passkeys, store } } = call;
  const account = ownAccount(context);
  return passkeysView(call, state, {
    list: await createPasskeyStore(store).list(account.id),
    signal: await passkeys.signal(passkeyUser(account)),
  });
}

async function confirmPage(call: ViewCall, state: FormState): Promise<View> {
  const account = ownAccount(call.context);
  const passkeys = await call.services.store.waysIn(account.id, PASSKEY);
  return confirmView(call, state, account, passkeys.length > 0);
}

/** Shows the page of a link without a login: another browser gets the code. */
function emailLinkActions(answers: Answers, own: readonly Guard[]) {
  const { index, action } = answers.form(emailLinkView, changeEmailByLink);
  return { actions: { index, action: { middleware: own, handler: action } } };
}

/** Creates a view of the logged-in account. */
function of(
  view: (
    call: ViewCall,
    state: FormState,
    account: ReturnType<typeof ownAccount>,
  ) => View,
): ViewOf {
  return (call, state) => view(call, state, ownAccount(call.context));
}

/** Sends users who are logged in to the page they asked for. */
function unlessLoggedIn(view: ViewOf): ViewOf {
  return (call, state) => {
    const { context, services } = call;
    return context.get(Auth) === null
      ? view(call, state)
      : redirect(returnToOf(context, services));
  };
}

async function registerCodeView(
  call: ViewCall,
  state: FormState,
): Promise<View | Response> {
  const { context, services: { registrationMails, routes } } = call;
  const email = await registrationMails.pendingEmail(context);
  const again = routes.register.index.href({}, searchOf(context));
  if (email === null) return expiredView(call, again);
  const action = routes.registerCode.action.href({}, searchOf(context));
  return codeView(call, state, { action, again, email });
}

async function registerLinkView(call: ViewCall): Promise<View> {
  const { context, services: { registrationMails, routes } } = call;
  const token = tokenOf(call);
  return linkView(call, await registrationMails.open(context, token), {
    action: routes.registerLink.action.href(),
    again: routes.register.index.href(),
    token,
  });
}

async function emailCodeView(
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

async function emailLinkView(call: ViewCall): Promise<View> {
  const { context, services: { emailChanges, routes } } = call;
  const token = tokenOf(call);
  return linkView(call, await emailChanges.open(context, token), {
    action: routes.emailLink.action.href(),
    again: routes.email.index.href(),
    token,
  });
}

async function resetLinkView(
  call: ViewCall,
  state: FormState,
): Promise<View> {
  const token = tokenOf(call);
  const account = await accountOfReset(call, token);
  return account === null
    ? expiredView(call, call.services.routes.reset.index.href())
    : chooseView(call, state, { email: account.email, token });
}

async function restoreView(call: ViewCall): Promise<View> {
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

/** Responds with the logged-in account, for scripts. */
function sessionJSON(context: RequestContext): Response {
  return Response.json({ account: context.get(Auth) });
}

function stylesheet(): Response {
  return new Response(STYLE, {
    headers: {
      "Content-Type": "text/css; charset=utf-8",
      "Cache-Control": "max-age=3600",
    },
  });
}

const POLICY: Readonly<Record<string, readonly string[]>> = {
  "default-src": ["'none'"],
  "style-src": ["'self'"],
  "img-src": ["'self'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
};

/** Returns the policy of the pages with the sources of the application. */
function policyOf(added: ControllerParts["policy"]): string {
  const names = new Set([...Object.keys(POLICY), ...Object.keys(added)]);
  return [...names].map((name) => {
    const sources = [...POLICY[name] ?? [], ...added[name] ?? []];
    // 'none' counts only without other sources.
    const used = sources.length > 1
      ? sources.filter((source) => source !== "'none'")
      : sources;
    if (/^[a-z-]+$/.test(name) && used.every((one) => !/[\s;,]/.test(one))) {
      return [name, ...used].join(" ");
    }
    throw new TypeError(
      `Cannot create accounts: contentSecurityPolicy "${name}" is malformed`,
    );
  }).join("; ");
}
