import { assertEquals } from "@std/assert";
import { importAccounts } from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";

const NOW = Date.parse("2026-01-01T00:00:00Z");

Deno.test("importAccounts() refuses malformed accounts, and reports each", async () => {
  const store = createMemoryAccountStore();
  const base = { email: "ada@example.com", createdAt: NOW };
  const report = await importAccounts([
    { ...base, id: "1", role: "root" },
    { ...base, id: "2", email: " ADA@example.com " },
    { ...base, id: "3", email: null },
    { ...base, id: "4", email: "not an address" },
    { ...base, id: "", email: "b@example.com" },
    { ...base, id: "x".repeat(201), email: "b@example.com" },
    { ...base, id: "5", email: "b@example.com", secondFactor: { secret: "!" } },
  ], { store });
  assertEquals([report.created, report.refused], [1, 6]);
  assertEquals(report.problems.map(({ problem }) => problem), [
    "the role is not one of the application",
    "another account has the address",
    "the account has no address",
    "the address is malformed",
    "the id is not 1 to 200 characters",
    "the id is not 1 to 200 characters",
    "the second factor is malformed",
  ]);
  assertEquals((await store.find("1"))?.role, "user");
  assertEquals(await store.findByEmail("b@example.com"), null);
});

Deno.test("importAccounts() gives a login and a passkey to one account only", async () => {
  const store = createMemoryAccountStore();
  const logins = [{
    provider: "google",
    issuer: "https://accounts.google.com",
    subject: "g1",
  }];
  const passkeys = [{
    id: "AAAA",
    userHandle: "",
    publicKey: "AAAA",
    counter: 0,
    transports: [],
    backupEligible: true,
    backedUp: true,
    aaguid: "00000000-0000-0000-0000-000000000000",
    name: "Phone",
    createdAt: NOW,
    usedAt: null,
  }];
  const report = await importAccounts(
    ["a", "b"].map((id) => ({
      id,
      email: `${id}@example.com`,
      createdAt: NOW,
      logins,
      passkeys,
    })),
    { store },
  );
  assertEquals([report.created, report.logins, report.passkeys], [2, 1, 1]);
  assertEquals(report.problems, [
    { id: "b", problem: "another account has a passkey with the same id" },
    { id: "b", problem: "another account has the login at google" },
  ]);
  assertEquals((await store.findWayIn("passkey", "AAAA"))?.account.id, "a");
});

Deno.test("importAccounts() refuses an account whose address a visitor registers meanwhile", async () => {
  const store = createMemoryAccountStore();
  const email = "ada@example.com";
  const create = store.create.bind(store);
  store.create = async (account) => {
    await create({ ...account, id: "visitor" });
    return await create(account);
  };
  const report = await importAccounts([{ id: "1", email, createdAt: NOW }], {
    store,
  });
  assertEquals([report.created, report.refused], [0, 1]);
  const problem = "another account has the address";
  assertEquals(report.problems, [{ id: "1", problem }]);
  assertEquals((await store.findByEmail(email))?.id, "visitor");
});
