import { Auth } from "@gatehouse/web/auth-middleware";
import type { PasskeyUser } from "@gatehouse/web/auth/passkey";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { reportSecurityEvent } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { endOtherSessions } from "../end_access.ts";
import { failed, SecretLabel } from "../forms.ts";
import { tellOfNewWayIn } from "../not_me.ts";
import type { FormState } from "../pages/form_fields.ts";
import { passkeysPage } from "../pages/passkeys_page.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

const paths = routes.account.passkeys;

/** Adds the page that lists, adds, renames and removes passkeys. */
export function addAccountPasskeys(
  router: AppRouter,
  services: Services,
): void {
  const { passkeys, passkeyTable } = services;
  // A passkey outlives the session that made it.
  const confirmed = [
    requireLogin,
    requireConfirmation(services, paths.index.href()),
  ] as const;
  const show = async (
    context: RequestContext,
    user: User,
    state: FormState = {},
  ) =>
    passkeysPage(context, {
      list: await passkeyTable.list(user.id),
      signal: await passkeys.signal(passkeyUser(user)),
      state,
    });

  // The browser must not ask for a passkey and then be sent away.
  router.get(
    paths.index,
    { middleware: confirmed },
    (context) => show(context, context.get(Auth)),
  );
  router.post(paths.options, { middleware: confirmed }, async (context) => {
    const user = passkeyUser(context.get(Auth));
    return Response.json(await passkeys.registrationOptions(context, user));
  });
  router.post(paths.create, { middleware: confirmed }, async (context) => {
    const form = context.get(FormData);
    const label = parseSafe(SecretLabel, form);
    const user = context.get(Auth);
    if (!label.success) {
      return await show(context, user, failed(form, ["label"], label.issues));
    }
    const name = label.value.label;
    const result = await passkeys.finishRegistration(context, { name });
    if (!result.ok) {
      if (result.reason === "access_ended") return redirect(paths.index.href());
      const error = "The passkey was not added. Please try again.";
      return await show(context, user, { values: { label: name }, error });
    }
    await endOtherSessions(services, context, user);
    await tellOfPasskey(context, services, user, result.passkey.id);
    return done(context, `The passkey "${name}" is added`);
  });
  addChanges(router, services);
}

/** Adds the changes of passkeys, and those that browsers create by themselves. */
function addChanges(router: AppRouter, services: Services): void {
  const { passkeys, passkeyTable } = services;
  const middleware = [requireLogin] as const;

  router.put(paths.update, { middleware }, async (context) => {
    const label = parseSafe(SecretLabel, context.get(FormData));
    if (!label.success) return redirect(paths.index.href());
    const { id } = context.params;
    const name = label.value.label;
    await passkeyTable.rename(id, context.get(Auth).id, name);
    return done(context, `The passkey is now called "${name}"`);
  });
  router.delete(paths.destroy, {
    middleware: [
      requireLogin,
      requireConfirmation(services, paths.index.href()),
    ],
  }, async (context) => {
    const user = context.get(Auth);
    const { id: userId } = user;
    if (!await passkeyTable.remove(context.params.id, userId)) {
      return redirect(paths.index.href());
    }
    reportSecurityEvent(context, { action: "factor-remove", userId });
    await endOtherSessions(services, context, user);
    return done(context, "The passkey is removed");
  });

  // Right after a login with a password, see the frame of the pages.
  router.post(paths.upgrade.options, { middleware }, async (context) => {
    const user = passkeyUser(context.get(Auth));
    return Response.json(await passkeys.upgradeOptions(context, user));
  });
  router.post(paths.upgrade.create, { middleware }, async (context) => {
    const name = "Added automatically";
    const result = await passkeys.finishRegistration(context, { name });
    // Other sessions go on: the browser adds it by itself at a login.
    if (result.ok) {
      await tellOfPasskey(
        context,
        services,
        context.get(Auth),
        result.passkey.id,
      );
    }
    return new Response(null, { status: 204 });
  });
}

function tellOfPasskey(
  context: RequestContext,
  services: Services,
  user: User,
  id: string,
): Promise<void> {
  const change = "Your account has a new passkey.";
  return tellOfNewWayIn(
    context,
    services,
    user,
    { kind: "passkey", id },
    change,
  );
}

function passkeyUser({ id, email, name }: User): PasskeyUser {
  return { id, name: email ?? name, displayName: name };
}

function done(context: RequestContext, message: string): Response {
  context.get(Session).flash("message", message);
  return redirect(paths.index.href());
}
