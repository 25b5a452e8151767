import { html, type Markup } from "../../router/content/mod.ts";
import type { Client } from "../clients/client.ts";
import type { WaitingDevice } from "../device/device_consent.ts";
import type { GrantRow, KeyedGrant } from "../grants/grant_store.ts";
import type { DevicePage } from "./page_options.ts";
import type { Settings } from "../settings.ts";
import { consentForm, endOfAccess, nameOf } from "./consent_page.ts";
import { renderPage } from "./page.ts";

/** The rules of the field, which no other page has. */
const FIELD = `.field label{display:block;margin-bottom:.35rem;font-weight:600}
.field input{width:100%;min-height:2.9rem;padding:.6rem .9rem;background:var(--card);border:1px solid var(--field);
border-radius:.6rem;color:var(--ink);font:inherit;font-size:1.25rem;letter-spacing:.12em;text-transform:uppercase}`;

/** Creates the page on which a user types the code of a device. */
export async function deviceCodePage(
  { paths }: Settings,
  { status, text = "" }: {
    readonly status: number;
    /** The text in the field. */
    readonly text?: string;
  },
): Promise<Response> {
  const isWrong = status !== 200;
  return await renderPage({
    title: "Connect a device",
    style: FIELD,
    status,
    content: html`
      <h1>Connect a device</h1>
      <p>Type the code that your device shows.</p>
      ${isWrong && html`
        <p class="warning" id="problem" role="alert">
          No device shows this code now. Compare it with your device, or start again there.
        </p>
      `}
      <form method="post" action="${paths.device}">
        <p class="field">
          <label for="user-code">Code</label>
          <input id="user-code" name="user_code" value="${text.slice(0, 40)}"
            autocomplete="off" autocapitalize="characters" spellcheck="false"
            maxlength="40" required ${isWrong && html`
              aria-invalid="true" aria-describedby="problem"
            `}>
        </p>
        <div class="actions"><button>Continue</button></div>
      </form>
    `,
  });
}

/** Creates the page on which a user approves a device. */
export async function deviceConsentPage(
  settings: Settings,
  { context, request, row, user }: WaitingDevice,
  { code, grants, secret }: {
    readonly code: string;
    readonly grants: readonly KeyedGrant[];
    readonly secret: string;
  },
): Promise<Response> {
  const { client, resource } = request;
  const address = row.device?.address;
  const page: DevicePage = {
    client: { id: client.id, name: client.name },
    isKnown: true,
    code,
    ...address !== undefined && { address },
    resource: resource.name,
    user: nameOf(user),
    ...consentForm(settings.paths.device, request, { grants, secret }),
  };
  return await renderPage({
    title: `Connect ${client.name} to ${resource.name}`,
    content: settings.pages.device?.(page, context) ??
      contentOf(page, settings),
  });
}

function contentOf(
  { address, client, code, form, resource, user }: DevicePage,
  settings: Settings,
): Markup {
  return html`
    <h1>Connect ${client.name} to ${resource}?</h1>
    <dl>
      <dt>Code</dt>
      <dd>${code}</dd>
      <dt>Application</dt>
      <dd>${client.name}</dd>
      ${address !== undefined && html`
        <dt>Asked from</dt>
        <dd>${address}</dd>
      `}
      <dt>Your account</dt>
      <dd>${user}</dd>
    </dl>
    <p class="warning">
      Continue only if you have just started this on your own device, and it shows
      this code. Nobody else should send you a code.
    </p>
    ${form}
    ${endOfAccess(settings)}
  `;
}

/** Creates the page after the decision. */
export async function decidedPage(
  { name }: Pick<Client, "name">,
  { device }: Pick<GrantRow, "device">,
): Promise<Response> {
  const isApproved = device?.status !== "denied";
  const title = isApproved
    ? `${name} is connected`
    : `${name} is not connected`;
  return await renderPage({
    title,
    content: html`
      <h1>${title}</h1>
      <p>${isApproved
        ? "Your device continues in a few seconds."
        : "Nothing has changed."} You can close this page.</p>
    `,
  });
}
