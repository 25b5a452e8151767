import { requireOwnLogin } from "../auth/middleware/mod.ts";
import type { Answers } from "./_answer.ts";
import type { ControllerParts } from "./_controller.ts";
import { onlyIf } from "./_key_actions.ts";
import { disconnect, listApps } from "./apps/actions.ts";
import { appsView } from "./pages/app_pages.ts";

/** Creates the handlers of the connected apps. */
export function appActions(
  answers: Answers,
  { requireUser, settings }: ControllerParts,
) {
  // The authorization server connects itself after the controller was created.
  const isOn = onlyIf(() => settings.apps.isOn);
  return {
    apps: {
      middleware: [isOn, requireUser, requireOwnLogin()],
      actions: answers.form(
        async (call, state) => appsView(call, state, await listApps(call)),
        disconnect,
        { json: listApps },
      ),
    },
  };
}
