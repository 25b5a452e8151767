import { html } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { ErrorReason } from "../messages/messages.ts";
import { preferredLanguage } from "../../router/internal.ts";
import { renderPage } from "./page.ts";
import type { Settings } from "../settings.ts";

/** Creates the page for a request that cannot go back to its client. */
export function errorPage(
  settings: Settings,
  context: RequestContext,
  { reason, status }: {
    readonly reason: ErrorReason;
    readonly status: number;
  },
): Response {
  const messages = preferredLanguage(context.request, settings.messages);
  const { error: title, errors, unchanged } = messages;
  const text = errors[reason];
  const content = settings.pages.error?.({ messages, text }, context) ?? html`
    <h1>${title}</h1>
    <p>${text}</p>
    <p class="hint">${unchanged}</p>
  `;
  return renderPage({ title, content, messages, status });
}
