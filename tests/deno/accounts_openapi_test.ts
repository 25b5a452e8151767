/** The OpenAPI document of the account pages passes the checks of other tools. */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { describeAccounts } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import type { InputSchema } from "@gatehouse/web/middleware";
import type { Operation } from "@gatehouse/web/fetch-router/routes";
import { openapi } from "@gatehouse/web/openapi";
import { createTestClient } from "@gatehouse/web/testing";
import { checkDocument } from "./_openapi_document.ts";

const accounts = testAccounts({
  definition: defineAccounts({
    scopes: ["notes:read"],
    teamRoles: ["owner", "reader"],
  }),
});
const router = createRouter({ middleware: accounts.middleware });
const routes = describeAccounts(accounts.routes);
router.map(routes, accounts.controller);
router.map(describeAccounts(accounts.adminRoutes), accounts.adminController);
const options = {
  info: { title: "Invoices", version: "1.0.0" },
  servers: [{ url: "https://test.example" }],
};
const { document, omissions } = openapi(router, options);

Deno.test("the OpenAPI document of the account pages is valid, and lints without errors", async () => {
  const plain = createRouter({ middleware: accounts.middleware });
  plain.map(accounts.routes, accounts.controller);
  plain.map(accounts.adminRoutes, accounts.adminController);
  for (const result of [{ document, omissions }, openapi(plain, options)]) {
    assertEquals(result.omissions, []);
    assertGreater(Object.keys(result.document.paths).length, 50);
    await checkDocument(JSON.stringify(result.document));
  }
});

Deno.test("describeAccounts() describes every route, and keeps its path", () => {
  const plain = createRouter();
  plain.map(accounts.routes, accounts.controller);
  plain.map(accounts.adminRoutes, accounts.adminController);
  const before = openapi(plain, options).document.paths;
  assertEquals(Object.keys(document.paths), Object.keys(before));
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const title = `${method} ${path}`;
      assertEquals(
        /^[A-Z][a-z]+s /.test(String(operation.summary)),
        true,
        title,
      );
      const responses = Object(operation.responses);
      assert("200" in responses, title);
      assertEquals(operation.operationId, before[path]![method]!.operationId);
    }
  }
});

Deno.test("describeAccounts() describes the inputs that the actions of a user take, and their results", async () => {
  const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
  const send = async (
    route: { href(): string; operation: object },
    values: Record<string, unknown>,
  ) => {
    const { json, responses } = route.operation as Operation;
    // A misspelled input of the description would not validate these values.
    if (json !== undefined) {
      const checked = await json["~standard"].validate(values);
      assertEquals(checked.issues, undefined, route.href());
      const { value } = checked as { value: unknown };
      assertEquals(value, values as unknown, route.href());
    }
    const response = await client.fetch(route.href(), {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
      },
      body: JSON.stringify(values),
    });
    const body = await response.json();
    assertEquals(response.status, 200, JSON.stringify(body));
    const declared = responses![200] as InputSchema;
    const result = await declared["~standard"].validate(body);
    assertEquals(result.issues, undefined, JSON.stringify(body));
    return body;
  };
  const email = "ada@example.com";
  const password = "correct horse battery";
  const code = () => /^\d{6}$/m.exec(accounts.mails.at(-1)!.text)![0];
  await send(routes.register.action, { name: "Ada", email, password });
  await send(routes.registerCode.action, { code: code() });
  await send(routes.profile.action, { name: "Ada", fields: {} });
  await send(routes.keys.action, {
    name: "Report",
    scopes: ["notes:read"],
    days: "never",
  });
  await send(routes.teams.action, { name: "Engines" });
  await send(routes.sessions.action, {});
  await send(routes.confirm.action, { password });
  await send(routes.password.action, { password: "another horse battery" });
  await send(routes.logout, {});
  await send(routes.emailLogin.action, { email });
  await send(routes.emailLoginCode.action, { code: code() });
  await send(routes.remove.action, {});
  await send(routes.login.action, {
    email,
    password: "another horse battery",
    remember: true,
  });
});

Deno.test("the OpenAPI document of the account pages has a body, and a response to errors in it, for each action with inputs and only for these", () => {
  const described = ["/login", "/login/out", "/account/delete"].map((path) => {
    const { requestBody, responses } = document.paths[path]!.post!;
    return [requestBody !== undefined, 422 in Object(responses)];
  });
  assertEquals(described, [[true, true], [false, false], [false, false]]);
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
