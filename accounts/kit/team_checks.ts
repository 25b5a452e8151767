import { expect } from "../../session/testing.ts";
import { type Check, create, newId, sorted } from "./check.ts";
import type { AccountStore, StoredAccount } from "../store/store.ts";
import type {
  StoredInvitation,
  StoredMember,
  StoredTeam,
  TeamStore,
} from "../store/teams.ts";

/** A team with its store and its first owner. */
interface Team {
  readonly teams: TeamStore;
  readonly team: StoredTeam;
  readonly user: StoredAccount;
  readonly owner: StoredMember;
}

/** A named test of the teams of a store. */
type TeamCheck = readonly [
  name: string,
  run: (team: Team, store: AccountStore) => Promise<void>,
];

const CALLERS = 20;
const OWNER = "owner";

/** Returns the contract of teams. A store without teams passes. */
export function teamChecks(): Check[] {
  return CHECKS.map(([name, run]) => [`teams: ${name}`, async (store) => {
    const { teams } = store;
    if (teams === undefined) return;
    const user = await create(store);
    const team = { id: newId(), name: "Ünited 💡", createdAt: 5 };
    const owner = memberOf(team, user, OWNER);
    expect("create", await teams.create(team, owner, user.version), true);
    await run({ teams, team, user, owner }, store);
  }]);
}

const CHECKS: readonly TeamCheck[] = [
  ["create() and find() return all values", async (one) => {
    const { owner, team, teams, user } = one;
    expect("find", await teams.find(team.id), team);
    const found = await teams.membership(team.id, user.id);
    expect("membership", sorted(found?.member), sorted(owner));
    expect("team", sorted(found?.team), sorted(team));
    expect("list", (await teams.list(user.id)).length, 1);
    const [member] = await teams.members(team.id);
    expect("members", [member?.name, member?.email], [user.name, user.email]);
    for (const id of ["", newId(), "\0", "' OR 1=1 --"]) {
      expect("unknown", await teams.find(id), null);
      expect("no member", await teams.membership(id, user.id), null);
      expect("no user", await teams.membership(team.id, id), null);
      expect("no invitation", await teams.findInvitation(id), null);
    }
    expect("rename", await teams.rename(team.id, "New"), true);
    expect("name", (await teams.find(team.id))?.name, "New");
  }],
  ["create() and add() compare the version", async (one, store) => {
    const { team, teams } = one;
    const user = await create(store);
    const other = { ...team, id: newId() };
    const owner = memberOf(other, user, OWNER);
    expect("create", await teams.create(other, owner, 2), false);
    expect("find", await teams.find(other.id), null);
    const member = memberOf(team, user, "reader");
    expect("version", await teams.add(member, 2), false);
    const lost = { ...member, teamId: newId() };
    expect("team", await teams.add(lost, 1), false);
    expect("add", await teams.add(member, 1), true);
    const again = { ...member, id: newId(), role: OWNER };
    expect("again", await teams.add(again, 1), false);
    expect("roles", await roles(one), [OWNER, "reader"]);
  }],
  ["the last owner stays", async (one, store) => {
    const { owner, team, teams } = one;
    const reader = await join(one, store, "reader");
    const change = { teamId: team.id, id: owner.id, owner: OWNER };
    expect("leave", await teams.removeMember(change), false);
    expect("role", await teams.setRole(change, "reader"), false);
    const promote = { ...change, id: reader.id, by: owner.id };
    expect("promote", await teams.setRole(promote, OWNER), true);
    expect("leave now", await teams.removeMember(change), true);
    expect("roles", await roles(one), [OWNER]);
  }],
  [
    "an owner who deletes the account does not count",
    async (one, store) => {
      const { owner, team, teams } = one;
      const second = await join(one, store, OWNER);
      await store.update(second.userId, { deleteAt: 5_000_000_000_000 });
      const change = { teamId: team.id, id: owner.id, owner: OWNER };
      expect("leave", await teams.removeMember(change), false);
      await store.update(second.userId, { deleteAt: null });
      expect("later", await teams.removeMember(change), true);
    },
  ],
  [
    "setRole() and removeMember() need an owner of the team",
    async (one, store) => {
      const { owner, team, teams, user } = one;
      const reader = await join(one, store, "reader");
      const other = { ...team, id: newId() };
      const elsewhere = memberOf(other, user, OWNER);
      await teams.create(other, elsewhere, user.version);
      const change = { teamId: team.id, id: reader.id, owner: OWNER };
      for (const by of [reader.id, elsewhere.id, newId()]) {
        const stolen = { ...change, by };
        expect("role", await teams.setRole(stolen, OWNER), false);
        expect("remove", await teams.removeMember(stolen), false);
      }
      const wrong = { ...change, teamId: other.id, by: elsewhere.id };
      expect("team", await teams.removeMember(wrong), false);
      const right = { ...change, by: owner.id };
      expect("remove", await teams.removeMember(right), true);
      expect("again", await teams.removeMember(right), false);
    },
  ],
  ["of all owners who leave at once, one stays", async (one, store) => {
    const { owner, team, teams } = one;
    const owners = [owner];
    for (let n = 0; n < 9; n++) owners.push(await join(one, store, OWNER));
    const left = await Promise.all(owners.map(({ id }, n) => {
      const change = { teamId: team.id, id, owner: OWNER };
      return n % 2 === 0
        ? teams.removeMember(change)
        : teams.setRole(change, "reader");
    }));
    expect("left", left.filter(Boolean).length, 9);
    const rest = await teams.members(team.id);
    expect("owners", rest.filter(({ role }) => role === OWNER).length, 1);
  }],
  ["two owners who demote each other leave one", async (one, store) => {
    const { owner, team, teams } = one;
    for (let round = 0; round < 5; round++) {
      const other = await join(one, store, OWNER);
      const change = { teamId: team.id, owner: OWNER };
      await Promise.all([
        teams.removeMember({ ...change, id: other.id, by: owner.id }),
        teams.setRole({ ...change, id: owner.id, by: other.id }, "reader"),
      ]);
      const rest = await teams.members(team.id);
      const count = rest.filter(({ role }) => role === OWNER).length;
      expect("owners", count, 1);
      // The next round begins with the first owner.
      await teams.setRole({ ...change, id: owner.id }, OWNER);
      if (rest.some(({ id }) => id === other.id)) {
        await teams.removeMember({ ...change, id: other.id });
      }
    }
  }],
  [
    "an invitation works once, for its address, until it expires",
    async (one, store) => {
      const { owner, team, teams } = one;
      const invitation = invitationOf(team, owner);
      const { email, id } = invitation;
      expect("invite", await teams.invite(invitation, OWNER), true);
      expect(
        "find",
        sorted(await teams.findInvitation(id)),
        sorted(invitation),
      );
      expect("team", (await teams.invitations(team.id)).length, 1);
      expect("address", (await teams.invitationsFor(email)).length, 1);
      const use = { email, now: 10, owner: OWNER };
      const wrong = { ...use, email: "eve@example.com" };
      expect("other address", await teams.takeInvitation(id, wrong), null);
      const late = { ...use, now: invitation.expiresAt };
      expect("late", await teams.takeInvitation(id, late), null);
      const taken = await Promise.all(
        Array.from({ length: CALLERS }, () => teams.takeInvitation(id, use)),
      );
      const used = taken.filter((found) => found !== null);
      expect("taken", used.length, 1);
      expect("values", sorted(used[0]), sorted(invitation));
      expect("removed", await teams.findInvitation(id), null);
      expect("unused", (await roles(one)).length, 1);
      const reader = await join(one, store, "reader");
      const foreign = invitationOf(team, reader);
      expect("reader", await teams.invite(foreign, OWNER), false);
    },
  ],
  [
    "an invitation replaces the last one, and ends when its sender is no longer an owner",
    async (one, store) => {
      const { owner, team, teams } = one;
      const first = invitationOf(team, owner);
      const second = { ...first, id: newId(), role: OWNER };
      await teams.invite(first, OWNER);
      await teams.invite(second, OWNER);
      const open = await teams.invitations(team.id);
      expect("open", open.map(({ id }) => id), [second.id]);
      await join(one, store, OWNER);
      const change = { teamId: team.id, id: owner.id, owner: OWNER };
      await teams.setRole(change, "reader");
      const use = { email: second.email, now: 10, owner: OWNER };
      expect("sender", await teams.takeInvitation(second.id, use), null);
      const foreign = await teams.removeInvitation(newId(), second.id);
      expect("other team", foreign, false);
      const removed = await teams.removeInvitation(team.id, second.id);
      expect("removed", removed, true);
    },
  ],
  [
    "a removed account or team leaves no membership",
    async (one, store) => {
      const { owner, team, teams, user } = one;
      const reader = await join(one, store, "reader");
      await store.remove(reader.userId, 1);
      expect("user", await teams.membership(team.id, reader.userId), null);
      expect("roles", await roles(one), [OWNER]);
      const invitation = invitationOf(team, owner);
      await teams.invite(invitation, OWNER);
      expect("remove", await teams.remove(team.id), true);
      expect("again", await teams.remove(team.id), false);
      expect("list", await teams.list(user.id), []);
      expect("gone", await teams.findInvitation(invitation.id), null);
    },
  ],
];

/** Adds a new account to a team. */
async function join(
  { team, teams }: Team,
  store: AccountStore,
  role: string,
): Promise<StoredMember> {
  const user = await create(store);
  const member = memberOf(team, user, role);
  expect("add", await teams.add(member, user.version), true);
  return member;
}

/** Returns the roles of all members, in alphabetical order. */
async function roles({ team, teams }: Team): Promise<string[]> {
  return (await teams.members(team.id)).map(({ role }) => role).sort();
}

function memberOf(
  { id: teamId }: StoredTeam,
  { id: userId }: StoredAccount,
  role: string,
): StoredMember {
  return { id: newId(), teamId, userId, role, createdAt: 7 };
}

function invitationOf(
  { id: teamId }: StoredTeam,
  { id: invitedBy }: StoredMember,
): StoredInvitation {
  const email = `${newId()}@example.com`;
  const times = { createdAt: 5, expiresAt: 1_000 };
  return { id: newId(), teamId, email, role: "reader", invitedBy, ...times };
}
