import { Auth, requireRole } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import {
  HTTPError,
  redirect,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { reportSecurityEvent } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import { ROLES, type User } from "../data/users.ts";
import { endSessionsAndTokens, unlessChanged } from "../end_access.ts";
import { method } from "../pages/form_fields.ts";
import { page } from "../pages/layout.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";
import { requireConfirmation } from "./confirmation.ts";

/** The users on one page. */
const PAGE_SIZE = 50;

const guards = [requireLogin, requireRole("admin")] as const;

/** Adds the page on which admins change roles and end sessions. */
export function addAdmin(router: AppRouter, services: Services): void {
  const { users } = services;
  const confirmation = requireConfirmation(
    services,
    routes.admin.users.index.href(),
  );

  router.map(routes.admin.users, {
    middleware: guards,
    actions: {
      async index(context) {
        const pages = Math.max(1, Math.ceil(await users.count() / PAGE_SIZE));
        const number = Math.min(pageNumber(context), pages);
        const offset = (number - 1) * PAGE_SIZE;
        const list = await users.list({ limit: PAGE_SIZE, offset });
        return adminPage(context, {
          list,
          ownId: context.get(Auth).id,
          number,
          pages,
        });
      },
      update: {
        middleware: [confirmation],
        async handler(context) {
          const { id } = context.get(Auth);
          const user = await users.find(Number(context.params.id));
          const wanted = context.get(FormData).get("role");
          const role = ROLES.find((role) => role === wanted);
          if (user === null) throw new HTTPError(404);
          // Admins cannot change their own role, so one always remains.
          if (role === undefined || user.id === id) {
            throw new HTTPError(400);
          }
          if (!await users.setRole(user.id, role, id)) {
            throw new HTTPError(403);
          }
          reportSecurityEvent(context, {
            action: "role-change",
            reason: role,
            userId: id,
            targetId: user.id,
          });
          return done(context, `${user.name} is now ${role}`);
        },
      },
    },
  });

  router.delete(
    routes.admin.endSessions,
    { middleware: [...guards, confirmation] },
    async (context) => {
      const user = await users.find(Number(context.params.id));
      if (user === null) throw new HTTPError(404);
      const end = (user: User) => users.endAccess(user);
      const version = await unlessChanged(users, user.id, end);
      if (version === null) {
        return done(context, `${user.name} is not logged out. Try again`);
      }
      const access = { userId: user.id, version };
      await endSessionsAndTokens(services, context, access);
      return done(
        context,
        `${user.name} is logged out everywhere, and their access tokens are revoked`,
      );
    },
  );
}

function done(context: RequestContext, message: string): Response {
  context.get(Session).flash("message", message);
  return redirect(pageLink(pageNumber(context)));
}

/** Returns the number of the page in the query: 1 if it has no valid one. */
function pageNumber({ url }: RequestContext): number {
  const page = url.searchParams.get("page") ?? "";
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}

/** Returns the search of a link that stays on a page: none for the first. */
function pageSearch(number: number): { readonly page: number } | undefined {
  return number === 1 ? undefined : { page: number };
}

function pageLink(number: number): string {
  return routes.admin.users.index.href({}, pageSearch(number));
}

interface UserPage {
  readonly list: readonly User[];
  readonly ownId: number;
  /** The number of this page, from 1. */
  readonly number: number;
  /** The number of all pages. */
  readonly pages: number;
}

function adminPage(
  context: RequestContext,
  { list, ownId, number, pages }: UserPage,
): Response {
  return page(context, {
    title: "Admin",
    content: html`
      <h1>Users</h1>
      <ul class="rows">
        ${list.map((user) => row(user, user.id === ownId, number))}
      </ul>
      ${pages > 1 && pageLinks(number, pages)}
      <p><a href="${routes.admin.audit.href()}">Audit log</a></p>
    `,
  });
}

function pageLinks(number: number, pages: number): Markup {
  return html`
    <nav aria-label="Pages of users">
      <p class="actions">
        ${number > 1 &&
          html`
            <a href="${pageLink(number - 1)}" rel="prev">Previous page</a>
          `}
        <span>Page ${number} of ${pages}</span>
        ${number < pages &&
          html`
            <a href="${pageLink(number + 1)}" rel="next">Next page</a>
          `}
      </p>
    </nav>
  `;
}

function row(user: User, isOwn: boolean, pageNumber: number): Markup {
  const { id, name, email, role, createdAt } = user;
  const search = pageSearch(pageNumber);
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        <span class="badge">${isOwn ? "you" : role}</span>
        <p class="meta">
          ${email ?? "No email"}, member since ${time(createdAt)}
        </p>
      </div>
      ${!isOwn && html`
        <div class="actions">
          <form class="inline" method="post" action="${routes.admin.users.update
            .href({ id }, search)}">
            ${method("PUT")}
            <select name="role" aria-label="Role of ${name}">
              ${ROLES.map((option) =>
                html`
                  <option${option === role && html`
                    selected
                  `}>${option}</option>
                `
              )}
            </select>
            <button class="quiet" aria-label="Save the role of ${name}">
              Save
            </button>
          </form>
          <form method="post" action="${routes.admin.endSessions.href(
            { id },
            search,
          )}">
            ${method("DELETE")}
            <button class="danger" aria-label="Log out ${name} everywhere">
              Log out
            </button>
          </form>
        </div>
      `}
    </li>
  `;
}
