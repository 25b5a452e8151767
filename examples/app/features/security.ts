import { Auth } from "@gatehouse/web/auth-middleware";
import type {
  RememberedDevice,
  SecondFactorStatus,
} from "@gatehouse/web/auth/second-factor";
import { html, type Markup } from "@gatehouse/web/content";
import { redirect, type RequestContext } from "@gatehouse/web/fetch-router";
import { Session, userSessions } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { accountPage } from "../pages/account_page.ts";
import { browserName } from "../pages/browser_name.ts";
import { method } from "../pages/form_fields.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";

const { setUp, remove } = routes.account.app;

/** Adds the page that lists the factors, the devices and the sessions of a user. */
export function addSecurity(router: AppRouter, services: Services): void {
  const { factors } = services;
  const middleware = [requireLogin] as const;

  router.get(routes.account.security, { middleware }, async (context) => {
    const { id } = context.get(Auth);
    const status = await factors.status(id);
    const devices = await factors.devices(context, id);
    return accountPage(context, {
      title: "Security",
      content: html`
        ${appSection(status)}
        ${status.totp && recoverySection(status)}
        ${status.totp && devicesSection(devices)}
        ${await sessionsSection(context)}
      `,
    });
  });

  router.delete(routes.account.device, { middleware }, async (context) => {
    const { id } = context.params;
    await factors.removeDevice(context, id);
    context.get(Session).flash("message", "The browser is forgotten");
    return redirect(routes.account.security.href());
  });
}

function appSection({ totp, totpSince }: SecondFactorStatus): Markup {
  return html`
    <h2>Authenticator app</h2>
    ${totp && totpSince !== undefined
      ? html`
        <p>Set up ${time(totpSince)}. Your logins need a code of it.</p>
        <p class="actions">
          <a class="button quiet" href="${setUp.index.href()}">Set up another
            app</a>
          <a class="button quiet" href="${remove.index.href()}">Remove</a>
        </p>
      `
      : html`
        <p>
          With an authenticator app, a stolen password is not enough to log in.
        </p>
        <p class="actions">
          <a class="button" href="${setUp.index.href()}">Set up an app</a>
        </p>
      `}
  `;
}

function recoverySection({ recoveryCodes }: SecondFactorStatus): Markup {
  return html`
    <h2>Recovery codes</h2>
    <p>You have ${recoveryCodes} recovery codes left.</p>
    <form method="post" action="${routes.account.recoveryCodes.href()}">
      <button class="quiet">Create new recovery codes</button>
    </form>
  `;
}

function devicesSection(devices: readonly RememberedDevice[]): Markup {
  return html`
    <h2>Remembered browsers</h2>
    ${devices.length === 0
      ? html`
        <p class="empty">Every login needs a code.</p>
      `
      : html`
        <ul class="rows">${devices.map(deviceRow)}</ul>
      `}
  `;
}

function deviceRow(device: RememberedDevice): Markup {
  const name = browserName(device.userAgent);
  const action = routes.account.device.href({ id: device.id });
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        ${device.current && html`<span class="badge">this browser</span>`}
        <p class="meta">
          Needs no code since ${time(device.since)}, until ${time(
            device.expiresAt,
          )}
        </p>
      </div>
      <form method="post" action="${action}">
        ${method("DELETE")}
        <button class="quiet" aria-label="Forget ${name}">Forget</button>
      </form>
    </li>
  `;
}

async function sessionsSection(context: RequestContext): Promise<Markup> {
  const list = await userSessions(context).list();
  const href = routes.account.sessions.index.href();
  return html`
    <h2>Sessions</h2>
    <p>
      You are logged in on ${list.length} ${list.length === 1
        ? "browser"
        : "browsers"}.
      <a href="${href}">Show and end sessions</a>
    </p>
  `;
}
