import {
  html,
  htmlResponse,
  type Markup,
  unsafeHTML,
} from "../../router/content/mod.ts";
import { encodeBase64, sha256 } from "../../session/secrets.ts";
import { STYLE } from "./style.ts";

/** The parts of a page. */
export interface PageParts {
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
  /**
   * Other rules of its stylesheet.
   *
   * @default {""}
   */
  readonly style?: string;
}

/**
 * Creates the response of a page. Its policy allows only its own stylesheet, no
 * script and no frame, whatever the policy of the application is.
 */
export async function renderPage(
  { content, refresh, status = 200, style = "", title }: PageParts,
): Promise<Response> {
  const css = STYLE + style;
  const hash = encodeBase64(await sha256(css));
  const headers = new Headers({
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  });
  if (refresh !== undefined) headers.set("Refresh", `0; url=${refresh}`);
  const markup = html`
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title}</title>
        ${unsafeHTML(`<style>${css}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>
  `;
  return htmlResponse(markup, { status, headers });
}
