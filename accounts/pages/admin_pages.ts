import { html, type Markup } from "../../router/content/mod.ts";
import { DEFAULT_ROLES } from "../actions/roles.ts";
import { AUDIT_ACTIONS } from "../admin/audit_log.ts";
import type { AuditEntry } from "../store/audit.ts";
import type { StoredAccount } from "../store/store.ts";
import {
  emailField,
  errorSummary,
  field,
  type FormState,
  select,
} from "./fields.ts";
import { areaView, type PageCall, type View } from "./page.ts";
import { dayOf, rowLink, rowList } from "./rows.ts";

/** The accounts of a page, with the values of the search. */
interface ListedUsers {
  readonly accounts: readonly StoredAccount[];
  readonly next: string | undefined;
  readonly search: string | undefined;
  readonly role: string | undefined;
}

/** The entries of a page, with the values of the filter. */
interface ListedEntries {
  readonly entries: readonly AuditEntry[];
  readonly next: string | undefined;
  readonly of?: string | undefined;
  readonly action?: string | undefined;
  /** The addresses of the accounts that still exist, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Creates a page next to the navigation of administrators. */
export function adminView(
  call: PageCall,
  title: string,
  content: Markup,
): View {
  const { context: { url }, messages: { admin }, services } = call;
  const { adminRoutes: routes } = services;
  const home = routes.users.href();
  const links = [
    [home, admin.users],
    ...services.registration === "closed"
      ? []
      : [[routes.invitations.index.href(), admin.invitations] as const],
    [routes.audit.href(), admin.audit],
  ] as const;
  const groups = links.map(([href, text]) => ({ href, text, pages: [] }));
  return areaView(url, { label: admin.title, groups, home }, title, content);
}

/** Creates the page of the accounts. */
export function usersView(
  call: PageCall,
  { accounts, next, role, search }: ListedUsers,
): View {
  const { messages: { admin }, services } = call;
  const { adminRoutes, names: { roles = DEFAULT_ROLES } } = services;
  const href = adminRoutes.users.href();
  const state = { values: { search: search ?? "", role: role ?? "" } };
  return adminView(
    call,
    admin.users,
    html`
      <form method="get" action="${href}">
        ${field({
          name: "search",
          label: admin.search,
          hint: admin.searchHint,
          autocomplete: "off",
          isOptional: true,
        }, state)}
        ${select(
          { name: "role", label: admin.role },
          [["", admin.any], ...roles],
          state,
        )}
        <button class="quiet">${admin.search}</button>
      </form>
      <h2>${admin.users}</h2>
      ${rowList(accounts.map((one) => userRow(call, one)), admin.none)}
      ${nextLink(call, href, { search, role, after: next })}
    `,
  );
}

function userRow(
  { messages: { admin }, services: { adminRoutes } }: PageCall,
  account: StoredAccount,
): Markup {
  const { createdAt, disabled, email, emailVerified, id, name, role } = account;
  const facts = [
    role,
    admin.since(dayOf(createdAt)),
    ...emailVerified ? [] : [admin.unverified],
    ...disabled === null ? [] : [blockOf(admin, disabled)],
  ];
  const href = adminRoutes.user.index.href({ user: id });
  return html`
    <li>
      <div>
        <strong><bdi>${name}</bdi></strong>
        <p>${email}</p>
        <p class="hint">${facts.join(" · ")}</p>
      </div>
      ${rowLink(href, admin.view, admin.viewNamed(name))}
    </li>
  `;
}

/** Creates the page of an account that does not exist. */
export function unknownView(call: PageCall): View {
  const { admin } = call.messages;
  const view = adminView(call, admin.unknown, html``);
  return { ...view, status: 404 };
}

/** Creates the page of an account. */
export function userView(
  call: PageCall,
  state: FormState,
  { account, entries }: {
    readonly account: StoredAccount;
    readonly entries: readonly AuditEntry[];
  },
): View {
  const { messages, services: { adminRoutes } } = call;
  const { admin } = messages;
  const { createdAt, deleteAt, disabled, email, id, name } = account;
  const log = adminRoutes.audit.href({}, { of: id });
  return adminView(
    call,
    name,
    html`
      ${errorSummary(messages, state)}
      <p>${email}${!account.emailVerified && ` · ${admin.unverified}`}</p>
      <p class="hint">${admin.id}: <code>${id}</code></p>
      <p class="hint">${admin.since(dayOf(createdAt))}</p>
      ${disabled !== null && html`<p>${blockOf(admin, disabled)}</p>`}
      ${deleteAt !== null && html`<p>${admin.isLeaving(dayOf(deleteAt))}</p>`}
      ${accessForms(call, state, account)}
      ${sensitiveForms(call, state, account)}
      <h2>${admin.audit}</h2>
      ${entryList(call, entries, new Map([[id, email]]))}
      <p><a href="${log}">${admin.audit}</a></p>
    `,
  );
}

function accessForms(
  call: PageCall,
  state: FormState,
  account: StoredAccount,
): Markup {
  const { messages: { admin }, services: { names } } = call;
  const values = { role: account.role, ...state.values };
  const roles = names.roles ?? DEFAULT_ROLES;
  const role = select({ name: "role", label: admin.role }, roles, {
    ...state,
    values,
  });
  const button = html`<button class="quiet">${admin.changeRole}</button>`;
  const end = html`<button class="danger">${admin.endAccess}</button>`;
  const factors = html`<button class="danger">${admin.factors}</button>`;
  return html`
    <h2>${admin.role}</h2>
    ${change(call, account, "role", html`${role}${button}`)}
    ${blockForms(call, state, account)}
    <h2>${admin.endAccess}</h2>
    <p>${admin.endAccessText}</p>
    ${change(call, account, "end-access", end)}
    <h2>${admin.factors}</h2>
    <p>${admin.factorsText}</p>
    ${change(call, account, "remove-factors", factors)}
  `;
}

function blockForms(
  call: PageCall,
  state: FormState,
  account: StoredAccount,
): Markup {
  const { admin } = call.messages;
  const until = field({
    name: "until",
    label: admin.until,
    type: "date",
    hint: admin.untilHint,
    autocomplete: "off",
    isOptional: true,
  }, state);
  const reason = reasonField(admin.reason, "reason", state);
  const block = html`<button class="danger">${admin.block}</button>`;
  const unblock = html`<p><button class="quiet">${admin.unblock}</button></p>`;
  return html`
    <h2>${admin.block}</h2>
    <p>${admin.blockText}</p>
    ${account.disabled !== null && change(call, account, "enable", unblock)}
    ${change(call, account, "disable", html`${reason}${until}${block}`)}
  `;
}

function sensitiveForms(
  call: PageCall,
  state: FormState,
  account: StoredAccount,
): Markup {
  const { messages: { admin, email: label } } = call;
  return html`
    <h2>${admin.act}</h2>
    <p>${admin.actText}</p>
    ${change(
      call,
      account,
      "act",
      html`
        ${reasonField(admin.reason, "actReason", state)}
        <button class="quiet">${admin.act}</button>
      `,
    )}
    <h2>${admin.remove}</h2>
    <p>${admin.removeText}</p>
    ${change(
      call,
      account,
      "remove",
      html`
        ${emailField(label, "off", state)}
        <button class="danger">${admin.remove}</button>
      `,
    )}
  `;
}

function reasonField(label: string, name: string, state: FormState): Markup {
  return field({ name, label, autocomplete: "off" }, state);
}

/** Creates a form that changes an account. */
function change(
  { services: { adminRoutes } }: PageCall,
  { id }: StoredAccount,
  action: string,
  content: Markup,
): Markup {
  return html`
    <form method="post" novalidate
      action="${adminRoutes.user.action.href({ user: id })}">
      <input type="hidden" name="do" value="${action}">
      ${content}
    </form>
  `;
}

/** Creates the page of the audit log. */
export function auditView(call: PageCall, page: ListedEntries): View {
  const { messages: { admin }, services: { adminRoutes } } = call;
  const { action, entries, names, next, of } = page;
  const href = adminRoutes.audit.href();
  const file = withSearch(adminRoutes.auditCSV.href(), { of, action });
  const state = { values: { of: of ?? "", action: action ?? "" } };
  return adminView(
    call,
    admin.audit,
    html`
      <form method="get" action="${href}">
        ${field({
          name: "of",
          label: admin.auditOf,
          autocomplete: "off",
          isOptional: true,
        }, state)}
        ${select(
          { name: "action", label: admin.action },
          [["", admin.any], ...AUDIT_ACTIONS],
          state,
        )}
        <button class="quiet">${admin.filter}</button>
      </form>
      <h2>${admin.audit}</h2>
      ${entryList(call, entries, names)}
      ${nextLink(call, href, { of, action, after: next })}
      <p><a href="${file}">${admin.download}</a></p>
    `,
  );
}

function entryList(
  { messages: { admin }, services: { adminRoutes } }: PageCall,
  entries: readonly AuditEntry[],
  names: ReadonlyMap<string, string>,
): Markup {
  if (entries.length === 0) return html`<p class="hint">${admin.auditNone}</p>`;
  const link = (id: string) =>
    html`
      <a href="${adminRoutes.user.index.href({ user: id })}">${names.get(id) ??
        id}</a>
    `;
  return html`
    <ul class="rows">${entries.map(({ action, actorId, at, reason, userId }) =>
      html`
        <li>
          <div>
            <strong>${action}</strong> ${reason}
            <p class="hint">${link(actorId)}${userId !== actorId &&
              html`
                → ${link(userId)}
              `}</p>
            <p class="hint"><time>${new Date(at).toISOString().slice(0, 19)
              .replace("T", " ")} UTC</time></p>
          </div>
        </li>
      `
    )}</ul>
  `;
}

function nextLink(
  { messages: { admin } }: PageCall,
  href: string,
  search: Readonly<Record<string, string | undefined>>,
): Markup | false {
  return search.after !== undefined && html`
    <p><a class="button quiet" href="${withSearch(href, search)}">${admin
      .more}</a></p>
  `;
}

function withSearch(
  href: string,
  search: Readonly<Record<string, string | undefined>>,
): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined) params.set(name, value);
  }
  return params.size === 0 ? href : `${href}?${params}`;
}

function blockOf(
  admin: PageCall["messages"]["admin"],
  { reason, until }: NonNullable<StoredAccount["disabled"]>,
): string {
  return admin.isBlocked(reason, until === null ? null : dayOf(until));
}
