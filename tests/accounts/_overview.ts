import { assertEquals } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createMemoryApps } from "./_apps.ts";
import { type Browser, exampleProviders, startAccounts } from "./_accounts.ts";

export const email = "ada@example.com";

export const all = defineAccounts({
  scopes: ["notes:read"],
  teamRoles: ["owner", "reader"],
});

export async function start(options: Parameters<typeof startAccounts>[0] = {}) {
  const database = createMemoryAccountStore();
  const app = startAccounts({ database, ...options });
  const ada = await app.registered();
  const { id } = (await app.accounts.users.findByEmail(email))!;
  return { ...app, ada, database, id };
}

/** Starts accounts with every feature. */
export async function startAll() {
  const app = await start({
    definition: all as never,
    providers: exampleProviders(),
  });
  const apps = createMemoryApps();
  app.accounts.connect(apps);
  return { ...app, apps };
}

export async function read(browser: Browser, path: string): Promise<string> {
  const response = await browser.get(path);
  assertEquals(response.status, 200, path);
  return await response.text();
}
