import type { Answers } from "./_answer.ts";
import type { ControllerParts } from "./_controller.ts";
import { onlyIf } from "./guards.ts";
import type { Settings } from "./actions/services.ts";
import { disconnect, listApps } from "./apps/actions.ts";
import { countConnected, readSafety } from "./overview.ts";
import { connectedView, securityView } from "./pages/overview_pages.ts";
import { appsView } from "./pages/app_pages.ts";

/** Creates the handlers of the connected apps, and of the pages that lead to others. */
export function areaActions(
  answers: Answers,
  { own, settings }: ControllerParts,
) {
  // The authorization server connects itself after the controller was created.
  const isOn = onlyIf(() => settings.apps.isOn);
  return {
    apps: {
      middleware: [isOn, ...own],
      actions: answers.form(
        async (call, state) => appsView(call, state, await listApps(call)),
        disconnect,
        { json: listApps },
      ),
    },
    security: {
      middleware: own,
      handler: answers.page(
        async (call) => securityView(call, await readSafety(call)),
        readSafety,
      ),
    },
    connected: {
      middleware: [onlyIf(() => hasConnections(settings)), ...own],
      handler: answers.page(
        async (call) => connectedView(call, await countConnected(call)),
        countConnected,
      ),
    },
  };
}

/** Returns `true` if something can be connected to an account. */
function hasConnections({ apps, providers, teams }: Settings): boolean {
  return apps.isOn || teams.isOn || Object.keys(providers).length > 0;
}
