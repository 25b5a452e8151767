import { html, type Markup } from "../../router/content/mod.ts";
import type { AuthenticatedUser } from "../../auth/middleware/mod.ts";
import type { AuthorizationRequest } from "../authorize/authorization_request.ts";
import type { UserRequest } from "../authorize/user_request.ts";
import { isLoopbackRedirect } from "../clients/redirect_uri.ts";
import type { KeyedGrant } from "../grants/grant_store.ts";
import type { ConsentPage, ConsentScope } from "./page_options.ts";
import { renderPage } from "./page.ts";
import { redirectHostOf } from "./redirect_host.ts";
import type { Settings } from "../settings.ts";

/** Creates the consent page. */
export async function consentPage(
  settings: Settings,
  asked: UserRequest,
  { grants, secret }: {
    readonly grants: readonly KeyedGrant[];
    readonly secret: string;
  },
): Promise<Response> {
  const { context, request, user } = asked;
  const { client, redirectUri, resource } = request;
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
    ...consentForm(settings.paths.authorize, request, { grants, secret }),
  };
  return await renderPage({
    title: `Connect ${client.name} to ${resource.name}`,
    content: settings.pages.consent?.(page, context) ??
      contentOf(page, settings),
  });
}

/** Creates the form of a consent, with the requested scopes. */
export function consentForm(
  path: string,
  { client, resource, scopes: requested }: Pick<
    AuthorizationRequest,
    "client" | "resource" | "scopes"
  >,
  { grants, secret }: {
    readonly grants: readonly KeyedGrant[];
    readonly secret: string;
  },
): Pick<ConsentPage, "form" | "isNew" | "scopes"> {
  const earlier = grants.filter(({ row }) =>
    row.client.id === client.id && row.resource === resource.url
  );
  const scopes = requested.map((name): ConsentScope => ({
    name,
    text: resource.scopes.get(name)!,
    isNew: !earlier.some(({ row }) => row.scopes.includes(name)),
  }));
  const isNew = earlier.length === 0;
  return { isNew, scopes, form: formOf(path, { isNew, scopes, secret }) };
}

/** Returns the name of a user, as the user knows it. */
export function nameOf({ email, id, name }: AuthenticatedUser): string {
  return email ?? name ?? String(id);
}

function contentOf(page: ConsentPage, settings: Settings): Markup {
  const { client, redirectHost, resource, user } = page;
  return html`
    <h1>Connect ${client.name} to ${resource}?</h1>
    <dl>
      <dt>Application</dt>
      <dd>${client.host ?? client.name}</dd>
      <dt>Returns to</dt>
      <dd>${redirectHost}</dd>
      <dt>Your account</dt>
      <dd>${user}</dd>
    </dl>
    ${warningsOf(page).map((text) =>
      html`
        <p class="warning">${text}</p>
      `
    )} ${page.form} ${endOfAccess(settings)}
  `;
}

/** Creates the sentence that says how the access ends. */
export function endOfAccess(
  { lifetimes: { idle } }: Pick<Settings, "lifetimes">,
): Markup {
  return html`
    <p class="hint">
      You can disconnect the application at any time. Without use, its access ends after
      ${daysOf(idle)}.
    </p>
  `;
}

/** Returns a time in days, or hours if it is short. */
function daysOf(milliseconds: number): string {
  const hours = Math.max(1, Math.round(milliseconds / 3_600_000));
  const days = Math.round(hours / 24);
  if (hours < 48) return hours === 1 ? "1 hour" : `${hours} hours`;
  return `${days} days`;
}

/** Returns the reasons to look twice. */
function warningsOf(
  { client, isKnown, isLoopback, redirectHost }: ConsentPage,
): string[] {
  const { host, name } = client;
  const warnings: string[] = [];
  if (!isKnown && host === undefined) {
    warnings.push(
      `The application has chosen the name ${name} itself. Continue only if you have just started it.`,
    );
  }
  if (isLoopback) {
    warnings.push(
      "The request comes from a program on this device. Continue only if you have just started it yourself.",
    );
  } else if (host !== undefined && host !== redirectHost) {
    warnings.push(
      `The application is described at ${host}, but your browser returns to ${redirectHost}. Continue only if you know both.`,
    );
  }
  return warnings;
}

function formOf(
  path: string,
  { isNew, scopes, secret }: Pick<ConsentPage, "isNew" | "scopes"> & {
    readonly secret: string;
  },
): Markup {
  return html`
    <form method="post" action="${path}">
      <input type="hidden" name="request" value="${secret}">
      <fieldset>
        <legend>It asks for permission to:</legend>
        ${scopes.map((scope, index) =>
          html`
            <div class="choice">
              <input id="scope-${index}" type="checkbox" name="scope" value="${scope
                .name}"
                checked>
              <label for="scope-${index}">${scope.text}${!isNew &&
                scope.isNew && html`
                <span class="new">new</span>
              `}</label>
            </div>
          `
        )}
      </fieldset>
      <div class="actions">
        <button name="decision" value="approve">Allow</button>
        <button class="quiet" name="decision" value="deny">Cancel</button>
      </div>
    </form>
  `;
}
