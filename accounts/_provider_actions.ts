import { redirect } from "../router/internal.ts";
import type { Answers, ViewCall } from "./_answer.ts";
import type { ControllerParts } from "./_controller.ts";
import { onlyIf } from "./guards.ts";
import { searchOf, type Shown } from "./actions/call.ts";
import { ownAccount } from "./current_account.ts";
import { IDENTITY } from "./actions/identity.ts";
import {
  finishAtProvider,
  startLink,
  startProviderConfirm,
  unlink,
} from "./actions/linked_logins.ts";
import {
  registerAddress,
  startProviderLogin,
  waitingIdentity,
} from "./actions/provider_login.ts";
import type { FormState } from "./pages/fields.ts";
import type { View } from "./pages/page.ts";
import {
  leavingView,
  loginsView,
  providerEmailView,
  providerProblemView,
} from "./pages/provider_pages.ts";
import { confirmPage } from "./_views.ts";

/** Creates the handlers of logins at providers. */
export function providerActions(
  answers: Answers,
  { own, settings, ...parts }: ControllerParts,
) {
  const isOn = onlyIf(Object.keys(settings.providers).length > 0);
  const isOpen = onlyIf(settings.registration === "open");
  const fresh = [isOn, ...parts.fresh];
  const leaving = (call: ViewCall, { location }: Shown) =>
    leavingView(call, String(location));
  return {
    providerLogin: {
      middleware: [isOn],
      handler: answers.action(startProviderLogin, providerProblemView),
    },
    providerCallback: {
      middleware: [isOn],
      handler: answers.action(finishAtProvider, providerProblemView),
    },
    providerEmail: {
      middleware: [isOn, isOpen],
      actions: answers.form(emailPage, registerAddress),
    },
    providerConfirm: {
      middleware: [isOn, ...own],
      handler: answers.action(startProviderConfirm, confirmPage, leaving),
    },
    logins: {
      middleware: fresh,
      actions: answers.form(loginsPage, startLink, {
        shown: leaving,
        json: async (call) => ({ logins: await loginsOf(call) }),
      }),
    },
    loginRemoval: {
      middleware: fresh,
      handler: answers.action(unlink, loginsPage),
    },
  };
}

function emailPage(call: ViewCall, state: FormState): View | Response {
  const waiting = waitingIdentity(call);
  if (waiting === null) {
    const { login } = call.services.routes;
    return redirect(login.index.href({}, searchOf(call.context)));
  }
  const { email, identity: { name } } = waiting;
  return providerEmailView(call, state, { email, name });
}

async function loginsPage(call: ViewCall, state: FormState): Promise<View> {
  return loginsView(call, state, await loginsOf(call));
}

function loginsOf({ context, services: { store } }: ViewCall) {
  return store.waysIn(ownAccount(context).id, IDENTITY);
}
