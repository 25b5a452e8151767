import { requireRole } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import type { AuditRecord } from "../data/audit_log.ts";
import { page } from "../pages/layout.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";

/** Adds the page on which admins read the audit log. */
export function addAudit(router: AppRouter, { audit }: Services): void {
  router.get(
    routes.admin.audit,
    { middleware: [requireLogin, requireRole("admin")] },
    async (context) => auditPage(context, await audit.list()),
  );
}

function auditPage(
  context: RequestContext,
  records: readonly AuditRecord[],
): Response {
  return page(context, {
    title: "Audit log",
    content: html`
      <h1>Audit log</h1>
      <p>
        Logins, failures and changes of accounts. Records are kept for 90 days.
      </p>
      <ul class="rows">${records.map(row)}</ul>
      ${records.length === 0 && html`<p>There are no records yet.</p>`}
      <p><a href="${routes.admin.users.index.href()}">Users</a></p>
    `,
  });
}

function row(record: AuditRecord): Markup {
  const { action, address, outcome, reason, target, user } = record;
  return html`
    <li>
      <div>
        <strong>${action}</strong>
        ${outcome === "failure" && html`<span class="badge">failure</span>`}
        <p class="meta">
          ${time(record.time)}, ${user ?? "unknown user"}${target !== null &&
            `, changed ${target}`}${reason !== null &&
            `, ${reason}`}${address !== null && `, from ${address}`}
        </p>
      </div>
    </li>
  `;
}
