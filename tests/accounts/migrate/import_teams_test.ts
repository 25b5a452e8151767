import { assertEquals, assertRejects } from "@std/assert";
import {
  importAccounts,
  type ImportedInvitation,
  type ImportedTeam,
  importTeams,
  type ImportTeamsOptions,
  readBetterAuthTeams,
} from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { slow } from "./_slow_store.ts";

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
      { userId: "bob", role: "owner", createdAt: 2 },
      { userId: "bob", role: "reader", createdAt: 1 },
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

const NOW = Date.UTC(2026, 10, 28, 12);

const TEAM: ImportedTeam = {
  id: "t1",
  name: "Engines",
  createdAt: NOW - 9,
  members: [{ userId: "ada", role: "owner", createdAt: NOW - 8 }],
};

const INVITATION: ImportedInvitation = {
  email: "eve@example.com",
  role: "reader",
  invitedBy: "ada",
  createdAt: NOW - 1,
  expiresAt: NOW + 1,
};

/** Imports teams into a store with three accounts. */
async function run(
  teams: readonly ImportedTeam[],
  options: Partial<ImportTeamsOptions> = {},
) {
  const { store = createMemoryAccountStore() } = options;
  const accounts = ["ada", "bob", "carol"]
    .map((id) => ({ id, email: `${id}@example.com`, createdAt: 0 }));
  await importAccounts(accounts, { store });
  const teamRoles = ["owner", "reader"];
  const now = () => NOW;
  const all = { store, teamRoles, now, ...options };
  return { report: await importTeams(teams, all), store };
}

Deno.test("importTeams() stores all values of a team, and the oldest owner first", async () => {
  const team = {
    ...TEAM,
    members: [
      { userId: "bob", role: "member", createdAt: NOW - 9 },
      { userId: "carol", role: "admin", createdAt: NOW - 7 },
      { userId: "ada", role: "admin", createdAt: NOW - 8 },
    ],
    invitations: [{ ...INVITATION, email: " EVE@example.com", role: "member" }],
    problems: ["inner teams are not imported: 2"],
  };
  const roles = { admin: "owner", member: "reader" };
  const store = createMemoryAccountStore();
  const { report } = await run([team], { roles, store: slow(store) });
  assertEquals(report, {
    read: 1,
    created: 1,
    existing: 0,
    refused: 0,
    members: 3,
    invitations: 1,
    problems: [{ id: "t1", problem: "inner teams are not imported: 2" }],
  });
  const teams = store.teams!;
  const { createdAt, id, name } = TEAM;
  assertEquals(await teams.find("t1"), { id, name, createdAt });
  const members = await teams.members("t1");
  assertEquals(
    members.map(({ createdAt, role, userId }) => [userId, role, createdAt]),
    [
      ["bob", "reader", NOW - 9],
      ["ada", "owner", NOW - 8],
      ["carol", "owner", NOW - 7],
    ],
  );
  const [{ id: _, ...invitation } = { id: "" }] = await teams.invitations("t1");
  assertEquals(invitation, {
    ...INVITATION,
    teamId: "t1",
    invitedBy: members[1]!.id,
  });
});

Deno.test("importTeams() refuses a team whose owner it cannot store, and continues with the next one", async () => {
  const store = createMemoryAccountStore();
  const { create } = store.teams!;
  store.teams!.create = (team, ...others) =>
    team.id === "t1"
      ? Promise.resolve(false)
      : create.call(store.teams, team, ...others);
  const { report } = await run([TEAM, { ...TEAM, id: "t2" }], {
    store: slow(store),
  });
  assertEquals([report.created, report.members, report.refused], [1, 1, 1]);
  const problem = "no account is an owner of the team";
  assertEquals(report.problems, [{ id: "t1", problem }]);
  assertEquals((await store.teams!.members("t2")).length, 1);
});

Deno.test("importTeams() accepts ids of 200 characters, and cuts longer names", async () => {
  const [id, long] = ["i".repeat(200), "i".repeat(201)];
  const { report, store } = await run([
    { ...TEAM, id, name: "n".repeat(201) },
    { ...TEAM, id: long },
    { ...TEAM, id: "" },
    {
      ...TEAM,
      id: "t2",
      members: [{ userId: "ada", role: "r".repeat(201), createdAt: 0 }],
    },
  ]);
  assertEquals([report.read, report.created, report.refused], [4, 1, 3]);
  assertEquals((await store.teams!.find(id))?.name, "n".repeat(200));
  const problem = "the id is not 1 to 200 characters";
  assertEquals(report.problems, [
    { id, problem },
    { id: "", problem },
    {
      id: "t2",
      problem: `the role "${"r".repeat(200)}" is unknown: see the option roles`,
    },
  ]);
});

Deno.test("importTeams() adds open invitations of owners, but not of members", async () => {
  const members = [
    ...TEAM.members,
    { userId: "bob", role: "reader", createdAt: NOW },
  ];
  const malformed = "an invitation is malformed, or its sender is not an owner";
  const rows: [
    changes: Partial<ImportedInvitation>,
    stored: number,
    problems: string[],
  ][] = [
    [{}, 1, []],
    [{ expiresAt: NOW }, 0, []],
    [{ email: "BOB@example.com" }, 0, []],
    [{ email: "eve" }, 0, [malformed]],
    [{ invitedBy: "bob" }, 0, [malformed]],
    [{ invitedBy: "carol" }, 0, [malformed]],
    [{ invitedBy: "unknown" }, 0, [malformed]],
  ];
  for (const [changes, stored, problems] of rows) {
    const invitations = [{ ...INVITATION, ...changes }];
    const { report, store } = await run([{ ...TEAM, invitations, members }]);
    const name = JSON.stringify(changes);
    assertEquals(report.invitations, stored, name);
    assertEquals(report.problems.map(({ problem }) => problem), problems, name);
    const kept = await store.teams!.invitations("t1");
    assertEquals(kept.length, stored, name);
  }
});

Deno.test("importTeams() reports members without an account, and changes no team that exists", async () => {
  const store = createMemoryAccountStore();
  const gone = { userId: "gone", role: "reader", createdAt: NOW - 9 };
  const team = { ...TEAM, members: [gone, ...TEAM.members, gone] };
  const { report } = await run([team], { store });
  assertEquals([report.created, report.members], [1, 1]);
  const problem = "members without an account: 2";
  assertEquals(report.problems, [{ id: "t1", problem }]);
  const again = await run([{ ...team, name: "Other" }], { store });
  assertEquals([again.report.existing, again.report.problems], [1, []]);
  assertEquals((await store.teams!.find("t1"))?.name, "Engines");
});

Deno.test("importTeams() tries a change again if the account has changed meanwhile, but not if it is gone", async () => {
  const members = [
    ...TEAM.members,
    { userId: "bob", role: "reader", createdAt: NOW },
  ];
  for (const [change, expected] of [["version", 2], ["removal", 1]] as const) {
    const store = createMemoryAccountStore();
    const { add } = store.teams!;
    let calls = 0;
    store.teams!.add = async (...values) => {
      if (values[0].userId === "bob" && ++calls === 1) {
        await (change === "version"
          ? store.change("bob", 1, {})
          : store.remove("bob", 1));
      }
      return await add.apply(store.teams, values);
    };
    const { report } = await run([{ ...TEAM, members }], { store });
    assertEquals([report.members, report.problems], [expected, []], change);
  }
});

Deno.test("importTeams() continues an interrupted import within a year", async () => {
  const members = [
    ...TEAM.members,
    { userId: "bob", role: "reader", createdAt: NOW },
  ];
  const year = 365 * 86_400_000;
  for (const [age, added] of [[year - 1, 1], [year, 0]] as const) {
    let time = NOW;
    const store = createMemoryAccountStore({ now: () => time });
    const { add } = store.teams!;
    store.teams!.add = (...values) =>
      values[0].userId === "bob"
        ? Promise.reject(new Error("The database is down"))
        : add.apply(store.teams, values);
    await assertRejects(() => run([{ ...TEAM, members }], { store }));
    store.teams!.add = add;
    time += age;
    const { report } = await run([{ ...TEAM, members }], {
      store,
      now: () => time,
    });
    assertEquals([report.existing, report.members], [1, added], `${age}`);
  }
});
