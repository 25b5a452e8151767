import { assertEquals } from "@std/assert";
import {
  importAccounts,
  importTeams,
  readBetterAuthTeams,
} from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";

Deno.test("importTeams() adds a member once whom the other system lists twice", async () => {
  const store = createMemoryAccountStore();
  const createdAt = 0;
  const accounts = ["ada", "bob"]
    .map((id) => ({ id, email: `${id}@example.com`, createdAt }));
  await importAccounts(accounts, { store });
  const team = {
    id: "t1",
    name: "Engines",
    createdAt,
    members: [
      { userId: "ada", role: "owner", createdAt },
      { userId: "bob", role: "reader", createdAt: 1 },
      { userId: "bob", role: "owner", createdAt: 2 },
    ],
  };
  const teamRoles = ["owner", "reader"];
  const report = await importTeams([team], { store, teamRoles });
  assertEquals([report.created, report.members], [1, 2]);
  const members = await store.teams!.members("t1");
  assertEquals(members.map(({ role, userId }) => `${userId}: ${role}`), [
    "ada: owner",
    "bob: reader",
  ]);
});

Deno.test("readBetterAuthTeams() reads nothing from a database without organizations", async () => {
  const { done } = await readBetterAuthTeams(() => []).next();
  assertEquals(done, true);
});
