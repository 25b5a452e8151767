import { assertEquals, assertRejects } from "@std/assert";
import { importAccounts } from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { slow } from "./_slow_store.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const LOGIN = {
  provider: "google",
  issuer: "https://accounts.google.com",
  subject: "g1",
};

const PASSKEY = {
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
};

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
  const report = await importAccounts(
    ["a", "b"].map((id) => ({
      id,
      email: `${id}@example.com`,
      createdAt: NOW,
      logins: [LOGIN],
      passkeys: [PASSKEY],
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

Deno.test("importAccounts() stores all values of an account, and defaults for the others", async () => {
  const store = createMemoryAccountStore();
  const full = {
    id: "1",
    email: " ADA@example.com",
    emailVerified: true,
    name: "Ada",
    role: "editor",
    language: "de",
    fields: { company: "Engines" },
    createdAt: NOW,
    passwordHash: "hash",
  };
  const plain = { id: "2", email: "bob@example.com", createdAt: NOW };
  const third = { id: "3", email: "eve@example.com", createdAt: NOW };
  const report = await importAccounts([full, plain, third], {
    store: slow(store),
    roles: ["reader", "editor"],
  });
  assertEquals(report, {
    read: 3,
    created: 3,
    existing: 0,
    refused: 0,
    passwords: 1,
    secondFactors: 0,
    passkeys: 0,
    logins: 0,
    problems: [],
  });
  const stored = { version: 1, disabled: null, deleteAt: null };
  const { passwordHash, ...values } = full;
  assertEquals(await store.find("1"), {
    ...values,
    ...stored,
    email: "ada@example.com",
    hasPassword: true,
  });
  const login = await store.findLogin("ada@example.com");
  assertEquals(login?.passwordHash, passwordHash);
  assertEquals(await store.find("2"), {
    ...plain,
    ...stored,
    emailVerified: false,
    name: "",
    role: "reader",
    language: null,
    fields: {},
    hasPassword: false,
  });
});

Deno.test("importAccounts() accepts ids of 200 characters, and cuts longer names", async () => {
  const store = createMemoryAccountStore();
  const [id, long] = ["i".repeat(200), "i".repeat(201)];
  const email = "ada@example.com";
  const account = { id, email, name: "n".repeat(201), createdAt: NOW };
  const report = await importAccounts([account, { ...account, id: long }], {
    store,
  });
  assertEquals([report.read, report.created, report.refused], [2, 1, 1]);
  assertEquals((await store.find(id))?.name, "n".repeat(200));
  assertEquals(report.problems.map((one) => one.id), [id]);
});

Deno.test("importAccounts() names a login by the address, unless it has a name, with the time of the account", async () => {
  const store = createMemoryAccountStore();
  const issuer = "https://github.com";
  const logins = [
    { provider: "github", issuer, subject: "1" },
    { provider: "github", issuer, subject: "2", name: "ada-l" },
  ];
  const account = { id: "1", email: "ADA@example.com", createdAt: NOW, logins };
  const report = await importAccounts([account], { store: slow(store) });
  assertEquals([report.logins, report.problems], [2, []]);
  const ways = await store.waysIn("1");
  assertEquals(ways.map(({ createdAt, name }) => [name, createdAt]), [
    ["ada@example.com", NOW],
    ["ada-l", NOW],
  ]);
});

Deno.test("importAccounts() adds parts that an account of an earlier import lacks, and counts them once", async () => {
  const store = createMemoryAccountStore();
  const secrets = ["32 random characters of the test"];
  const secondFactor = { secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
  const account = {
    id: "1",
    email: "ada@example.com",
    createdAt: NOW,
    problems: ["a passkey is malformed"],
    logins: [LOGIN],
    passkeys: [PASSKEY],
  };
  const first = await importAccounts([account], { store, secrets });
  assertEquals([first.created, first.secondFactors], [1, 0]);
  assertEquals([first.logins, first.passkeys], [1, 1]);
  const problem = { id: "1", problem: "a passkey is malformed" };
  assertEquals(first.problems, [problem]);
  for (const [secondFactors, run] of [[1, "second"], [0, "third"]] as const) {
    const next = await importAccounts([{ ...account, secondFactor }], {
      store: slow(store),
      secrets,
    });
    const counts = [next.created, next.existing, next.secondFactors];
    assertEquals(counts, [0, 1, secondFactors], run);
    assertEquals([next.logins, next.passkeys], [0, 0]);
    assertEquals(next.problems, [problem]);
  }
  await store.change("1", 1, {});
  const last = await importAccounts([account], { store, secrets });
  assertEquals([last.existing, last.problems], [1, []]);
});

Deno.test("importAccounts() stops at an outage, and reports no malformed factor then", async () => {
  const store = createMemoryAccountStore();
  store.values.get = () => Promise.reject(new Error("The database is down"));
  const secondFactor = { secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
  const email = "ada@example.com";
  const account = { id: "1", email, createdAt: NOW, secondFactor };
  await assertRejects(() => importAccounts([account], { store }));
  assertEquals(await store.find("1"), null);
});

Deno.test("importAccounts() refuses an account for the reason of its reader", async () => {
  const store = createMemoryAccountStore();
  const refusal = "the second factor is missing";
  const account = { id: "1", email: null, createdAt: NOW, refusal };
  const { problems, refused } = await importAccounts([account], { store });
  assertEquals([refused, problems], [1, [{ id: "1", problem: refusal }]]);
});
