import {
  html,
  htmlResponse,
  type Markup,
  unsafeHTML,
} from "../../router/content/mod.ts";
import type { ServerMessages } from "../messages/messages.ts";
import { STYLE, STYLE_HASH } from "./style.ts";

/** The parts of a page. */
export interface PageParts {
  /** The strings, for the attribute `lang`. */
  readonly messages: Pick<ServerMessages, "language">;
  readonly title: string;
  readonly content: Markup;
  /**
   * The status.
   *
   * @default {200}
   */
  readonly status?: number;
  /**
   * The URL that the browser opens immediately.
   *
   * @default {undefined}
   */
  readonly refresh?: string;
}

/**
 * Creates the response of a page. Its policy allows only its own stylesheet, no
 * script and no frame, whatever the policy of the application is.
 */
export function renderPage(
  { content, messages, refresh, status = 200, title }: PageParts,
): Response {
  const headers = new Headers({
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  });
  if (refresh !== undefined) headers.set("Refresh", `0; url=${refresh}`);
  const markup = html`
    <html lang="${messages.language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>${title}</title>
        ${unsafeHTML(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>
  `;
  return htmlResponse(markup, { status, headers });
}
