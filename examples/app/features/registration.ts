import { html } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import { failed, Registration, valuesOf } from "../forms.ts";
import { errorSummary, field, type FormState } from "../pages/form_fields.ts";
import { logIn } from "../log_in.ts";
import { sendProof } from "../verify_email.ts";
import { narrowPage } from "../pages/layout.ts";
import { hashNewPassword, TOO_COMMON } from "../passwords.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { slowDown, waitText } from "../slow_down.ts";

/** The fields that are shown again after a failure. */
const shown = ["name", "email"];

/**
 * Adds the registration with name, email address and password (spec 5.1.5).
 *
 * The specification wants it to say that an address has an account. The throttle
 * bounds how many addresses can be tested like that. `docs/register_users.md`
 * shows a registration that reveals nothing.
 */
export function addRegistration(
  router: AppRouter,
  services: Services,
): void {
  const { users, loginThrottle } = services;
  const { registrationThrottle, registrationQueue } = services;

  router.map(routes.register, {
    actions: {
      index: (context) => registrationPage(context, {}),
      async action(context) {
        const form = context.get(FormData);
        const result = parseSafe(Registration, form);
        if (!result.success) {
          const state = failed(form, shown, result.issues);
          return registrationPage(context, state);
        }
        const { name, email, password } = result.value;
        // Every attempt counts, also one that succeeds.
        const attempt = await registrationThrottle.attempt(context, null);
        if (!attempt.allowed) {
          const error = waitText(attempt.retryAfter);
          const state = { values: valuesOf(form, shown), error };
          return slowDown(
            context,
            attempt.retryAfter,
            registrationPage(context, state, 429),
          );
        }
        const passwordHash = await hashNewPassword(
          services,
          password,
          registrationQueue,
        );
        if (passwordHash === null) {
          return registrationPage(context, {
            values: valuesOf(form, shown),
            errors: { password: TOO_COMMON },
          });
        }
        const user = await users.create({ name, email, passwordHash });
        if (user === null) {
          return registrationPage(context, {
            values: valuesOf(form, shown),
            errors: { email: "An account with this email already exists." },
          });
        }
        const session = await logIn(context, user, { methods: ["pwd"] });
        await sendProof(context, services, user);
        // Guesses from elsewhere do not delay a login on this device.
        await loginThrottle.trustDevice(context, email);
        session.flash(
          "message",
          `Welcome, ${name}. Please open the link that we have sent to ${email}.`,
        );
        return redirect(routes.home.href());
      },
    },
  });
}

function registrationPage(
  context: RequestContext,
  state: FormState,
  status = state.errors === undefined ? 200 : 422,
): Response {
  return narrowPage(context, {
    title: "Register",
    status,
    content: html`
      ${errorSummary(state)}
      <form method="post" action="${routes.register.action
        .href()}" novalidate>
        ${field({ name: "name", label: "Name", autocomplete: "name" }, state)}
        ${field({
          name: "email",
          label: "Email",
          type: "email",
          autocomplete: "email",
        }, state)}
        ${field({
          name: "password",
          label: "Password",
          type: "password",
          autocomplete: "new-password",
          hint: "At least 8 characters. Several words work well.",
        }, state)}
        ${field({
          name: "confirmPassword",
          label: "Password, once more",
          type: "password",
          autocomplete: "new-password",
        }, state)}
        <button>Register</button>
      </form>
      <p class="aside">
        Already have an account?
        <a href="${routes.login.index.href()}">Log in</a>
      </p>
    `,
  });
}
