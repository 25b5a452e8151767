import { html } from "@gatehouse/web/content";
import type {
  ErrorResponse,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import { narrowPage } from "./pages/layout.ts";
import { routes } from "./routes.ts";

const EXPLANATIONS: Record<number, string> = {
  400: "The server did not understand the request.",
  401: "The login failed. Nothing was changed. Please try again.",
  403: "Your account does not have permission for this.",
  404: "There is no page at this address.",
  405: "This address does not support the method of the request.",
  409: "Another request changed the same data. Please try again.",
  413: "The form was too large.",
  429: "Too many attempts. Please wait a little, then try again.",
  502: "The identity provider does not answer. Please try again later.",
  503: "The server is busy. Please try again soon.",
};

const FROM_ANOTHER_SITE =
  "This form was sent from another site, so nothing was changed. If you want to do this, open the page here and try again.";

/**
 * Creates the `errorResponse` of the router: a page for browsers. Other clients
 * and the API get the default.
 */
export function errorPages(ownOrigin: string): ErrorResponse {
  return ({ status, title, detail = title }, context) => {
    if (!wantsPage(context)) return undefined;
    return narrowPage(context, {
      title: detail,
      status,
      content: html`
        <p>${explanation(context, status, ownOrigin)}</p>
        <p class="actions">
          <a class="button quiet" href="${routes.home
            .href()}">Back to the notices</a>
        </p>
      `,
    });
  };
}

function explanation(
  { request: { headers, method } }: RequestContext,
  status: number,
  ownOrigin: string,
): string {
  const origin = headers.get("Origin");
  const isForeign = origin !== null && origin !== ownOrigin;
  if (status === 403 && method === "POST" && isForeign) {
    return FROM_ANOTHER_SITE;
  }
  return EXPLANATIONS[status] ??
    "The server has a problem. It is not your fault. Please try again later.";
}

/** Returns `true` if the client is a browser that shows the response. */
function wantsPage({ request, url }: RequestContext): boolean {
  return !url.pathname.startsWith("/api/") &&
    (request.headers.get("Accept") ?? "").includes("text/html");
}
