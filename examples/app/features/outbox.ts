import type { Mail } from "@gatehouse/web/accounts";
import { html } from "@gatehouse/web/content";
import { HTTPError } from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app.ts";
import { isLocal } from "../is_local.ts";
import { page } from "../pages/layout.ts";
import { routes } from "../routes.ts";

/** The emails of a development server: printed, and kept until the process ends. */
export class Outbox {
  /** The latest 50 emails, the newest first. */
  readonly mails: Mail[] = [];

  /** Prints and keeps an email. */
  send(mail: Mail): void {
    console.log(`\n  Email to ${mail.to}: ${mail.subject}\n\n${mail.text}`);
    this.mails.unshift(mail);
    this.mails.splice(50);
  }
}

/** Creates a function that posts emails as JSON to a URL. */
export function postMailsTo(url: string): (mail: Mail) => Promise<void> {
  return async (mail) => {
    const body = JSON.stringify(mail);
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    await response.body?.cancel();
    // The accounts try once more, and then report the event `email-send`.
    if (!response.ok) throw new Error(`Cannot send email: ${response.status}`);
  };
}

/** Adds the page with the emails of a development server. */
export function addOutbox(router: AppRouter, outbox: Outbox | undefined): void {
  router.get(routes.outbox, (context) => {
    if (outbox === undefined || !isLocal(context)) throw new HTTPError(404);
    return page(context, {
      title: "Outbox",
      content: html`
        <h1>Outbox</h1>
        <p class="hint">This server sends no emails: they are here, and on its console.
          Only browsers on this computer see this page.</p>
        ${outbox.mails.length === 0 && html`
          <p class="empty">There are no emails yet.</p>
        `}
        ${outbox.mails.map(({ to, subject, text }) =>
          html`
            <article>
              <h2>${subject}</h2>
              <p class="meta">To ${to}</p>
              <pre>${text}</pre>
            </article>
          `
        )}
      `,
    });
  });
}
