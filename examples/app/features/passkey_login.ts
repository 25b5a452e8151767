import {
  passkeyEndpoints,
  passkeyScript,
  relatedOrigins,
} from "@gatehouse/web/auth/passkey";
import { redirect, safeRedirectPath } from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import { logIn } from "../log_in.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { loginPage } from "./login.ts";

/** Adds the login with a passkey, and the addresses that browsers look up. */
export function addPasskeyLogin(router: AppRouter, services: Services): void {
  const { baseURL, passkeys, users } = services;

  router.get(routes.passkeyScript, passkeyScript);
  router.get(routes.wellKnown.webauthn, relatedOrigins(passkeys));
  const page = baseURL + routes.account.passkeys.index.href();
  router.get(
    routes.wellKnown.passkeyEndpoints,
    passkeyEndpoints({ enroll: page, manage: page }),
  );

  router.post(
    routes.passkeyLogin.options,
    async (context) =>
      Response.json(await passkeys.authenticationOptions(context)),
  );
  router.post(routes.passkeyLogin.action, async (context) => {
    const result = await passkeys.finishAuthentication(context);
    const user = result.ok ? await users.find(Number(result.userId)) : null;
    if (!result.ok || user === null) {
      const error = "The passkey did not work. Please try again.";
      const unknown = result.ok ? undefined : result.credentialId;
      return await loginPage(context, services, { error }, 422, unknown);
    }
    const { methods, version } = result;
    const session = await logIn(context, user, { methods, version });
    session.flash("message", `You are logged in, ${user.name}`);
    return redirect(safeRedirectPath(context.url.searchParams.get("returnTo")));
  });
}
