import type { Answers } from "./_answer.ts";
import type { ControllerParts } from "./_controller.ts";
import { ownAccount } from "./current_account.ts";
import { onlyIf } from "./guards.ts";
import { createKey, namedKey, revokeKey } from "./actions/keys.ts";
import { keysView, newKeyView, revokeView } from "./pages/key_pages.ts";

/** Creates the handlers of the API keys. */
export function keyActions(
  answers: Answers,
  { own, fresh, settings }: ControllerParts,
) {
  const isOn = onlyIf(settings.names.scopes !== undefined);
  return {
    keys: {
      middleware: [isOn, ...fresh],
      actions: answers.form(
        async (call, state) => {
          const { keys, now, teams } = call.services;
          const { id } = ownAccount(call.context);
          return keysView(call, state, {
            list: await keys.list(id),
            now: now(),
            teams: teams.isOn ? await teams.store.list(id) : [],
          });
        },
        createKey,
        {
          shown: (call, { key }) => newKeyView(call, String(key)),
          json: async ({ context, services: { keys } }) => ({
            keys: await keys.list(ownAccount(context).id),
          }),
        },
      ),
    },
    keyRemoval: {
      middleware: [isOn, ...own],
      actions: answers.form(
        async (call, state) => revokeView(call, state, await namedKey(call)),
        revokeKey,
      ),
    },
  };
}
