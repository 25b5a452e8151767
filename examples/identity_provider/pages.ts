import { html, htmlResponse, type Markup } from "@gatehouse/web/content";
import type { AuthorizationRequest } from "./authorization.ts";
import { PEOPLE, type Person } from "./people.ts";

/** Creates the page on which a visitor chooses a person to log in as. */
export function choicePage(
  request: AuthorizationRequest,
  params: URLSearchParams,
): Response {
  const { host, origin } = new URL(request.redirectUri);
  const markup = layout(
    "Choose who you are",
    html`
      <h1>Choose who you are</h1>
      <p>
        <strong>${host}</strong> wants to know who you are. Choose a person. They
        are not real and have no passwords.
      </p>
      <form method="post" action="/authorize?${params.toString()}">
        <ul class="people">
          ${PEOPLE.map(choice)}
        </ul>
        <button class="cancel" name="person" value="">
          Cancel and go back
        </button>
      </form>
      <p class="scopes">
        It will receive ${received(request.scopes)}.
      </p>
    `,
  );
  // The form redirects to the client, so the policy must name it.
  return page(markup, 200, origin);
}

/** Creates the page for a request that cannot be sent back to a client. */
export function refusalPage(error: string): Response {
  const markup = layout(
    "Invalid request",
    html`
      <h1>Invalid request</h1>
      <p>
        The application that sent you here is not registered, or its request is
        invalid (<code>${error}</code>).
      </p>
    `,
  );
  return page(markup, 400);
}

function choice({ sub, name, email, note }: Person): Markup {
  return html`
    <li>
      <button name="person" value="${sub}" aria-describedby="${sub}-note">
        <span class="initial" aria-hidden="true">${name[0]}</span>
        <span>
          <span class="name">${name}</span>
          <span class="email">${email}</span>
        </span>
      </button>
      <p class="note" id="${sub}-note">${note}</p>
    </li>
  `;
}

function received(scopes: readonly string[]): string {
  const parts = [
    "the id",
    scopes.includes("profile") && "the name",
    scopes.includes("email") && "the email address",
  ];
  return parts.filter(Boolean).join(", ");
}

function layout(title: string, content: Markup): Markup {
  return html`
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title} – Demo identity provider</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/style.css">
      </head>
      <body>
        <header>
          <p><strong>Demo identity provider</strong></p>
          <p>For tests on this computer only</p>
        </header>
        <main>
          ${content}
        </main>
      </body>
    </html>
  `;
}

function page(markup: Markup, status: number, redirectOrigin = ""): Response {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src data:",
    `form-action 'self' ${redirectOrigin}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return htmlResponse(markup, {
    status,
    headers: {
      "Cache-Control": "no-store",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
