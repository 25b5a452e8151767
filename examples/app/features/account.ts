import {
  Auth,
  redirectToLogin,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import { html } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { failed, Profile } from "../forms.ts";
import { accountPage } from "../pages/account_page.ts";
import {
  errorSummary,
  field,
  type FormState,
  method,
} from "../pages/form_fields.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";

/** The path of the login page. */
export const loginPath = routes.login.index.href();
const toLoginAndBack = redirectToLogin(loginPath);

/**
 * Sends visitors to the login page, and back to this page after the login. A form
 * that was sent after the session ended has no page to go back to.
 */
export const requireLogin = requireAuth({
  onUnauthenticated: (request) =>
    request.method === "GET" ? toLoginAndBack(request) : redirect(loginPath),
});

/** Adds the profile page. */
export function addAccount(router: AppRouter, { users }: Services): void {
  router.map(routes.account.profile, {
    middleware: [requireLogin],
    actions: {
      show: (context) => profilePage(context, context.get(Auth), {}),
      async update(context) {
        const user = context.get(Auth);
        const form = context.get(FormData);
        const result = parseSafe(Profile, form);
        if (!result.success) {
          const state = failed(form, ["name"], result.issues);
          return profilePage(context, user, state);
        }
        await users.rename(user.id, result.value.name);
        context.get(Session).flash("message", "Your name is saved");
        return redirect(routes.account.profile.show.href());
      },
    },
  });
}

function profilePage(
  context: RequestContext,
  user: User,
  state: FormState,
): Response {
  const values = { name: user.name, ...state.values };
  return accountPage(context, {
    title: "Profile",
    status: state.errors === undefined ? 200 : 422,
    content: html`
      ${errorSummary(state)}
      <div class="person">
        ${user.avatarURL === null
          ? html`
            <span class="avatar" aria-hidden="true">${initial(user.name)}</span>
          `
          : html`
            <img class="avatar" src="${user.avatarURL}" alt=""
              referrerpolicy="no-referrer" width="64" height="64">
          `}
        <dl class="facts">
          <div>
            <dt>Email</dt>
            <dd>
              ${user.email ?? "Not verified"} ${user.email !== null &&
                !user.emailVerified && html`
                <a href="${routes.account.email.verify.index
                  .href()}">Verify it</a>
              `}
            </dd>
          </div>
          <div><dt>Role</dt><dd>${user.role}</dd></div>
          <div><dt>Member since</dt><dd>${time(user.createdAt)}</dd></div>
        </dl>
      </div>
      ${!user.hasPassword && user.email !== null && html`
        <p>
          You log in at an identity provider.
          <a href="${routes.account.password.index.href()}">Set a password</a>
          to log in with your email address too.
        </p>
      `}
      <form method="post" action="${routes.account.profile.update.href()}"
        novalidate>
        ${method("PUT")}
        ${field({ name: "name", label: "Name", autocomplete: "name" }, {
          ...state,
          values,
        })}
        <button>Save</button>
      </form>
    `,
  });
}

function initial(name: string): string {
  return [...name][0] ?? "";
}
