/** The OpenAPI document of the account pages passes the checks of other tools. */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { openapi } from "@gatehouse/web/openapi";
import { checkDocument } from "./_openapi_document.ts";

const accounts = testAccounts({
  definition: defineAccounts({
    scopes: ["notes:read"],
    teamRoles: ["owner", "reader"],
  }),
});
const router = createRouter({ middleware: accounts.middleware });
router.map(accounts.routes, accounts.controller);
router.map(accounts.adminRoutes, accounts.adminController);
const { document, omissions } = openapi(router, {
  info: { title: "Invoices", version: "1.0.0" },
  servers: [{ url: "https://test.example" }],
});

Deno.test("the OpenAPI document of the account pages is valid, and lints without errors", async () => {
  assertEquals(omissions, []);
  assertGreater(Object.keys(document.paths).length, 50);
  await checkDocument(JSON.stringify(document));
});

Deno.test("the OpenAPI document of the account pages says which of them need a user", () => {
  const isOpen = (path: string) =>
    Object.values(document.paths[path]!).every(({ security }) =>
      security === undefined || (security as unknown[]).length === 0
    );
  for (const path of Object.keys(document.paths)) {
    if (path === "/account/session" || path === "/account/not-me") continue;
    if (/\.(?:css|js)$/.test(path) || path.endsWith("/email/link")) continue;
    if (path === "/admin/stop-acting") continue;
    const needsUser = /^\/(?:account|teams|admin)\b/.test(path);
    assertEquals(isOpen(path), !needsUser, path);
  }
  assert(isOpen("/login"));
});
