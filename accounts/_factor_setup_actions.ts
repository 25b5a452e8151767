import { HTTPError, redirect } from "../router/internal.ts";
import type { Answers, ViewCall } from "./_answer.ts";
import { searchOf } from "./actions/call.ts";
import {
  passkeyFactorOptions,
  readFactorChoice,
  setUpApp,
  usePasskey,
} from "./factors/second_factor_setup.ts";
import { factorSetupView, passkeyFactorView } from "./pages/factor_pages.ts";
import type { FormState } from "./pages/fields.ts";
import type { View } from "./pages/page.ts";

/** Creates the actions of a login that needs a second factor. */
export function factorSetupActions(answers: Answers) {
  return {
    secondFactorSetup: {
      actions: answers.form(factorSetupPage, setUpApp, { json: factorJSON }),
    },
    secondFactorPasskey: answers.action(usePasskey, factorSetupPage),
    secondFactorPasskeyOptions: answers.options(passkeyFactorOptions),
  };
}

/** Shows the page of the second factor that a login needs. */
async function factorSetupPage(
  call: ViewCall,
  state: FormState,
): Promise<View | Response> {
  const { context, services } = call;
  const choice = await readFactorChoice(context, services);
  if (choice === null) {
    return redirect(services.routes.login.index.href({}, searchOf(context)));
  }
  // After a wrong code, the app still has the same secret.
  const app = state.failed?.setup ?? choice.app;
  return app === undefined
    ? passkeyFactorView(call, state)
    : factorSetupView(call, state, app);
}

/**
 * Returns the second factors with which a login continues, for scripts.
 *
 * @throws {HTTPError} If no login waits for one: the response is a 400.
 */
async function factorJSON({ context, services }: ViewCall): Promise<object> {
  const choice = await readFactorChoice(context, services);
  if (choice === null) throw new HTTPError(400);
  return choice;
}
