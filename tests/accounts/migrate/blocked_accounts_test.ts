/** Imports of blocked accounts that are interrupted. */
import { assertEquals } from "@std/assert";
import {
  importAccounts,
  type ImportedAccount,
} from "@gatehouse/web/accounts/migrate";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { slow } from "./_slow_store.ts";

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

/** Creates a store whose database fails at one of its calls, and after it. */
function failingAt(place: number, store: AccountStore): AccountStore {
  let calls = 0;
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        ++calls < place
          ? value.apply(target, args)
          : Promise.reject(new Error("The database is down"));
    },
  });
}

Deno.test("an import that is interrupted at any call opens no blocked account, and continues", async () => {
  const secrets = ["32 random characters of the test"];
  const places: unknown[] = [];
  while (true) {
    const store = createMemoryAccountStore();
    const failing = failingAt(places.length + 1, store);
    const first = importAccounts([BLOCKED], { store: failing, secrets });
    const isComplete = await first.then(() => true, () => false);
    if (isComplete) break;
    const account = await store.find("7");
    places.push(account && [account.disabled, account.version]);
    const { created, existing } = await importAccounts([BLOCKED], {
      store,
      secrets,
    });
    assertEquals(created + existing, 1);
    assertEquals((await store.find("7"))?.disabled, BLOCKED.disabled);
    assertEquals((await store.waysIn("7")).length, 2);
    const last = await importAccounts([BLOCKED], { store, secrets });
    assertEquals([last.existing, last.logins], [1, 0]);
  }
  const blocked = [BLOCKED.disabled, 1];
  assertEquals([places.at(0), places.at(-1)], [null, blocked]);
  for (const place of places) if (place !== null) assertEquals(place, blocked);
});

Deno.test("an import changes no blocked account whose owner or administrator has changed it", async () => {
  const store = createMemoryAccountStore();
  await importAccounts([{ ...BLOCKED, logins: [] }], { store });
  await store.change("7", 1, { disabled: null });
  const report = await importAccounts([BLOCKED], { store });
  assertEquals([report.existing, report.logins], [1, 0]);
  assertEquals((await store.find("7"))?.disabled, null);
});

Deno.test("an account that the old system has blocked later is blocked, with its logins", async () => {
  const store = createMemoryAccountStore();
  await importAccounts([{ ...BLOCKED, disabled: null, logins: [] }], { store });
  const report = await importAccounts([BLOCKED], {
    store: slow(store),
  });
  assertEquals([report.existing, report.logins], [1, 2]);
  assertEquals((await store.find("7"))?.disabled, BLOCKED.disabled);
});
