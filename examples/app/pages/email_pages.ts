import type { EmailLink } from "@gatehouse/web/auth/email-login";
import { html, type Markup } from "@gatehouse/web/content";
import { type RequestContext, withHeaders } from "@gatehouse/web/fetch-router";
import { field, type FormState } from "./form_fields.ts";
import { narrowPage } from "./layout.ts";

/** The texts of a page that an emailed link opens. */
export interface LinkPage {
  readonly title: string;
  /** The text of the button. */
  readonly button: string;
  /** The path of the form. */
  readonly action: string;
  /** The path of the page that requests a new email. */
  readonly again: string;
  readonly token: unknown;
}

/** Creates the page that an emailed link opens. Opening it changes nothing. */
export function linkPage(
  context: RequestContext,
  link: EmailLink,
  page: LinkPage,
): Response {
  const { title, action, again, button, token } = page;
  if (link.status === "expired") return uselessLinkPage(context, again);
  if (link.status === "other-browser") return otherBrowserPage(context, link);
  const content = html`
    <p>Continue only if you have just requested this email for ${link
      .email}.</p>
    <form method="post" action="${action}">
      <input type="hidden" name="token" value="${String(token)}">
      <button>${button}</button>
    </form>
  `;
  return uncached(narrowPage(context, { title, content }));
}

/** Creates the page for a browser that did not ask for the email. */
export function otherBrowserPage(
  context: RequestContext,
  { code }: { readonly code: string },
): Response {
  const content = html`
    <p>Type this code in the browser in which you requested the email:</p>
    <p class="code"><code>${code}</code></p>
    <p>If you did not request it, close this page, and do not share the code.</p>
  `;
  return uncached(narrowPage(context, { title: "Your code", content }));
}

/** Creates the page for a link that does not work any more. */
export function uselessLinkPage(
  context: RequestContext,
  again: string,
): Response {
  const content = html`
    <p>It was already used, or is more than ten minutes old.</p>
    <p class="actions">
      <a class="button" href="${again}">Request a new email</a>
    </p>
  `;
  const title = "This link does not work";
  return narrowPage(context, { title, content, status: 410 });
}

/** Creates the field for the code of an email or of an app. */
export function codeField(hint: string, state: FormState): Markup {
  return field({
    name: "code",
    label: "Code",
    autocomplete: "one-time-code",
    inputMode: "numeric",
    hint,
  }, state);
}

function uncached(response: Response): Response {
  return withHeaders(response, (headers) => {
    headers.set("Cache-Control", "no-store");
    headers.set("Referrer-Policy", "no-referrer");
  });
}
