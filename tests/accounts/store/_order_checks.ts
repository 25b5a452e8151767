/** Orders, limits and neighbors, which the stores of the library keep as well. */
import { assertEquals } from "@std/assert";
import type {
  AccountStore,
  NewAccount,
  TeamStore,
  WayIn,
} from "@gatehouse/web/accounts/store";

/** Creates an account with an id. */
async function create(
  store: AccountStore,
  id: string,
  values: Partial<NewAccount> = {},
): Promise<void> {
  const account = await store.create({
    id,
    email: `${id}@example.com`,
    emailVerified: true,
    name: id.toUpperCase(),
    role: "user",
    language: null,
    fields: {},
    passwordHash: "hash",
    createdAt: 1_000,
    ...values,
  });
  assertEquals(account?.id, id);
}

const way = (id: string, accountId: string, createdAt = 5): WayIn => ({
  kind: "key",
  id,
  accountId,
  name: id,
  createdAt,
  usedAt: null,
  counter: 0,
  data: null,
});

const ids = (all: readonly { readonly id: string }[]) =>
  all.map(({ id }) => id);

/** Creates teams of an owner, who has the membership `m` and the team's id. */
async function createTeams(
  teams: TeamStore,
  userId: string,
  ...all: readonly string[]
): Promise<void> {
  for (const id of all) {
    const team = { id, name: id, createdAt: 5 };
    const owner = { id: `m${id}`, teamId: id, userId, role: "owner" };
    const createdAt = 50 - Number(id);
    assertEquals(await teams.create(team, { ...owner, createdAt }, 1), true);
  }
}

const invitation = (id: string, teamId: string, email: string) => ({
  id,
  teamId,
  email,
  role: "reader",
  invitedBy: `m${teamId}`,
  createdAt: 50 - Number(id),
  expiresAt: 1_000,
});

export const orderChecks: readonly [
  name: string,
  run: (store: AccountStore) => Promise<void>,
][] = [
  ["accounts are found by a part of their name or address", async (store) => {
    await create(store, "b", { name: "Ada 100%_!" });
    await create(store, "a");
    await create(store, "c", { createdAt: 999, role: "admin" });
    const find = async (search: string, role?: string) =>
      ids((await store.list({ search, role })).accounts);
    assertEquals(await find(""), ["c", "a", "b"]);
    assertEquals(await find("EXAMPLE"), ["c", "a", "b"]);
    assertEquals(await find("b@"), ["b"]);
    assertEquals(await find("da 1"), ["b"]);
    for (const part of ["%", "_", "!", "100%_!"]) {
      assertEquals(await find(part), ["b"], part);
    }
    assertEquals(await find("", "admin"), ["c"]);
    assertEquals(await find("a@", "admin"), []);
  }],
  [
    "pages of accounts have their limit, and the last one has no next",
    async (store) => {
      for (const id of ["d", "c", "b", "a"]) await create(store, id);
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const { accounts, next } = await store.list({ after, limit: 2 });
        pages.push(ids(accounts));
        after = next;
      } while (after !== undefined);
      assertEquals(pages, [["a", "b"], ["c", "d"]]);
      for (let n = 0; n < 47; n++) await create(store, `n${n}`);
      const { accounts, next } = await store.list();
      assertEquals([accounts.length, next === undefined], [50, false]);
    },
  ],
  ["at most 100 accounts are due at once", async (store) => {
    for (let n = 0; n < 101; n++) {
      await create(store, `a${n}`);
      await store.update(`a${n}`, { deleteAt: 7 });
    }
    assertEquals((await store.due(7)).length, 100);
    assertEquals(await store.due(6), []);
  }],
  ["values that are undefined change nothing", async (store) => {
    await create(store, "a", { language: "de", fields: { plan: "free" } });
    const before = await store.find("a");
    const nothing = {
      name: undefined,
      role: undefined,
      language: undefined,
      fields: undefined,
      deleteAt: undefined,
    };
    assertEquals(await store.update("a", nothing as object), true);
    assertEquals(await store.find("a"), before);
    const change = {
      email: undefined,
      emailVerified: undefined,
      passwordHash: undefined,
      disabled: undefined,
    };
    assertEquals(await store.change("a", 1, change as object), 2);
    assertEquals(await store.find("a"), { ...before!, version: 2 });
    const login = await store.findLogin("a@example.com");
    assertEquals(login?.passwordHash, "hash");
  }],
  [
    "an address that is not verified stays so in a change of something else",
    async (store) => {
      await create(store, "a", { emailVerified: false });
      await store.change("a", 1, { passwordHash: "new" });
      assertEquals((await store.find("a"))?.emailVerified, false);
      const email = "new@example.com";
      await store.change("a", 2, { email, emailVerified: true });
      const { emailVerified, email: stored } = (await store.find("a"))!;
      assertEquals([emailVerified, stored], [true, email]);
      assertEquals(await store.findByEmail("a@example.com"), null);
    },
  ],
  [
    "ways in are listed oldest first, and those of others stay",
    async (store) => {
      await create(store, "a");
      await create(store, "b");
      for (const [id, time] of [["2", 20], ["1", 10], ["3", 30]] as const) {
        await store.addWayIn(way(id, "a", time), 1);
      }
      await store.addWayIn(way("b1", "b"), 1);
      assertEquals(ids(await store.waysIn("a")), ["1", "2", "3"]);
      assertEquals(ids(await store.waysIn("a", "key")), ["1", "2", "3"]);
      assertEquals(await store.waysIn("a", "passkey"), []);
      await store.change("a", 1, { removeWaysIn: true });
      assertEquals(ids(await store.waysIn("b")), ["b1"]);
      await store.remove("a", 2);
      assertEquals(ids(await store.waysIn("b")), ["b1"]);
      assertEquals((await store.findWayIn("key", "b1"))?.account.id, "b");
    },
  ],
  [
    "audit entries are listed newest first, with their conditions on each page",
    async ({ audit }) => {
      const add = (id: string, at: number, action: string, userId = "a") =>
        audit.add({ id, at, action, userId, actorId: "root", reason: "Why" });
      for (const id of ["1", "3", "2"]) await add(id, 7, "role");
      await add("4", 8, "remove");
      await add("5", 6, "role", "b");
      assertEquals(ids((await audit.list()).entries), [
        "4",
        "3",
        "2",
        "1",
        "5",
      ]);
      const read = async (after?: string) =>
        await audit.list({ after, action: "role", of: "a", limit: 2 });
      const first = await read();
      assertEquals(ids(first.entries), ["3", "2"]);
      const last = await read(first.next);
      assertEquals([ids(last.entries), last.next], [["1"], undefined]);
      const all = await audit.list({ of: "root", limit: 5 });
      assertEquals([all.entries.length, all.next], [5, undefined]);
      await audit.prune(7);
      assertEquals(ids((await audit.list()).entries), ["4", "3", "2", "1"]);
      await audit.forget("root");
      assertEquals((await audit.list()).entries[0]?.reason, "Why");
    },
  ],
  ["teams, members and invitations are listed oldest first", async (store) => {
    const teams = store.teams!;
    for (const id of ["a", "b", "c"]) await create(store, id);
    await createTeams(teams, "a", "1", "3", "2");
    const list = async () => (await teams.list("a")).map(({ team }) => team.id);
    assertEquals(await list(), ["3", "2", "1"]);
    const member = { teamId: "1", role: "reader" };
    const add = (id: string, userId: string, createdAt: number) =>
      teams.add({ ...member, id, userId, createdAt }, 1);
    await add("x2", "b", 49);
    await add("x1", "c", 48);
    assertEquals(ids(await teams.members("1")), ["x1", "m1", "x2"]);
    for (const id of ["1", "3", "2"]) {
      const email = `${id}@example.com`;
      await teams.invite(invitation(id, "1", email), "owner");
    }
    assertEquals(ids(await teams.invitations("1")), ["3", "2", "1"]);
  }],
  [
    "the end of a team or an account leaves the others as they are",
    async (store) => {
      const teams = store.teams!;
      for (const id of ["a", "b"]) await create(store, id);
      await createTeams(teams, "a", "1", "2");
      const email = "guest@example.com";
      await teams.invite(invitation("11", "1", email), "owner");
      await teams.invite(invitation("12", "2", email), "owner");
      assertEquals(ids(await teams.invitationsFor(email)), ["12", "11"]);
      assertEquals(ids(await teams.invitations("2")), ["12"]);
      const reader = { teamId: "2", userId: "b", role: "reader", createdAt: 5 };
      await teams.add({ ...reader, id: "r" }, 1);
      assertEquals(await teams.remove("1"), true);
      assertEquals(ids(await teams.invitationsFor(email)), ["12"]);
      assertEquals(ids(await teams.members("2")), ["r", "m2"]);
      await store.remove("b", 1);
      assertEquals(ids(await teams.members("2")), ["m2"]);
      assertEquals(await teams.rename("1", "x"), false);
      assertEquals(await teams.removeInvitation("1", "12"), false);
      assertEquals(await teams.removeInvitation("2", "12"), true);
      assertEquals(await teams.removeInvitation("2", "12"), false);
    },
  ],
  [
    "an owner of another team sends no invitation, and one who acts is a member",
    async (store) => {
      const teams = store.teams!;
      for (const id of ["a", "b"]) await create(store, id);
      await createTeams(teams, "a", "1");
      await createTeams(teams, "b", "2");
      const foreign = { ...invitation("11", "1", "x@x.org"), invitedBy: "m2" };
      assertEquals(await teams.invite(foreign, "owner"), false);
      const unknown = { ...foreign, invitedBy: "m3" };
      assertEquals(await teams.invite(unknown, "owner"), false);
      const reader = { teamId: "1", userId: "b", role: "reader", createdAt: 5 };
      await teams.add({ ...reader, id: "r" }, 1);
      const change = { teamId: "1", id: "m1", owner: "owner" };
      // An owner keeps the role, and the last one may be set to it again.
      assertEquals(await teams.setRole(change, "owner"), true);
      assertEquals(await teams.setRole({ ...change, by: "m1" }, "owner"), true);
      assertEquals(await teams.setRole({ ...change, by: "r" }, "owner"), false);
      const wrong = { ...change, teamId: "2" };
      assertEquals(await teams.setRole(wrong, "owner"), false);
      // A leaving owner does not act.
      await store.update("a", { deleteAt: 5 });
      const kick = { ...change, id: "r", by: "m1" };
      assertEquals(await teams.removeMember(kick), false);
      assertEquals((await teams.members("1")).length, 2);
    },
  ],
];
