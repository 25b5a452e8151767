import { html } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { uncachedRedirect } from "../authorize/authorization_response.ts";
import type { Client } from "../clients/client.ts";
import { renderPage } from "./page.ts";

/**
 * Returns the browser to a client, by a redirect. After a form of this site, such as
 * that of a login, it is a page: see {@linkcode finalPage}.
 */
export async function returnToClient(
  { request: { headers } }: Pick<RequestContext, "request">,
  client: Pick<Client, "name">,
  location: string,
): Promise<Response> {
  // The browser names the site that began the navigation, also after redirects.
  const isOwn = headers.get("Sec-Fetch-Site") === "same-origin" &&
    headers.get("Sec-Fetch-Dest") === "document";
  return isOwn ? await finalPage(client, location) : uncachedRedirect(location);
}

/**
 * Creates the page after the decision, which opens the client. It is a page rather
 * than a redirect, because a policy of the application or of a proxy could block a
 * redirect after a form, without a word (CSP, `form-action`). It also has a link,
 * because some browsers open other programs only after a click.
 */
export async function finalPage(
  { name }: Pick<Client, "name">,
  location: string,
): Promise<Response> {
  return await renderPage({
    title: `Return to ${name}`,
    content: html`
      <h1>Returning to ${name}</h1>
      <p>If nothing happens, continue with this link.</p>
      <p><a class="button" href="${location}">Continue to ${name}</a></p>
      <p
        class="hint">If ${name} is a program on this device, you can close this page afterwards.</p>
    `,
    refresh: location,
  });
}
