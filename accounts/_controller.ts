import { Auth, type Guard } from "../auth/middleware/mod.ts";
import { formData, secureHeaders } from "../router/middleware/mod.ts";
import type { Controller, RequestContext } from "../router/mod.ts";
import type { AccountRoutes } from "./definition/routes.ts";
import { changePassword, confirm, saveProfile } from "./actions/account.ts";
import {
  changeEmailByCode,
  changeEmailByLink,
  startEmailChange,
} from "./actions/email_change.ts";
import { deletionDays, removeAccount } from "./actions/deletion.ts";
import {
  logInByCode,
  logInByLink,
  startEmailLogin,
} from "./actions/email_login.ts";
import {
  confirmByCode,
  disableApp,
  enableApp,
  forgetBrowser,
  newRecoveryCodes,
  readTwoStep,
  verifyCode,
} from "./actions/second_factor.ts";
import { endSessions, listSessions } from "./actions/sessions.ts";
import { logIn, logOut } from "./actions/login.ts";
import { restoreAccount } from "./actions/not_me.ts";
import {
  register,
  registerByCode,
  registerByLink,
} from "./actions/registration.ts";
import { requestReset, resetPassword } from "./actions/reset.ts";
import {
  addPasskey,
  confirmByPasskey,
  listPasskeys,
  logInByPasskey,
  passkeyConfirmOptions,
  passkeyLoginOptions,
  passkeyOptions,
  removePasskey,
  renamePasskey,
} from "./actions/passkeys.ts";
import type { Services, Settings } from "./actions/services.ts";
import { onlyIf, requireBrowser } from "./guards.ts";
import { recordEvents } from "./admin/audit_log.ts";
import { Answers, LIMITS, noStore } from "./_answer.ts";
import { teamActions } from "./_team_actions.ts";
import { providerActions } from "./_provider_actions.ts";
import { areaActions } from "./_area_actions.ts";
import { factorSetupActions } from "./_factor_setup_actions.ts";
import { keyActions } from "./_key_actions.ts";
import { downloadData } from "./export/own_data.ts";
import {
  dataView,
  emailView,
  passwordView,
  profileView,
  removeView,
} from "./pages/account_pages.ts";
import type { Layout } from "./pages/page.ts";
import { passkeyScript } from "../auth/passkey/mod.ts";
import { STYLE } from "./pages/style.ts";
import { emailLoginView, loginView, resetView } from "./pages/visitor_pages.ts";
import {
  confirmPage,
  emailCodeView,
  emailLinkView,
  emailLoginCodeView,
  emailLoginLinkView,
  of,
  passkeyNamePage,
  passkeysPage,
  registerCodeView,
  registerLinkView,
  registerPage,
  resetLinkView,
  restoreView,
  secondFactorPage,
  sessionsPage,
  twoStepPage,
  unlessLoggedIn,
} from "./_views.ts";

/** The parts of the controller that come from the options. */
export interface ControllerParts {
  readonly settings: Settings;
  readonly ready: () => Promise<Services>;
  readonly requireUser: Guard;
  /** The guards of pages that need a login of the users themselves. */
  readonly own: readonly Guard[];
  /** The guards of sensitive pages. */
  readonly fresh: readonly Guard[];
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
  });
  const answers = new Answers(ready, { layout, scriptPolicy });
  return {
    middleware: [
      secureHeaders({ contentSecurityPolicy: policyOf(parts.policy) }),
      noStore,
      requireBrowser(),
      recordEvents(settings),
      settings.outbox.middleware,
      formData(LIMITS),
    ],
    actions: {
      ...visitorActions(answers, settings),
      ...userActions(answers, parts),
      ...dataActions(answers, parts),
      ...linkActions(answers),
      ...passkeyLoginActions(answers, settings),
      ...passkeyActions(answers, parts),
      ...emailActions(answers, settings),
      ...securityActions(answers, parts),
      ...factorSetupActions(answers),
      ...keyActions(answers, parts),
      ...areaActions(answers, parts),
      ...teamActions(answers, parts),
      ...providerActions(answers, parts),
      session: sessionJSON,
      style: stylesheet,
    },
  };
}

function visitorActions(answers: Answers, { registration }: Settings) {
  const isInvited = [onlyIf(registration !== "closed")];
  // No invitation sends a code or this link.
  const middleware = [onlyIf(registration === "open")];
  return {
    login: { actions: answers.form(unlessLoggedIn(loginView), logIn) },
    logout: answers.action(logOut),
    register: {
      middleware: isInvited,
      actions: answers.form(unlessLoggedIn(registerPage), register),
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
  { own, fresh }: ControllerParts,
) {
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
  };
}

function dataActions(
  answers: Answers,
  { fresh, settings: { features } }: ControllerParts,
) {
  return {
    data: {
      middleware: [onlyIf(features.has("data")), ...fresh],
      actions: {
        index: answers.page(dataView),
        action: answers.file(downloadData, dataView),
      },
    },
    remove: {
      middleware: [onlyIf(features.has("deletion")), ...fresh],
      actions: answers.form(
        (call, state) => removeView(call, state, deletionDays(call.services)),
        removeAccount,
      ),
    },
  };
}

function emailActions(answers: Answers, { features }: Settings) {
  const middleware = [onlyIf(features.has("email-login"))];
  return {
    emailLogin: {
      middleware,
      actions: answers.form(unlessLoggedIn(emailLoginView), startEmailLogin),
    },
    emailLoginCode: {
      middleware,
      actions: answers.form(emailLoginCodeView, logInByCode),
    },
    emailLoginLink: {
      middleware,
      actions: answers.form(emailLoginLinkView, logInByLink),
    },
  };
}

function securityActions(
  answers: Answers,
  { own, fresh }: ControllerParts,
) {
  return {
    secondFactor: { actions: answers.form(secondFactorPage, verifyCode) },
    codeConfirm: {
      middleware: own,
      handler: answers.action(confirmByCode, confirmPage),
    },
    twoStep: {
      middleware: fresh,
      actions: answers.form(twoStepPage, enableApp, { json: readTwoStep }),
    },
    twoStepRemoval: {
      middleware: fresh,
      handler: answers.action(disableApp, twoStepPage),
    },
    browserRemoval: {
      middleware: own,
      handler: answers.action(forgetBrowser),
    },
    recoveryCodes: {
      middleware: fresh,
      handler: answers.action(newRecoveryCodes, twoStepPage),
    },
    sessions: {
      middleware: own,
      actions: answers.form(sessionsPage, endSessions, { json: listSessions }),
    },
  };
}

function passkeyLoginActions(answers: Answers, { features }: Settings) {
  const middleware = [onlyIf(features.has("passkeys"))];
  return {
    passkeyScript: { middleware, handler: passkeyScript },
    passkeyLogin: {
      middleware,
      handler: answers.action(logInByPasskey, loginView),
    },
    passkeyLoginOptions: {
      middleware,
      handler: answers.options(passkeyLoginOptions),
    },
  };
}

function passkeyActions(
  answers: Answers,
  { own, fresh, settings: { features } }: ControllerParts,
) {
  const isOn = onlyIf(features.has("passkeys"));
  return {
    passkeyConfirm: {
      middleware: [isOn, ...own],
      handler: answers.action(confirmByPasskey, confirmPage),
    },
    passkeyConfirmOptions: {
      middleware: [isOn, ...own],
      handler: answers.options(passkeyConfirmOptions),
    },
    passkeys: {
      middleware: [isOn, ...fresh],
      actions: answers.form(passkeysPage, addPasskey, { json: listPasskeys }),
    },
    passkeyName: {
      middleware: [isOn, ...fresh],
      actions: answers.form(passkeyNamePage, renamePasskey),
    },
    passkeyOptions: {
      middleware: [isOn, ...fresh],
      handler: answers.options(passkeyOptions),
    },
    passkeyRemoval: {
      middleware: [isOn, ...fresh],
      handler: answers.action(removePasskey, passkeysPage),
    },
  };
}

/**
 * Creates the handlers of a link. Its page needs no login, because another
 * browser shows the code there.
 */
function emailLinkActions(answers: Answers, own: readonly Guard[]) {
  const { index, action } = answers.form(emailLinkView, changeEmailByLink);
  return { actions: { index, action: { middleware: own, handler: action } } };
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
  // Passkeys need it, and audits that read /robots.txt from the page.
  "connect-src": ["'self'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
};

/** Returns the content security policy, with the application's sources. */
export function policyOf(added: ControllerParts["policy"]): string {
  const names = new Set([...Object.keys(POLICY), ...Object.keys(added)]);
  return [...names].map((name) => {
    const sources = [...POLICY[name] ?? [], ...added[name] ?? []];
    // In a policy, 'none' is only valid without other sources.
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
