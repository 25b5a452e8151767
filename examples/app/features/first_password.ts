import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { User } from "../data/users.ts";
import { endSessionsAndTokens } from "../end_access.ts";
import { firstPasswordMail } from "../mails.ts";
import { sendMail } from "../outbox.ts";
import { passwordPage } from "../pages/password_page.ts";
import { readNewPassword } from "../passwords.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { loginPath } from "./account.ts";

/** Sets the first password of a user. */
export async function setFirstPassword(
  services: Services,
  context: RequestContext,
  user: User,
): Promise<Response> {
  const { users } = services;
  if (user.email === null) return passwordPage(context, user, {}, 422);
  const chosen = await readNewPassword(services, context.get(FormData));
  if (!chosen.ok) return passwordPage(context, user, chosen.state, 422);
  const version = await users.changePassword(user, "", chosen.hash);
  // Access was ended, or another request was faster.
  if (version === null) return redirect(loginPath);
  const session = context.get(Session);
  const access = { userId: user.id, version };
  await endSessionsAndTokens(services, context, access, session.id);
  sendMail(context, firstPasswordMail(services, user.email));
  session.flash("message", "You can now log in with your email and password");
  return redirect(routes.account.profile.show.href());
}
