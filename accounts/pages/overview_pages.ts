import { html, type Markup } from "../../router/content/mod.ts";
import type { ConnectedCounts, Safety } from "../overview.ts";
import { accountView, type PageCall, type View } from "./page.ts";

/** A row that leads to a page. */
interface LinkRow {
  readonly href: string;
  readonly text: string;
  /** The state of the page, such as "on". */
  readonly state?: string | number | undefined;
}

/** Creates a list of rows that lead to pages. A row of a feature that is off is `false`. */
export function linkRows(rows: readonly (LinkRow | false)[]): Markup {
  const shown = rows.filter((row) => row !== false);
  return html`
    <ul class="rows">${shown.map(({ href, state, text }) =>
      html`
        <li>
          <a class="row" href="${href}"><strong>${text}</strong>${state !==
              undefined && html`
            <span class="hint">${state}</span>
          `}</a>
        </li>
      `
    )}</ul>
  `;
}

/** Creates the page of the security: one sentence, the next step, and the rows. */
export function securityView(call: PageCall, safety: Safety): View {
  const { messages, services: { features, routes } } = call;
  const { hasPassword, passkeys, twoStep } = safety;
  const { isMissing, isOff, isOn, isSet } = messages.overview;
  const { text, next } = adviceOf(call, safety);
  return accountView(
    call,
    messages.security,
    html`
      <p>${text}</p>
      ${next !== undefined && html`
        <p><a class="button" href="${next.href}">${next.text}</a></p>
      `}
      ${linkRows([
        {
          href: routes.password.index.href(),
          text: messages.password,
          state: hasPassword ? isSet : isMissing,
        },
        features.has("passkeys") && {
          href: routes.passkeys.index.href(),
          text: messages.passkeys,
          state: passkeys,
        },
        {
          href: routes.twoStep.index.href(),
          text: messages.twoStep,
          state: twoStep ? isOn : isOff,
        },
      ])}
    `,
  );
}

/** With so few recovery codes, a user should create new ones. */
const FEW_CODES = 2;

/** Returns the sentence about the safety of an account, and the next step. */
function adviceOf(
  { messages, services: { features, routes } }: PageCall,
  { factorRequired, hasPassword, passkeys, recoveryCodes, twoStep }: Safety,
): { readonly text: string; readonly next?: LinkRow } {
  const { overview } = messages;
  const step = { href: routes.twoStep.index.href(), text: overview.turnOn };
  const add = {
    href: routes.passkeys.index.href(),
    text: messages.passkeyAdd,
  };
  if (twoStep) {
    return recoveryCodes > FEW_CODES ? { text: overview.twoStepIsSafe } : {
      text: overview.fewCodes(recoveryCodes),
      next: { ...step, text: messages.newCodes },
    };
  }
  if (passkeys > 0) {
    return hasPassword && !factorRequired
      ? { text: overview.passwordIsWeak, next: step }
      : { text: overview.passkeyIsSafe };
  }
  if (features.has("passkeys")) {
    const text = hasPassword ? overview.onlyPassword : overview.noPasskey;
    return { text, next: add };
  }
  return hasPassword
    ? { text: overview.onlyPassword, next: step }
    : { text: overview.noPassword };
}

/** Creates the page of the connections of an account. */
export function connectedView(call: PageCall, counts: ConnectedCounts): View {
  const { messages, services: { routes } } = call;
  const { apps, logins, teams } = counts;
  const rows: LinkRow[] = [
    {
      href: routes.logins.index.href(),
      text: messages.providers.title,
      state: logins,
    },
    {
      href: routes.apps.index.href(),
      text: messages.apps.title,
      state: apps,
    },
    {
      href: routes.teams.index.href(),
      text: messages.teams.title,
      state: teams,
    },
  ];
  return accountView(
    call,
    messages.overview.connected,
    html`
      <p>${messages.overview.connectedText}</p>
      ${linkRows(rows.filter(({ state }) => state !== undefined))}
    `,
  );
}
