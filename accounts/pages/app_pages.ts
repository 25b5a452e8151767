import type { Grant } from "../../auth/internal.ts";
import { html, type Markup } from "../../router/content/mod.ts";
import type { AppsPage } from "../apps/actions.ts";
import { errorSummary, type FormState } from "./fields.ts";
import { accountView, type PageCall, type View } from "./page.ts";
import { dayOf, rowButton, timeAgo } from "./rows.ts";

/** Creates the page of the connected apps. */
export function appsView(
  call: PageCall,
  state: FormState,
  { apps, next }: AppsPage,
): View {
  const { messages, services: { routes } } = call;
  return accountView(
    call,
    messages.apps.title,
    html`
      ${errorSummary(messages, state)}
      ${apps.length === 0 ? html`<p>${messages.apps.none}</p>` : html`
        <p>${messages.apps.text}</p>
        <ul class="rows stacked">${apps.map((app) => row(call, app))}</ul>
      `}
      <div class="actions">
        ${next !== undefined && html`
          <a class="button quiet" href="${routes.apps.index.href(
            {},
            { after: next },
          )}">${messages.admin.more}</a>
        `} ${apps.length > 1 && html`
          <form method="post" action="${routes.apps.action.href()}">
            <input type="hidden" name="all" value="on">
            <button class="danger">${messages.apps.disconnectAll}</button>
          </form>
        `}
      </div>
    `,
  );
}

function row(call: PageCall, app: Grant): Markup {
  const { messages, services: { routes } } = call;
  const { client, createdAt, id, lastUsedAt, redirectHost } = app;
  // A client chooses its name, so the host is next to it.
  const host = client.host ?? redirectHost;
  const name = client.name ?? host;
  return html`
    <li>
      <div>
        <strong><bdi>${name}</bdi></strong> ${host !== "" && html`
          <code>${host}</code>
        `}
        <p class="hint">${rightsOf(app)}</p>
        <p class="hint facts">
          <span>${messages.apps.connected(dayOf(createdAt))}</span>
          <span>${timeAgo(call, lastUsedAt, messages.lastUsed)}</span>
        </p>
      </div>
      ${rowButton(routes.apps.action.href(), { id }, {
        label: messages.apps.disconnectNamed(name),
        text: messages.apps.disconnect,
      })}
    </li>
  `;
}

/** Returns the rights in words, as the consent page has shown them. */
function rightsOf(
  { resource, resourceName, scopes, scopeTexts = {} }: Grant,
): string {
  const texts = scopes.map((scope) =>
    Object.hasOwn(scopeTexts, scope) ? scopeTexts[scope] : scope
  );
  return `${resourceName ?? resource}: ${texts.join(", ")}`;
}
