import { html } from "@gatehouse/web/content";
import type { ErrorResponse } from "@gatehouse/web/fetch-router";
import { page } from "./pages/layout.ts";
import { routes } from "./routes.ts";

const EXPLANATIONS: Readonly<Record<number, string>> = {
  400: "The server did not understand the request.",
  401: "The login failed. Nothing was changed. Please try again.",
  403: "Your account does not have permission for this.",
  404: "There is no page at this address.",
  405: "This address does not support the method of the request.",
  413: "The form was too large.",
  429: "Too many attempts. Please wait a little, then try again.",
  503: "The server is busy. Please try again soon.",
};

const FROM_ANOTHER_SITE =
  "This form was sent from another site, so nothing was changed. If you want to do this, open the page here and try again.";
const OTHERS =
  "The server has a problem. It is not your fault. Please try again later.";

/**
 * Creates the `errorResponse` of the router: a page for browsers. Other clients
 * and the API get the default.
 */
export function errorPages(ownOrigin: string): ErrorResponse {
  return ({ status, title, detail = title }, context) => {
    const { headers, url } = context;
    const isBrowser = headers.get("Accept")?.includes("text/html");
    if (!isBrowser || url.pathname.startsWith("/api/")) return undefined;
    const isForeign = (headers.get("Origin") ?? ownOrigin) !== ownOrigin;
    return page(context, {
      title: detail,
      status,
      content: html`
        <div class="card">
          <h1>${detail}</h1>
          <p>${status === 403 && isForeign
            ? FROM_ANOTHER_SITE
            : EXPLANATIONS[status] ?? OTHERS}</p>
          <p><a class="button quiet" href="${routes.home
            .href()}">Notices</a></p>
        </div>
      `,
    });
  };
}
