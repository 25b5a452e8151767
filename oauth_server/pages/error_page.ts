import { html } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { renderPage } from "./page.ts";
import type { Settings } from "../settings.ts";

/** Creates the page for a request that cannot go back to its client. */
export async function errorPage(
  { pages }: Settings,
  context: RequestContext,
  { status, text }: { readonly status: number; readonly text: string },
): Promise<Response> {
  const content = pages.error?.({ text }, context) ?? html`
    <h1>The application cannot be connected</h1>
    <p>${text}</p>
    <p class="hint">Nothing has changed. You can close this page.</p>
  `;
  const title = "The application cannot be connected";
  return await renderPage({ title, content, status });
}
