import { html } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import { uncachedRedirect } from "../authorize/authorization_response.ts";
import type { Client } from "../clients/client.ts";
import { preferredLanguage } from "../../router/internal.ts";
import { renderPage } from "./page.ts";
import type { Settings } from "../settings.ts";

/** A response that goes to a client. */
interface ClientResponse {
  readonly client: Pick<Client, "name">;
  /** The URL of the client, with the response. */
  readonly location: string;
}

/**
 * Returns the browser to a client, by a redirect. After a form of this site, such as
 * that of a login, it is a page: see {@linkcode finalPage}.
 */
export function returnToClient(
  settings: Settings,
  context: Pick<RequestContext, "request">,
  response: ClientResponse,
): Response {
  const { headers } = context.request;
  // The browser names the site that began the navigation, also after redirects.
  const isOwn = headers.get("Sec-Fetch-Site") === "same-origin" &&
    headers.get("Sec-Fetch-Dest") === "document";
  return isOwn
    ? finalPage(settings, context, response)
    : uncachedRedirect(response.location);
}

/**
 * Creates the page after the decision, which opens the client. It is a page rather
 * than a redirect, because a policy of the application or of a proxy could block a
 * redirect after a form, without a word (CSP, `form-action`). It also has a link,
 * because some browsers open other programs only after a click.
 */
export function finalPage(
  settings: Settings,
  context: Pick<RequestContext, "request">,
  { client: { name }, location }: ClientResponse,
): Response {
  const messages = preferredLanguage(context.request, settings.messages);
  const title = messages.returning(name);
  return renderPage({
    title,
    messages,
    content: html`
      <h1>${title}</h1>
      <p>${messages.returnText}</p>
      <p><a class="button" href="${location}">${messages.returnLink(
        name,
      )}</a></p>
    `,
    refresh: location,
  });
}
