import { credentialsAuthResult } from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import {
  redirect,
  type RequestContext,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { DemoAccount } from "../data/seed.ts";
import type { User } from "../data/users.ts";
import type { ExternalLogin } from "../external_logins.ts";
import { Login, valuesOf } from "../forms.ts";
import { beginLogIn, unlessEnded } from "../log_in.ts";
import { rememberLogout } from "../logout_message.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { page } from "../pages/layout.ts";
import { passwordProvider } from "../passwords.ts";
import { problem } from "../pages/passkeys_page.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";

/** Adds the login with email address and password, and the logout (spec 5.1). */
export function addLogin(
  router: AppRouter,
  services: Services,
): void {
  const password = passwordProvider(services, (context) => {
    const result = parseSafe(Login, context.get(FormData));
    return result.success ? result.value : null;
  });

  router.map(routes.login, {
    actions: {
      index: (context) =>
        context.get(Auth) === null
          ? loginPage(context, services, {})
          : redirect(returnToOf(context)),
      async action(context) {
        const result = await credentialsAuthResult(password, context);
        const values = valuesOf(context.get(FormData), ["email"]);
        if (!result.ok && result.reason === "throttled") {
          const { retryAfter } = result;
          const error = waitText(retryAfter);
          const state = { values, error };
          const page = await loginPage(context, services, state, 429);
          return slowDown(context, retryAfter, page);
        }
        const response = result.ok
          ? await logInByPassword(context, services, result.user.user)
          : null;
        if (response === null) {
          const error = "Invalid email or password";
          return await loginPage(context, services, { values, error }, 422);
        }
        return response;
      },
    },
  });

  router.post(routes.logout, (context) => {
    context.get(Session).destroy();
    const response = redirect(routes.home.href());
    rememberLogout(response.headers);
    return response;
  });
}

/**
 * Logs in a user who has proved their password.
 *
 * @returns The response; `null` if the password was changed meanwhile.
 */
async function logInByPassword(
  context: RequestContext,
  services: Services,
  user: User,
): Promise<Response | null> {
  const options = { methods: ["pwd"], returnTo: returnToOf(context) };
  const login = beginLogIn(context, services, user, options);
  const next = await unlessEnded(login);
  return next === null ? null : redirect(next);
}

function returnToOf({ url }: RequestContext): string {
  return safeRedirectPath(url.searchParams.get("returnTo"));
}

/**
 * Creates the login page.
 *
 * @param unknownPasskey A passkey that does not exist, which the script tells the
 * browser.
 */
export async function loginPage(
  context: RequestContext,
  services: Services,
  state: FormState,
  status = 200,
  unknownPasskey?: string,
): Promise<Response> {
  const { logins } = services;
  const accounts = await demoAccounts(context, services);
  const returnTo = returnToOf(context);
  const search = returnTo === "/" ? undefined : { returnTo };
  return page(context, {
    title: "Log in",
    status,
    script: routes.passkeyScript.href(),
    content: html`
      <div class="narrow">
        <h1>Log in</h1>
        ${search !== undefined && state.error === undefined && html`
          <p class="message">Please log in to see that page.</p>
        `}
        ${errorSummary(state)}
        <form method="post" action="${routes.login.action.href({}, search)}"
          novalidate>
          ${field({
            name: "email",
            label: "Email",
            type: "email",
            autocomplete: "username webauthn",
          }, state)}
          ${field({
            name: "password",
            label: "Password",
            type: "password",
            autocomplete: "current-password",
          }, state)}
          <button>Log in</button>
        </form>
        ${passkeyForm(services, search, unknownPasskey)}
        ${logins.length > 0 && html`
          <p class="divider"><span>or</span></p>
          <ul class="logins">${logins.map((login) =>
            choice(login, search)
          )}</ul>
        `}
        <p class="aside">
          <a href="${routes.emailLogin.request.index.href(
            {},
            search,
          )}">Log in by
            email</a>
        </p>
        <p class="aside">
          <a href="${routes.passwordReset.request.index.href()}">Forgot your
            password?</a>
        </p>
        <p class="aside">
          No account yet?
          <a href="${routes.register.index.href()}">Register</a>
        </p>
      </div>
      ${accounts.length > 0 && demoTable(accounts)}
    `,
  });
}

/** Creates the button for passkeys, which the script shows. */
function passkeyForm(
  { passkeys: { rpId } }: Services,
  search: { readonly returnTo: string } | undefined,
  credentialId: string | undefined,
): Markup {
  const { action, options } = routes.passkeyLogin;
  const signal = JSON.stringify({ rpId, credentialId });
  return html`
    <form method="post" action="${action.href({}, search)}" hidden
      data-passkey-get="${options.href()}" data-passkey-conditional>
      <input type="hidden" name="passkey">
      ${problem("You were not logged in.")}
      <button class="quiet">Log in with a passkey</button>
    </form>
    ${credentialId !== undefined && html`
      <div hidden data-passkey-signal="${signal}"></div>
    `}
  `;
}

/**
 * Returns the demo accounts for a browser on this computer. A proxy in front
 * would make every visitor look like one.
 */
async function demoAccounts(
  { remoteAddress = "", headers }: RequestContext,
  { demoAccounts }: Services,
): Promise<readonly DemoAccount[]> {
  const isLocal = ["127.0.0.1", "::1"].includes(remoteAddress) &&
    !headers.has("Forwarded") && !headers.has("X-Forwarded-For");
  return isLocal ? await demoAccounts?.() ?? [] : [];
}

function demoTable(accounts: readonly DemoAccount[]): Markup {
  return html`
    <section class="demo" aria-labelledby="demo">
      <h2 id="demo">Demo accounts</h2>
      <p class="hint">Shown only to browsers on this computer.</p>
      <dl>
        ${accounts.map(({ role, email, password }) =>
          html`
            <div>
              <dt>${role}</dt>
              <dd><code>${email}</code></dd>
              <dd><code>${password}</code></dd>
            </div>
          `
        )}
      </dl>
    </section>
  `;
}

function choice(
  { name, label }: ExternalLogin,
  search: { readonly returnTo: string } | undefined,
): Markup {
  const href = routes.external.start.href({ provider: name }, search);
  return html`
    <li><a class="button quiet" href="${href}">Log in with ${label}</a></li>
  `;
}
