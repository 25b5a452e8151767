import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { logIn } from "../log_in.ts";
import { problem } from "../pages/passkeys_page.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";
import { returnToOf } from "./confirmation.ts";

const paths = routes.account.confirmByPasskey;

/** Adds the confirmation of a login with a passkey of the user. */
export function addPasskeyConfirmation(
  router: AppRouter,
  { passkeys }: Services,
): void {
  const middleware = [requireLogin] as const;

  router.post(paths.options, { middleware }, async (context) => {
    const { id: userId } = context.get(Auth);
    const purpose = "confirm";
    return Response.json(
      await passkeys.authenticationOptions(context, { purpose, userId }),
    );
  });
  router.post(paths.action, { middleware }, async (context) => {
    const result = await passkeys.finishAuthentication(context, "confirm");
    if (!result.ok) {
      const search = { returnTo: returnToOf(context) };
      return redirect(routes.account.confirm.index.href({}, search));
    }
    // The session gets a new id and a new login time.
    await logIn(context, context.get(Auth), { methods: result.methods });
    return redirect(returnToOf(context));
  });
}

/** Creates the form for users with a passkey, which the script shows. */
export async function passkeyForm(
  context: RequestContext,
  { passkeyTable }: Services,
  user: User,
): Promise<Markup | undefined> {
  if ((await passkeyTable.list(user.id)).length === 0) return undefined;
  const search = { returnTo: returnToOf(context) };
  return html`
    <form method="post" action="${paths.action.href({}, search)}" hidden
      data-passkey-get="${paths.options.href()}">
      <input type="hidden" name="passkey">
      ${problem("You were not recognized.")}
      <button>Confirm with a passkey</button>
    </form>
  `;
}
