import type { Middleware, RequestContext } from "@gatehouse/web/fetch-router";
import { html } from "./html.ts";
import { page } from "./pages/layout.ts";
import { routes } from "./routes.ts";

const explanations: Record<number, string> = {
  400: "The request could not be understood.",
  401: "The login did not work. Nothing was changed: please try again.",
  403: "Your account may not do this.",
  404: "There is nothing at this address. It may have moved, or be gone.",
  405: "This address cannot be used like that.",
  409: "Something else changed at the same moment. Please try again.",
  413: "That was more than this page takes.",
  429: "That was too often. Please wait a little, then try again.",
  502: "The identity provider does not answer. Please try again later.",
  503:
    "There is too much to do at the moment, or a part is away. Please try again soon.",
};

/**
 * Shows browsers a page in place of the bare texts that guards and the router
 * answer errors with. Other clients, and the API, get those texts as they are.
 */
export function errorPages(): Middleware<readonly []> {
  return async (context, next) => {
    const response = await next();
    if (!isBareError(response) || !wantsPage(context)) return response;
    const { status, headers } = response;
    return errorPage(context, await response.text(), status, headers);
  };
}

/** Whether a response is an error with nothing but a text. */
function isBareError({ status, headers }: Response): boolean {
  // Bun gives a text its type only when it is sent.
  const type = headers.get("Content-Type") ?? "text/plain";
  return status >= 400 && type.startsWith("text/plain");
}

/** Answers with the page of an error. Its text is the short, official one. */
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

/** Whether a person looks at the answer. */
function wantsPage({ request, url }: RequestContext): boolean {
  return !url.pathname.startsWith("/api/") &&
    (request.headers.get("Accept") ?? "").includes("text/html");
}
