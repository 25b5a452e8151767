import { assertEquals } from "@std/assert";
import { describeAccounts } from "@gatehouse/web/accounts";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { openapi } from "@gatehouse/web/openapi";

/** Describes the operations of all routes, without the security of the guards. */
function start() {
  const accounts = testAccounts();
  const router = createRouter();
  const { adminController, adminRoutes, controller, routes } = accounts;
  router.map(describeAccounts(routes), controller);
  router.map(describeAccounts(adminRoutes), adminController);
  const info = { title: "Invoices", version: "1.0.0" };
  return openapi(router, { info }).document.paths;
}

/** An input of a request body in JSON. */
interface Body {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

const rows: [operation: string, responses: string, inputs?: string][] = [
  ["get /login", "200 text/html"],
  [
    "post /login",
    "200 application/json, 422, 429",
    "email password remember?",
  ],
  ["post /login/out", "200 application/json"],
  ["post /login/passkey/options", "200 application/json"],
  ["post /login/reset", "200 application/json, 422, 429", "email"],
  ["post /login/email/link", "200 application/json, 422", "token"],
  ["get /account", "200 text/html"],
  ["post /account", "200 application/json, 422", "name fields?"],
  ["get /account/data", "200 text/html"],
  ["post /account/data", "200 application/json, 429"],
  ["get /account/session", "200 application/json"],
  [
    "post /account/keys",
    "200 application/json, 422",
    "name scopes days? team?",
  ],
  ["post /account/sessions", "200 application/json, 422", "id?"],
  ["post /account/passkeys", "200 application/json, 422, 429", "name passkey"],
  ["get /admin/audit.csv", "200 text/csv"],
  ["post /admin/stop-acting", "200 application/json"],
];

for (const [title, responses, inputs] of rows) {
  Deno.test(`describeAccounts() describes ${title}`, () => {
    const [method = "", path = ""] = title.split(" ");
    const operation = start()[path]![method]!;
    const shown = Object.entries(Object(operation.responses))
      .map(([status, response]) => {
        const [type = ""] = Object.keys(Object(response).content ?? {});
        return status === "200" ? `${status} ${type}` : status;
      });
    assertEquals(
      shown.filter((one) => /^(200|422|429)/.test(one)).join(", "),
      responses,
    );
    const body = Object(operation.requestBody).content?.["application/json"]
      ?.schema as Body | undefined;
    const names = body &&
      Object.keys(body.properties).map((name) =>
        body.required?.includes(name) ? name : `${name}?`
      ).join(" ");
    assertEquals(names, inputs);
  });
}

Deno.test("describeAccounts() describes inputs that are not strings, and the result", () => {
  const paths = start();
  const schemaOf = (path: string, name: string) => {
    const { content } = Object(paths[path]!.post!.requestBody);
    return content["application/json"].schema.properties[name];
  };
  const result = Object(paths["/login"]!.post!.responses)[200]
    .content["application/json"].schema;
  assertEquals(
    {
      remember: schemaOf("/login", "remember"),
      scopes: schemaOf("/account/keys", "scopes"),
      email: schemaOf("/login", "email"),
      result: Object.keys(result.properties),
    },
    {
      remember: { type: "boolean" },
      scopes: { type: "array", items: { type: "string" } },
      email: { type: "string" },
      result: ["next", "location"],
    },
  );
});
