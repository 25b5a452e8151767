import { html, type Markup } from "../../router/content/mod.ts";
import { KEY_DAYS } from "../actions/keys.ts";
import { scopeInputOf } from "../definition/input_names.ts";
import type { StoredKey } from "../keys/api_keys.ts";
import type { KeyMessages } from "../messages/key_messages.ts";
import type { Messages } from "../messages/messages.ts";
import type { FoundMember } from "../store/teams.ts";
import {
  checkbox,
  errorSummary,
  field,
  fieldError,
  type FormState,
  select,
} from "./fields.ts";
import { accountView, goneView, type PageCall, type View } from "./page.ts";
import { dayOf, rowLink, rowList, timeAgo } from "./rows.ts";

/** Creates the page of the API keys. */
export function keysView(
  call: PageCall,
  state: FormState,
  { list, now, teams }: {
    readonly list: readonly StoredKey[];
    readonly now: number;
    readonly teams: readonly FoundMember[];
  },
): View {
  const { messages } = call;
  return accountView(
    call,
    messages.keys.title,
    html`
      ${errorSummary(messages, state)}
      <p>${messages.keys.text}</p>
      ${rowList(
        list.map((key) => row(call, key, { now, teams })),
        messages.keys.none,
      )}
      <h2>${messages.keys.create}</h2>
      ${creation(call, state, teams)}
    `,
  );
}

function row(
  call: PageCall,
  { id, name, start, scopes, createdAt, expiresAt, usedAt, teamId }: StoredKey,
  { now, teams }: {
    readonly now: number;
    readonly teams: readonly FoundMember[];
  },
): Markup {
  const { messages, services: { routes } } = call;
  const { keys } = messages;
  const href = routes.keyRemoval.index.href({}, { id });
  const isExpired = expiresAt !== null && expiresAt <= now;
  const team = teams.find((one) => one.team.id === teamId)?.team.name;
  const rights = [...team === undefined ? [] : [team], scopes.join(", ")];
  const facts = [
    messages.added(dayOf(createdAt)),
    usedAt === null ? keys.unused : timeAgo(call, usedAt, messages.lastUsed),
    expiresAt === null
      ? keys.noExpiry
      : (isExpired ? keys.expired : keys.expires)(dayOf(expiresAt)),
  ];
  return html`
    <li>
      <div>
        <strong>${name}</strong> <code>${start}…</code>
        <p class="hint">${rights.join(" · ")}</p>
        <p class="hint facts">${facts.map((fact) =>
          html`
            <span>${fact}</span>
          `
        )}</p>
      </div>
      ${rowLink(href, keys.revoke, keys.revokeNamed(name))}
    </li>
  `;
}

function creation(
  { messages, services: { names, routes } }: PageCall,
  state: FormState,
  teams: readonly FoundMember[],
): Markup {
  const { keys } = messages;
  return html`
    <form method="post" action="${routes.keys.action.href()}" novalidate>
      ${field({
        name: "name",
        label: messages.name,
        autocomplete: "off",
        hint: keys.nameHint,
      }, state)}
      ${teams.length > 0 && teamChoice(messages, state, teams)}
      <fieldset id="scopes" tabindex="-1">
        <legend>${keys.scopes}</legend>
        ${fieldError("scopes", state)}
        ${(names.scopes ?? []).map((scope) =>
          checkbox({ name: scopeInputOf(scope), label: scope }, state)
        )}
      </fieldset>
      ${expiryChoice(keys, state)}
      <button>${keys.create}</button>
    </form>
  `;
}

function expiryChoice(keys: KeyMessages, state: FormState): Markup {
  const days = KEY_DAYS
    .map((count) => [String(count), keys.days(count)] as const);
  return select(
    { name: "days", label: keys.expiry },
    [...days, ["never", keys.never]],
    { ...state, values: { days: "90", ...state.values } },
  );
}

function teamChoice(
  { teams: { keyOwner, onlyMe } }: Messages,
  state: FormState,
  teams: readonly FoundMember[],
): Markup {
  const owners = teams.map(({ team: { id, name } }) => [id, name] as const);
  return select(
    { name: "team", label: keyOwner },
    [["", onlyMe], ...owners],
    state,
  );
}

/** Creates the page that shows a new key, once. */
export function newKeyView(call: PageCall, key: string): View {
  const { messages, services: { routes } } = call;
  const { keys } = messages;
  return accountView(
    call,
    keys.created,
    html`
      <p>${keys.createdText}</p>
      <div class="field">
        <label for="key">${keys.key}</label>
        <textarea id="key" class="key" rows="2" readonly spellcheck="false"
        >${key}</textarea>
      </div>
      <p>${keys.usage}</p>
      <p>
        <a class="button" href="${routes.keys.index.href()}">${keys.done}</a>
      </p>
    `,
  );
}

/** Creates the page that asks before a key is revoked. */
export function revokeView(
  call: PageCall,
  state: FormState,
  key: StoredKey | null,
): View {
  const { messages, services: { routes } } = call;
  const { keys } = messages;
  const back = routes.keys.index.href();
  if (key === null) return goneView(call, keys.unknown, back);
  return accountView(
    call,
    keys.revokeTitle(key.name),
    html`
      ${errorSummary(messages, state)}
      <p>${keys.revokeText}</p>
      <form method="post" action="${routes.keyRemoval.action.href()}">
        <input type="hidden" name="id" value="${key.id}">
        <div class="actions">
          <button class="danger">${keys.revoke}</button>
          <a class="button quiet" href="${back}">${messages.cancel}</a>
        </div>
      </form>
    `,
  );
}
