/** Organizations of better-auth become teams with their members and invitations. */
import { assertEquals, assertRejects } from "@std/assert";
import {
  importAccounts,
  importTeams,
  type ImportTeamsOptions,
  readBetterAuth,
  readBetterAuthTeams,
} from "@gatehouse/web/accounts/migrate";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { Browser } from "../accounts/_accounts.ts";
import { OLD_PASSWORD, startBetterAuth } from "../deno/_better_auth.ts";

const teamRoles = ["owner", "editor", "reader"];
const roles = { admin: "editor", member: "reader" };

/**
 * Starts better-auth with the organization "Engines" of Ada, in which Bob is an admin
 * and Carol a member, and an invitation of Dave.
 */
async function startOld() {
  const old = await startBetterAuth();
  const [ada, bob, carol, dave] = ["Ada", "Bob", "Carol", "Dave"]
    .map((name) => ({ name, browser: old.browser() }));
  const ids: Record<string, string> = {};
  for (const { name, browser } of [ada!, bob!, carol!, dave!]) {
    ids[name] = (await browser.signUp(name)).id;
  }
  const { id } = await ada!.browser.call("/organization/create", {
    name: "Engines",
    slug: "engines",
  });
  const invite = async (name: string, role: string | string[]) =>
    await ada!.browser.call("/organization/invite-member", {
      organizationId: id,
      email: `${name.toLowerCase()}@example.com`,
      role,
    });
  for (
    const [{ browser, name }, role] of [[bob!, "admin"], [
      carol!,
      "member",
    ]] as const
  ) {
    const { id: invitationId } = await invite(name, role);
    await browser.call("/organization/accept-invitation", { invitationId });
  }
  await invite("Dave", "member");
  const change = (sql: string) => old.database.exec(sql);
  return { ...old, id: String(id), ids, invite, change, ada: ada!.browser };
}

type Old = Awaited<ReturnType<typeof startOld>>;

/** Imports the accounts, and returns a function that imports the teams. */
async function move(old: Old, store = createMemoryAccountStore()) {
  await importAccounts(readBetterAuth(old.query), { store });
  const run = (options: Partial<ImportTeamsOptions> = {}) =>
    importTeams(readBetterAuthTeams(old.query), {
      store,
      teamRoles,
      roles,
      ...options,
    });
  return { store, run };
}

/** Returns the names of the members with their roles. */
async function membersOf(store: AccountStore, id: string) {
  const members = await store.teams!.members(id);
  return members.map(({ name, role }) => `${name}: ${role}`);
}

const ALL = ["Ada: owner", "Bob: editor", "Carol: reader"];

Deno.test("importTeams() moves organizations with their ids, members and open invitations", async () => {
  const old = await startOld();
  const { run, store } = await move(old);
  const report = await run();
  assertEquals(report, {
    read: 1,
    created: 1,
    existing: 0,
    refused: 0,
    members: 3,
    invitations: 1,
    problems: [],
  });
  const team = await store.teams!.find(old.id);
  assertEquals(team?.name, "Engines");
  const [row] = old.query(`SELECT "createdAt" FROM organization`, []);
  assertEquals(team?.createdAt, Date.parse(String(row!.createdAt)));
  assertEquals(await membersOf(store, old.id), ALL);
  const again = await run();
  assertEquals([again.existing, again.created, again.members], [1, 0, 0]);
  assertEquals((await store.teams!.invitations(old.id)).length, 1);
});

Deno.test("the members of an organization pass the guards of its team, and its invitation works", async () => {
  const old = await startOld();
  old.change(`UPDATE "user" SET "emailVerified" = 1`);
  const { run, store } = await move(old);
  await run();
  const accounts = testAccounts({
    definition: defineAccounts({ teamRoles: ["owner", "editor", "reader"] }),
    database: store,
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.get(
    "/:team/edit",
    accounts.requireMember(({ params }) => params.team, "owner", "editor"),
    () => new Response("ok"),
  );
  const statusOf = async (name: string) => {
    const user = new Browser(createTestClient(router), {});
    await user.post("/login", {
      email: `${name.toLowerCase()}@example.com`,
      password: OLD_PASSWORD,
    });
    return { user, status: (await user.get(`/${old.id}/edit`)).status };
  };
  for (const [name, status] of [["Ada", 200], ["Bob", 200], ["Carol", 403]]) {
    assertEquals((await statusOf(String(name))).status, status, String(name));
  }
  const dave = await statusOf("Dave");
  assertEquals(dave.status, 404);
  const [invitation] = await store.teams!.invitationsFor("dave@example.com");
  await dave.user.post(`/teams/invitations/${invitation!.id}`, {
    answer: "accept",
  });
  assertEquals((await dave.user.get(`/${old.id}/edit`)).status, 403);
  assertEquals((await membersOf(store, old.id)).at(-1), "Dave: reader");
});

const refusals: Record<string, {
  readonly sql: string;
  readonly problem: string;
}> = {
  "a role that only the old system has": {
    sql: `UPDATE member SET role = 'auditor' WHERE role = 'member'`,
    problem: 'the role "auditor" is unknown: see the option roles',
  },
  "an invitation with an unknown role": {
    sql: `UPDATE invitation SET role = 'auditor' WHERE status = 'pending'`,
    problem: 'the role "auditor" is unknown: see the option roles',
  },
  "a member with several roles": {
    sql: `UPDATE member SET role = 'admin,member' WHERE role = 'admin'`,
    problem: 'the role "admin,member" is unknown: see the option roles',
  },
  "a role with the name of a property": {
    sql: `UPDATE member SET role = 'constructor' WHERE role = 'admin'`,
    problem: 'the role "constructor" is unknown: see the option roles',
  },
  "no owner": {
    sql: `UPDATE member SET role = 'admin' WHERE role = 'owner'`,
    problem: "no account is an owner of the team",
  },
  "an owner without an account": {
    sql: `UPDATE member SET "userId" = 'missing' WHERE role = 'owner'`,
    problem: "no account is an owner of the team",
  },
};

for (const [name, { problem, sql }] of Object.entries(refusals)) {
  Deno.test(`importTeams() refuses an organization with ${name}, and stores nothing of it`, async () => {
    const old = await startOld();
    old.change("PRAGMA foreign_keys = OFF");
    old.change(sql);
    const { run, store } = await move(old);
    const { problems, refused } = await run();
    assertEquals([refused, problems], [1, [{ id: old.id, problem }]]);
    assertEquals(await store.teams!.find(old.id), null);
    const fixed = await run({
      roles: {
        ...roles,
        auditor: "reader",
        "admin,member": "editor",
        constructor: "editor",
      },
    });
    assertEquals(fixed.created, problem.startsWith("the role") ? 1 : 0);
  });
}

Deno.test("importTeams() reports members without an account and invitations of others than owners", async () => {
  const old = await startOld();
  old.change("PRAGMA foreign_keys = OFF");
  old.change(`UPDATE member SET "userId" = 'missing' WHERE role = 'member'`);
  old.change(
    `UPDATE invitation SET "inviterId" = '${old.ids.Bob}' WHERE status = 'pending'`,
  );
  const { run, store } = await move(old);
  const { created, invitations, members, problems } = await run();
  assertEquals([created, members, invitations], [1, 2, 0]);
  assertEquals(problems.map(({ problem }) => problem), [
    "an invitation is malformed, or its sender is not an owner",
    "members without an account: 1",
  ]);
  assertEquals(await membersOf(store, old.id), ALL.slice(0, 2));
});

Deno.test("readBetterAuthTeams() reports the teams within an organization", async () => {
  const old = await startOld();
  // The plugin creates this table with its option `teams`.
  old.change(`CREATE TABLE team (id TEXT PRIMARY KEY, name TEXT,
    "organizationId" TEXT)`);
  old.change(`INSERT INTO team VALUES ('t1', 'Pumps', '${old.id}')`);
  const { run } = await move(old);
  const { created, problems } = await run();
  assertEquals([created, problems], [1, [{
    id: old.id,
    problem: "inner teams are not imported: 1",
  }]]);
});

Deno.test("importTeams() leaves invitations that are answered or expired out, and changes no existing team", async () => {
  const old = await startOld();
  old.change(`UPDATE invitation SET "expiresAt" = '2001-01-01T00:00:00.000Z'
    WHERE status = 'pending'`);
  const { run, store } = await move(old);
  assertEquals((await run()).invitations, 0);
  const members = await store.teams!.members(old.id);
  const { id } = members.find(({ name }) => name === "Carol")!;
  await store.teams!.removeMember({ teamId: old.id, id, owner: "owner" });
  await old.ada.call("/organization/update", {
    organizationId: old.id,
    data: { name: "Other" },
  });
  assertEquals((await run()).members, 0);
  assertEquals(await membersOf(store, old.id), ALL.slice(0, 2));
  assertEquals((await store.teams!.find(old.id))?.name, "Engines");
});

Deno.test("importTeams() continues after an outage at any call, and adds no member again that an owner removed", async () => {
  const old = await startOld();
  let isComplete = false;
  for (let place = 1; !isComplete; place++) {
    const { run, store } = await move(old);
    let calls = 0;
    const failing = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (typeof value === "object") return failing(value as object);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) =>
            ++calls < place
              ? value.apply(target, args)
              : Promise.reject(new Error("The database is down"));
        },
      });
    isComplete = await run({ store: failing(store) })
      .then(() => true, () => false);
    const members = await store.teams!.members(old.id);
    const bob = members.find(({ name }) => name === "Bob");
    const isRemoved = !isComplete && members.length === 3 &&
      await store.teams!.removeMember({
        teamId: old.id,
        id: bob!.id,
        owner: "owner",
      });
    await run();
    assertEquals(
      await membersOf(store, old.id),
      ALL.filter((one) => !isRemoved || !one.startsWith("Bob")),
      `place ${place}`,
    );
    assertEquals((await store.teams!.invitations(old.id)).length, 1);
    assertEquals((await run()).existing, 1);
  }
});

Deno.test("importTeams() refuses roles that the application does not have", async () => {
  const store = createMemoryAccountStore();
  const run = (options: Partial<ImportTeamsOptions>) =>
    importTeams([], { store, teamRoles, ...options });
  await assertRejects(() => run({ teamRoles: [] }), TypeError, "empty");
  await assertRejects(
    () => run({ roles: { admin: "admin" } }),
    TypeError,
    '"admin" is not one of teamRoles',
  );
  const { teams: _, ...without } = store;
  await assertRejects(() => run({ store: without }), TypeError, "store");
});
