import { assertEquals } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import type { AccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { Auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { Browser } from "../_accounts.ts";

export const definition = defineAccounts({
  roles: ["user", "admin"],
  scopes: ["notes:read", "notes:write"],
});

export const email = "ada@example.com";

/** Starts an application with routes for keys, and a user who is logged in. */
export async function start(
  options: { perMinute?: number; database?: AccountStore },
) {
  const { perMinute, database } = options;
  const accounts = testAccounts({
    definition,
    ...database && { database },
    apiKeys: { prefix: "acme", ...perMinute !== undefined && { perMinute } },
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.get("/notes", accounts.requireScope("notes:read"), (context) => {
    const { id, scopes } = context.get(Auth);
    // @ts-expect-error The scope does not exist.
    assertEquals(scopes.includes("notes:burn"), false);
    return Response.json({ id, scopes });
  });
  router.post(
    "/notes",
    accounts.requireScope("notes:write"),
    () => new Response("written"),
  );
  router.get("/", accounts.requireUser, () => new Response("home"));
  router.get("/anyone", (context) => Response.json(context.get(Auth)));
  router.get(
    "/staff",
    [accounts.requireScope("notes:read"), accounts.requireRole("admin")],
    () => new Response("staff"),
  );
  router.get("/admin", accounts.requireRole("admin"), () => new Response());
  const user = (await accounts.users.create({ email, name: "Ada" }))!;
  const client = createTestClient(router, { remoteAddress: "192.0.2.1" });
  await accounts.logInTest(client, user.id);
  const ada = new Browser(client, {});
  /** Sends a request with a key, and no cookie. */
  const call = (token: string, path = "/notes", method = "GET") =>
    router.fetch(
      new Request(`https://test.example${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: "application/json",
        },
      }),
    );
  return { accounts, ada, call, router, user };
}

export const KEY = { name: "Reports", scopes: ["notes:read"] } as const;
