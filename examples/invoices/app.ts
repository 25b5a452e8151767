/** The product: its API, two pages, and the account area. */
import type { DatabaseSync } from "node:sqlite";
import {
  Auth,
  bodyLimit,
  createRouter,
  html,
  logger,
  respond,
  secureHeaders,
  validate,
  ValidJSON,
  ValidQuery,
} from "@gatehouse/web";
import { describeAccounts, Member } from "@gatehouse/web/accounts";
import { htmlResponse } from "@gatehouse/web/content";
import { openapi, openapiPage } from "@gatehouse/web/openapi";
import { createInvoiceAccounts, type Settings } from "./accounts.ts";
import { Invoice, NewInvoice, routes } from "./routes.ts";
import { InvoiceStore } from "./store.ts";

const RECEIPT_BYTES = 2_000_000;
/** The first bytes of each type of receipt. */
const TYPES = new Map([
  ["application/pdf", [0x25, 0x50, 0x44, 0x46]],
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
]);

/** Creates the product on a database. */
export async function createApp(db: DatabaseSync, settings: Settings) {
  const accounts = createInvoiceAccounts(db, settings);
  await accounts.migrate();
  const invoices = new InvoiceStore(db);

  const router = createRouter({
    middleware: [logger(), secureHeaders(), ...accounts.middleware],
  });
  router.map(describeAccounts(accounts.routes), accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);

  const { requireMember, requireScope, requireUser } = accounts;
  const canRead = requireScope("invoices:read");
  const canWrite = requireScope("invoices:write");
  const member = requireMember(({ params }) => params.team);
  const editor = requireMember(
    ({ params }) => params.team,
    "owner",
    "accountant",
  );
  const owner = requireMember(({ params }) => params.team, "owner");

  const { create, index, receipt, remove, show, upload } = routes.invoices;
  router.get(index, [canRead, member, validate(index)], (context) => {
    const { teamId } = context.get(Member);
    return respond(
      index,
      200,
      invoices.list(teamId, context.get(ValidQuery).page),
    );
  });
  router.post(create, [canWrite, editor, validate(create)], (context) => {
    const { teamId } = context.get(Member);
    const user = context.get(Auth).id;
    const invoice = invoices.create(teamId, user, context.get(ValidJSON));
    return invoice === null
      ? context.createErrorResponse({ status: 409 })
      : respond(create, 201, invoice);
  });
  router.get(show, [canRead, member], (context) => {
    const { teamId } = context.get(Member);
    const invoice = invoices.find(teamId, context.params.id);
    return invoice === null
      ? context.createErrorResponse({ status: 404 })
      : respond(show, 200, invoice);
  });
  router.delete(remove, [canWrite, owner], (context) => {
    return invoices.remove(context.get(Member).teamId, context.params.id)
      ? respond(remove, 204)
      : context.createErrorResponse({ status: 404 });
  });
  const limit = bodyLimit({ maxBytes: RECEIPT_BYTES });
  router.put(upload, [canWrite, editor, limit], async (context) => {
    const type = context.request.headers.get("Content-Type") ?? "";
    const bytes = new Uint8Array(await context.request.arrayBuffer());
    if (!TYPES.get(type)?.every((byte, index) => bytes[index] === byte)) {
      return context.createErrorResponse({ status: 415 });
    }
    const { teamId } = context.get(Member);
    const { id } = context.params;
    if (invoices.find(teamId, id) === null) {
      return context.createErrorResponse({ status: 404 });
    }
    return invoices.attach(teamId, id, type, bytes)
      ? respond(upload, 204)
      : context.createErrorResponse({ status: 409 });
  });
  router.get(receipt, [canRead, member], (context) => {
    const file = invoices.receipt(
      context.get(Member).teamId,
      context.params.id,
    );
    if (file === null) return context.createErrorResponse({ status: 404 });
    return new Response(file.bytes, {
      headers: {
        "Content-Type": file.type,
        // Otherwise a file could run as one of these pages.
        "Content-Disposition": "attachment",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
      },
    });
  });

  router.get("/", requireUser, async (context) => {
    const teams = await accounts.teams.list(context.get(Auth).id);
    return page(
      "Your teams",
      html`
        <ul>${teams.map(({ teamId, teamName }) =>
          html`<li><a href="/teams/${teamId}/invoices">${teamName}</a></li>`
        )}</ul>
      `,
    );
  });
  router.get("/teams/:team/invoices", [requireUser, member], (context) => {
    const { teamId, teamName } = context.get(Member);
    return page(
      teamName,
      html`
        <ul>${invoices.list(teamId, 1).map(({ cents, customer, due }) =>
          html`<li>${due} ${customer}: ${(cents / 100).toFixed(2)}</li>`
        )}</ul>
      `,
    );
  });

  const { document } = openapi(router, {
    info: { title: "Invoices", version: "1.0.0" },
    servers: [{ url: settings.origin }],
    schemas: { Invoice, NewInvoice },
    include: ({ name }) => name.startsWith("invoices."),
  });
  router.get("/openapi.json", () => Response.json(document));
  router.get("/docs", openapiPage({ document: "/openapi.json" }));
  return { router, accounts };
}

function page(title: string, content: ReturnType<typeof html>): Response {
  return htmlResponse(html`
    <html lang="en">
      <head>
        <title>${title}</title>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
        <p><a href="/teams">Teams</a> <a href="/account">Account</a>
          <a href="/docs">API</a></p>
      </body>
    </html>
  `);
}
