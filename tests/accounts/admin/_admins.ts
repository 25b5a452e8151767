import type { AccountsOptions } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { Actor, Auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { Browser } from "../_accounts.ts";

export const DAY = 86_400_000;

/** Starts accounts with the pages for administrators, Root and Ada. */
export async function start(options: Partial<AccountsOptions> = {}) {
  const store = createMemoryAccountStore();
  const accounts = testAccounts({ database: store, ...options });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  router.get("/", (context) =>
    Response.json({
      user: context.get(Auth)?.id ?? null,
      actor: context.get(Actor)?.id ?? null,
    }));
  const create = async (name: string, role: string) =>
    (await accounts.users.create({
      email: `${name.toLowerCase()}@example.com`,
      name,
      role: role as "user",
      emailVerified: true,
    }))!.id;
  const logIn = async (id: string) => {
    const client: TestClient = createTestClient(router);
    await accounts.logInTest(client, id);
    return new Browser(client, {});
  };
  const rootId = await create("Root", "admin");
  const adaId = await create("Ada", "user");
  const log = async (of?: string) =>
    (await store.audit.list({ of })).entries
      .map(({ action, reason }) => reason ? `${action}: ${reason}` : action);
  return {
    accounts,
    adaId,
    create,
    log,
    logIn,
    root: await logIn(rootId),
    rootId,
    router,
    store,
  };
}
