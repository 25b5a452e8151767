import { html, type Markup } from "../../router/content/mod.ts";
import type { AuthenticatedUser } from "../../auth/middleware/mod.ts";
import type { AuthorizationRequest } from "../authorize/authorization_request.ts";
import type { UserRequest } from "../authorize/user_request.ts";
import { isLoopbackRedirect } from "../clients/redirect_uri.ts";
import type { ServerMessages } from "../messages/messages.ts";
import { scopeText } from "../messages/scope_text.ts";
import type { KeyedGrant } from "../grants/grant_store.ts";
import type { ConsentPage } from "./page_options.ts";
import { preferredLanguage } from "../../router/internal.ts";
import { renderPage } from "./page.ts";
import { redirectHostOf } from "./redirect_host.ts";
import type { Settings } from "../settings.ts";

/** Creates the consent page. */
export function consentPage(
  settings: Settings,
  asked: UserRequest,
  { grants, secret }: {
    readonly grants: readonly KeyedGrant[];
    readonly secret: string;
  },
): Response {
  const { context, request, user } = asked;
  const { client, redirectUri, resource } = request;
  const messages = preferredLanguage(context.request, settings.messages);
  const page: ConsentPage = {
    client: {
      id: client.id,
      name: client.name,
      ...client.host !== undefined && { host: client.host },
    },
    isKnown: client.source === "registered",
    redirectHost: redirectHostOf(redirectUri),
    isLoopback: isLoopbackRedirect(redirectUri),
    resource: resource.name,
    user: nameOf(user),
    messages,
    ...consentForm(settings.paths.authorize, request, {
      grants,
      messages,
      secret,
    }),
  };
  const title = messages.connect(client.name, resource.name);
  const content = settings.pages.consent?.(page, context) ??
    contentOf(settings, title, page);
  return renderPage({ title, messages, content });
}

/** The request that a form asks about. */
type AskedScopes = Pick<AuthorizationRequest, "client" | "resource" | "scopes">;

/** Creates the form of a consent, with the requested scopes. */
export function consentForm(
  path: string,
  request: AskedScopes,
  { grants, messages, secret }: {
    readonly grants: readonly KeyedGrant[];
    readonly messages: ServerMessages;
    readonly secret: string;
  },
): Pick<ConsentPage, "form" | "isNew" | "scopes"> {
  const { isNew, scopes } = scopesOf(request, grants, messages);
  const form = html`
    <form method="post" action="${path}">
      <input type="hidden" name="request" value="${secret}">
      <fieldset>
        <legend>${messages.scopes}</legend>
        ${scopes.map((scope) =>
          html`
            <label class="choice">
              <input type="checkbox" name="scope" value="${scope.name}" checked>
              <span>${scope.text}${!isNew && scope.isNew && html`
                <strong class="new">${messages.isNew}</strong>
              `}</span>
            </label>
          `
        )}
      </fieldset>
      <div class="actions">
        <button name="decision" value="approve">${messages.allow}</button>
        <button class="quiet" name="decision" value="deny">${messages
          .cancel}</button>
      </div>
    </form>
  `;
  return { isNew, scopes, form };
}

/** Returns the requested scopes, and marks those that are not yet given. */
function scopesOf(
  { client, resource, scopes }: AskedScopes,
  grants: readonly KeyedGrant[],
  messages: ServerMessages,
): Pick<ConsentPage, "isNew" | "scopes"> {
  const earlier = grants.filter(({ row }) =>
    row.client.id === client.id && row.resource === resource.url
  );
  return {
    isNew: earlier.length === 0,
    scopes: scopes.map((name) => ({
      name,
      text: scopeText(messages, resource, name),
      isNew: !earlier.some(({ row }) => row.scopes.includes(name)),
    })),
  };
}

/** Returns the name of a user, as the user knows it. */
export function nameOf({ email, id, name }: AuthenticatedUser): string {
  return email ?? name ?? String(id);
}

function contentOf(
  settings: Settings,
  title: string,
  page: ConsentPage,
): Markup {
  const { client, messages, redirectHost, user } = page;
  return html`
    <h1>${title}</h1>
    <dl>
      <dt>${messages.application}</dt>
      <dd>${client.host ?? client.name}</dd>
      <dt>${messages.returnsTo}</dt>
      <dd>${redirectHost}</dd>
      <dt>${messages.account}</dt>
      <dd>${user}</dd>
    </dl>
    ${warningsOf(page).map((text) =>
      html`
        <p class="warning">${text}</p>
      `
    )} ${page.form} ${endOfAccess(messages, settings)}
  `;
}

/** Creates the sentence that says how the access ends. */
export function endOfAccess(
  messages: ServerMessages,
  { lifetimes: { idle } }: Pick<Settings, "lifetimes">,
): Markup {
  const hours = Math.max(1, Math.round(idle / 3_600_000));
  return html`
    <p class="hint">${messages.endOfAccess(hours)}</p>
  `;
}

/** Returns the reasons to look twice. */
function warningsOf(
  { client, isKnown, isLoopback, messages, redirectHost }: ConsentPage,
): string[] {
  const { host, name } = client;
  return [
    ...!isKnown && host === undefined ? [messages.ownName(name!)] : [],
    ...isLoopback
      ? [messages.ownDevice]
      : host !== undefined && host !== redirectHost
      ? [messages.otherHost(host, redirectHost)]
      : [],
  ];
}
