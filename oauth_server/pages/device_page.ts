import { html, type Markup } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Client } from "../clients/client.ts";
import type { WaitingDevice } from "../device/device_consent.ts";
import type { GrantRow, KeyedGrant } from "../grants/grant_store.ts";
import { englishDevice } from "../messages/english_device.ts";
import type { DevicePage } from "./page_options.ts";
import type { Settings } from "../settings.ts";
import { consentForm, endOfAccess, nameOf } from "./consent_page.ts";
import { preferredLanguage } from "../../router/internal.ts";
import { renderPage } from "./page.ts";

/** Creates the page on which a user types the code of a device. */
export function deviceCodePage(
  settings: Settings,
  context: RequestContext,
  { status, text = "" }: {
    readonly status: number;
    /** The text in the field. */
    readonly text?: string;
  },
): Response {
  const messages = preferredLanguage(context.request, settings.messages);
  const { device = englishDevice } = messages;
  const isWrong = status !== 200;
  const problem = status === 429 ? device.tooManyCodes : device.wrongCode;
  return renderPage({
    title: device.title,
    messages,
    status,
    content: html`
      <h1>${device.title}</h1>
      <p>${device.text}</p>
      ${isWrong && html`
        <p class="warning" id="problem" role="alert">${problem}</p>
      `}
      <form method="post" action="${settings.paths.device}">
        <p>
          <label for="user-code">${device.code}</label>
          <input id="user-code" class="button quiet" name="user_code"
            value="${text.slice(0, 40)}"
            autocomplete="off" autocapitalize="characters" spellcheck="false"
            maxlength="40" required ${isWrong && html`
              aria-invalid="true" aria-describedby="problem"
            `}>
        </p>
        <div class="actions"><button>${device.continueButton}</button></div>
      </form>
    `,
  });
}

/** Creates the page on which a user approves a device. */
export function deviceConsentPage(
  settings: Settings,
  { context, request, row, user }: WaitingDevice,
  { code, grants, secret }: {
    readonly code: string;
    readonly grants: readonly KeyedGrant[];
    readonly secret: string;
  },
): Response {
  const { client, resource } = request;
  const messages = preferredLanguage(context.request, settings.messages);
  const address = row.device?.address;
  const form = { grants, messages, secret };
  const page: DevicePage = {
    client: { id: client.id, name: client.name },
    isKnown: true,
    code,
    ...address !== undefined && { address },
    resource: resource.name,
    user: nameOf(user),
    messages,
    ...consentForm(settings.paths.device, request, form),
  };
  const title = messages.connect(client.name, resource.name);
  const content = settings.pages.device?.(page, context) ??
    contentOf(settings, title, page);
  return renderPage({ title, messages, content });
}

function contentOf(
  settings: Settings,
  title: string,
  { address, client, code, form, messages, user }: DevicePage,
): Markup {
  const { device = englishDevice } = messages;
  return html`
    <h1>${title}</h1>
    <dl>
      <dt>${device.code}</dt>
      <dd>${code}</dd>
      <dt>${messages.application}</dt>
      <dd>${client.name}</dd>
      ${address !== undefined && html`
        <dt>${device.askedFrom}</dt>
        <dd>${address}</dd>
      `}
      <dt>${messages.account}</dt>
      <dd>${user}</dd>
    </dl>
    <p class="warning">${device.warning}</p>
    ${form}
    ${endOfAccess(messages, settings)}
  `;
}

/** Creates the page after the decision. */
export function decidedPage(
  settings: Settings,
  { context, request: { client: { name } }, row }:
    & Pick<WaitingDevice, "context">
    & {
      readonly request: { readonly client: Pick<Client, "name"> };
      readonly row: Pick<GrantRow, "device">;
    },
): Response {
  const messages = preferredLanguage(context.request, settings.messages);
  const { device = englishDevice } = messages;
  const isApproved = row.device?.status !== "denied";
  const title = isApproved ? device.connected(name) : device.notConnected(name);
  return renderPage({
    title,
    messages,
    content: html`
      <h1>${title}</h1>
      <p>${isApproved ? device.continues : messages.unchanged}</p>
    `,
  });
}
