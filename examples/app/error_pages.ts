import type { Middleware, RequestContext } from "@gatehouse/web/fetch-router";
import { html } from "./html.ts";
import { page } from "./pages/layout.ts";
import { routes } from "./routes.ts";

const explanations: Record<number, string> = {
  400: "The server did not understand the request.",
  401: "The login did not work, and nothing was changed. Please try again.",
  403: "Your account may not do this.",
  404: "There is no page at this address.",
  405: "This address does not support that method.",
  409: "Something else changed at the same moment. Please try again.",
  413: "The form was too large.",
  429: "Too many attempts. Please wait a little, then try again.",
  502: "The identity provider does not answer. Please try again later.",
  503: "There is too much to do at the moment. Please try again soon.",
};

/**
 * Creates a middleware that shows browsers a page instead of the plain text of an
 * error. Other clients and the API get the plain text.
 */
export function errorPages(): Middleware<readonly []> {
  return async (context, next) => {
    const response = await next();
    if (!isBareError(response) || !wantsPage(context)) return response;
    const { status, headers } = response;
    return errorPage(context, await response.text(), status, headers);
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
  text: string,
  status: number,
  headers: HeadersInit = {},
): Response {
  const response = page(context, {
    title: text,
    status,
    content: html`
      <div class="narrow">
        <h1>${text}</h1>
        <p>${explanations[status] ??
          "Something went wrong here, not with you."}</p>
        <p class="actions">
          <a class="button quiet" href="${routes.home
            .href()}">To the notices</a>
        </p>
      </div>
    `,
  });
  for (const [name, value] of new Headers(headers)) {
    if (name.startsWith("content-")) continue;
    if (name === "set-cookie") response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}

/** Returns `true` if the client is a browser that shows the response. */
function wantsPage({ request, url }: RequestContext): boolean {
  return !url.pathname.startsWith("/api/") &&
    (request.headers.get("Accept") ?? "").includes("text/html");
}
