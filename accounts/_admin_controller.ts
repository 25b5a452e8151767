import { formData, secureHeaders } from "../router/middleware/mod.ts";
import { HTTPError } from "../router/internal.ts";
import type { Controller, RequestContext } from "../router/mod.ts";
import { Answers, LIMITS, noStore, type ViewCall } from "./_answer.ts";
import { type ControllerParts, policyOf } from "./_controller.ts";
import type { Services } from "./actions/services.ts";
import type { AdminRoutes } from "./definition/admin_routes.ts";
import { createRequireRole, onlyIf, requireBrowser } from "./guards.ts";
import {
  auditView,
  unknownView,
  usersView,
  userView,
} from "./pages/admin_pages.ts";
import type { FormState } from "./pages/fields.ts";
import { invitationsView } from "./pages/invitation_pages.ts";
import type { View } from "./pages/page.ts";
import type { AuditListOptions } from "./store/audit.ts";
import type { StoredAccount } from "./store/store.ts";
import { toRecord } from "./users.ts";
import { changeUser, endActing, namedUser } from "./admin/actions.ts";
import { changeInvitations } from "./invitations/changes.ts";
import { csvRow } from "./admin/csv.ts";

/** The maximum number of entries in a CSV file, and in one statement. */
const CSV = { most: 10_000, page: 1_000 };

/** Creates the controller of the pages for administrators. */
export function createAdminController(
  parts: ControllerParts,
): Controller<AdminRoutes> {
  const { fresh, layout, ready, requireUser, settings } = parts;
  const { adminRole } = settings;
  const policy = policyOf(parts.policy);
  const answers = new Answers(ready, { layout, scriptPolicy: policy });
  const middleware = adminRole === undefined ? [onlyIf(false)] : [
    requireUser,
    // Others get a 403, not a page that asks for their password.
    createRequireRole(settings)(adminRole),
    ...fresh,
  ];
  const isOpen = onlyIf(settings.registration !== "closed");
  return {
    middleware: [
      secureHeaders({ contentSecurityPolicy: policy }),
      noStore,
      requireBrowser(),
      formData(LIMITS),
    ],
    actions: {
      users: { middleware, handler: answers.page(usersPage, usersJSON) },
      user: {
        middleware,
        actions: answers.form(userPage, changeUser, { json: userJSON }),
      },
      invitations: {
        middleware: [...middleware, isOpen],
        actions: invitationsActions(answers),
      },
      audit: { middleware, handler: answers.page(auditPage, readAudit) },
      auditCSV: { middleware, handler: answers.options(auditCSV) },
      // While an administrator acts, the other user is the user of the request.
      stopActing: answers.action(endActing),
    },
  };
}

async function readUsers({ context: { url }, services: { store } }: ViewCall) {
  const [search, role, after] = params(url, "search", "role", "after");
  return { ...await store.list({ search, role, after }), search, role };
}

async function usersPage(call: ViewCall): Promise<View> {
  return usersView(call, await readUsers(call));
}

async function usersJSON(call: ViewCall): Promise<object> {
  const { accounts, next } = await readUsers(call);
  return { users: accounts.map((account) => toRecord(account)), next };
}

async function userPage(call: ViewCall, state: FormState): Promise<View> {
  const account = await namedUser(call);
  if (account === null) return unknownView(call);
  const { audit } = call.services.store;
  const { entries } = await audit.list({ of: account.id, limit: 10 });
  return userView(call, state, { account, entries });
}

async function userJSON(call: ViewCall): Promise<object> {
  const account = await namedUser(call);
  if (account === null) throw new HTTPError(404);
  return { user: toRecord(account) };
}

function invitationsActions(answers: Answers) {
  const list = ({ services: { invitations } }: ViewCall) => invitations.list();
  return answers.form(
    async (call, state) => invitationsView(call, state, await list(call)),
    changeInvitations,
    { json: async (call) => ({ invitations: await list(call) }) },
  );
}

function auditOptions(url: URL): AuditListOptions {
  const [of, action, after] = params(url, "of", "action", "after");
  return { of, action, after };
}

async function readAudit({ context, services: { store } }: ViewCall) {
  return await store.audit.list(auditOptions(context.url));
}

async function auditPage(call: ViewCall): Promise<View> {
  const { context: { url }, services: { store } } = call;
  const page = await readAudit(call);
  const ids = new Set(
    page.entries.flatMap(({ actorId, userId }) => [actorId, userId]),
  );
  const found = await Promise.all([...ids].map((id) => store.find(id)));
  const accounts = found.filter((one): one is StoredAccount => one !== null);
  const names = new Map(accounts.map(({ id, email }) => [id, email]));
  return auditView(call, { ...page, ...auditOptions(url), names });
}

/** Responds with the entries that match the filter as CSV, at most 10,000. */
async function auditCSV(
  { url }: RequestContext,
  { store }: Services,
): Promise<Response> {
  let csv = csvRow(["time", "actor", "account", "action", "reason"]);
  let { after } = auditOptions(url);
  for (let count = 0; count < CSV.most; count += CSV.page) {
    const options = { ...auditOptions(url), after, limit: CSV.page };
    const { entries, next } = await store.audit.list(options);
    for (const { action, actorId, at, reason, userId } of entries) {
      const time = new Date(at).toISOString();
      csv += csvRow([time, actorId, userId, action, reason]);
    }
    if (next === undefined) break;
    after = next;
  }
  return new Response(csv, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="audit.csv"',
    },
  });
}

/** Returns search params, each `undefined` if it is missing or empty. */
function params(url: URL, ...names: string[]): (string | undefined)[] {
  return names.map((name) =>
    url.searchParams.get(name)?.trim().slice(0, 250) || undefined
  );
}
