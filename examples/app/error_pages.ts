import type { Middleware, RequestContext } from "@gatehouse/web/fetch-router";
import { html } from "./html.ts";
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
 * Creates a middleware that shows browsers a page instead of the plain text of an
 * error. Other clients and the API get the plain text.
 */
export function errorPages(ownOrigin: string): Middleware<readonly []> {
  return async (context, next) => {
    const response = await next();
    if (!isBareError(response) || !wantsPage(context)) return response;
    const { status, headers } = response;
    const text = await response.text();
    const reason = explanation(context, status, ownOrigin);
    return errorPage(context, { text, reason, status, headers });
  };
}

/** Returns `true` if a response is an error with only a plain text. */
function isBareError({ status, headers }: Response): boolean {
  // Bun adds the type of plain text only when it sends the response.
  const type = headers.get("Content-Type") ?? "text/plain";
  return status >= 400 && type.startsWith("text/plain");
}

/** Creates the page of an error. Its title is the short, official text. */
function errorPage(
  context: RequestContext,
  { text, reason, status, headers }: {
    readonly text: string;
    readonly reason: string;
    readonly status: number;
    readonly headers: Headers;
  },
): Response {
  const response = narrowPage(context, {
    title: text,
    status,
    content: html`
      <p>${reason}</p>
      <p class="actions">
        <a class="button quiet" href="${routes.home
          .href()}">Back to the notices</a>
      </p>
    `,
  });
  for (const [name, value] of headers) {
    if (name.startsWith("content-")) continue;
    if (name === "set-cookie") response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
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
