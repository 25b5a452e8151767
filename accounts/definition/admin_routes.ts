import { form, get, post, type Route, route } from "../../router/routes/mod.ts";
import type { AccountPaths } from "./names.ts";
import type { PageRoutes } from "./routes.ts";

/** The routes of the pages for administrators. */
export type AdminRoutes = {
  /** The accounts, with a search. */
  readonly users: Route<"GET", "/admin">;
  /** An account; `action` changes it. */
  readonly user: PageRoutes<"/admin/users/:user">;
  /** The invitations to register; `action` invites, or withdraws one. */
  readonly invitations: PageRoutes<"/admin/invitations">;
  /** The audit log. */
  readonly audit: Route<"GET", "/admin/audit">;
  /** The audit log as CSV. */
  readonly auditCSV: Route<"GET", "/admin/audit.csv">;
  /** The end of acting as another user. */
  readonly stopActing: Route<"POST", "/admin/stop-acting">;
};

/** Creates the routes of the pages for administrators. */
export function createAdminRoutes(
  { admin = "/admin" }: AccountPaths = {},
): AdminRoutes {
  const routes = route({
    users: get(admin),
    user: form(`${admin}/users/:user`),
    invitations: form(`${admin}/invitations`),
    audit: get(`${admin}/audit`),
    auditCSV: get(`${admin}/audit.csv`),
    stopActing: post(`${admin}/stop-acting`),
  });
  return routes as unknown as AdminRoutes;
}
