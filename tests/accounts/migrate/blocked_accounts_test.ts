/** Imports of blocked accounts that are interrupted. */
import { assertEquals, assertRejects } from "@std/assert";
import {
  importAccounts,
  type ImportedAccount,
} from "@gatehouse/web/accounts/migrate";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";

const BLOCKED: ImportedAccount = {
  id: "7",
  email: "eve@example.com",
  createdAt: 1_700_000_000_000,
  disabled: { reason: "spam", until: null },
  logins: [
    { provider: "github", issuer: "https://github.com", subject: "1" },
    { provider: "google", issuer: "https://accounts.google.com", subject: "2" },
  ],
};

/** Creates a store that adds no way to log in, because the database fails. */
function failing(store: AccountStore): AccountStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === "addWayIn") {
        return () => Promise.reject(new Error("The database is down"));
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

Deno.test("an interrupted import leaves a blocked account blocked, and continues", async () => {
  const store = createMemoryAccountStore();
  await assertRejects(() =>
    importAccounts([BLOCKED], { store: failing(store) })
  );
  assertEquals((await store.find("7"))?.disabled, BLOCKED.disabled);
  const next = await importAccounts([BLOCKED], { store });
  assertEquals([next.existing, next.logins], [1, 2]);
  assertEquals((await store.find("7"))?.disabled, BLOCKED.disabled);
  const last = await importAccounts([BLOCKED], { store });
  assertEquals([last.existing, last.logins], [1, 0]);
});

Deno.test("an import changes no blocked account whose owner or administrator has changed it", async () => {
  const store = createMemoryAccountStore();
  await importAccounts([{ ...BLOCKED, logins: [] }], { store });
  await store.change("7", 2, { disabled: null });
  const report = await importAccounts([BLOCKED], { store });
  assertEquals([report.existing, report.logins], [1, 0]);
  assertEquals((await store.find("7"))?.disabled, null);
});

Deno.test("an account that the old system has blocked later is blocked, with its logins", async () => {
  const store = createMemoryAccountStore();
  await importAccounts([{ ...BLOCKED, disabled: null, logins: [] }], { store });
  const report = await importAccounts([BLOCKED], { store });
  assertEquals([report.existing, report.logins], [1, 2]);
  assertEquals((await store.find("7"))?.disabled, BLOCKED.disabled);
});
