import { canonicalName } from "../../auth/internal.ts";
import {
  STORE_TIMEOUT,
  storeCaller,
  ValueStore,
} from "../../session/internal.ts";
import { randomToken } from "../../session/secrets.ts";
import { isAddress } from "../actions/address.ts";
import { retry } from "../store/retry.ts";
import type { AccountStore } from "../store/store.ts";
import type { StoredMember, TeamStore } from "../store/teams.ts";
import type { ImportProblem } from "./imported_account.ts";
import type {
  ImportedInvitation,
  ImportedTeam,
  TeamImportReport,
} from "./imported_team.ts";

/** Options for {@linkcode importTeams}. */
export interface ImportTeamsOptions {
  /** The store that `createAccounts` gets, with the imported accounts. */
  readonly store: AccountStore;
  /** The `teamRoles` of the definition, the one of owners first. */
  readonly teamRoles: readonly string[];
  /**
   * The roles of the other system, each with one of `teamRoles`. A member with
   * several roles needs the name of all of them, such as `"admin,member"`.
   *
   * @default {each role keeps its name}
   */
  readonly roles?: Readonly<Record<string, string>>;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** A team whose roles are those of the application. */
interface ReadyTeam extends ImportedTeam {
  /** The members with an account, an owner first. */
  readonly members: readonly Omit<StoredMember, "id" | "teamId">[];
  readonly invitations: readonly ImportedInvitation[];
  readonly problems: readonly string[];
}

type Counts = {
  -readonly [Name in Exclude<keyof TeamImportReport, "problems">]: number;
};

/** The problem of a team that the application could not manage. */
const NO_OWNER = "no account is an owner of the team";

/** The longest id and name, in characters. */
const MAX_LENGTH = 200;

/** The time in which an interrupted import can continue: a year. */
const MARK_TTL = 365 * 86_400_000;

/**
 * Imports the teams of another system with their members and open invitations, after
 * `importAccounts`. It can run again: it adds new teams, continues the one at which
 * it was interrupted, and changes no other.
 *
 * A team with a role that the application does not have is not imported. Neither is
 * one without an owner.
 *
 * @example Importing one team
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { importTeams } from "@gatehouse/web/accounts/migrate";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 *
 * const store = createMemoryAccountStore();
 * const team = {
 *   id: "t1",
 *   name: "Engines",
 *   createdAt: Date.parse("2024-01-31"),
 *   members: [{ userId: "7", role: "admin", createdAt: 0 }],
 * };
 * const report = await importTeams([team], {
 *   store,
 *   teamRoles: ["owner", "reader"],
 *   roles: { admin: "owner", member: "reader" },
 * });
 * // The store has no account with the id 7.
 * assertEquals(report.refused, 1);
 * ```
 *
 * @param teams The teams, for example of `readBetterAuthTeams`.
 * @param options The store and the roles.
 * @returns The report.
 * @throws {TypeError} If the store has no teams, or `roles` has a role that is not one
 * of `teamRoles`.
 * @throws {AccountStoreError} If the database is unavailable. The next import
 * continues.
 */
export async function importTeams(
  teams: Iterable<ImportedTeam> | AsyncIterable<ImportedTeam>,
  options: ImportTeamsOptions,
): Promise<TeamImportReport> {
  const run = new TeamImport(options);
  for await (const team of teams) await run.add(team);
  return { ...run.counts, problems: run.problems };
}

/** An import that runs. */
class TeamImport {
  readonly counts: Counts = {
    read: 0,
    created: 0,
    existing: 0,
    refused: 0,
    members: 0,
    invitations: 0,
  };
  readonly problems: ImportProblem[] = [];
  readonly #store: AccountStore;
  readonly #teams: TeamStore;
  readonly #owner: string;
  readonly #roles: ReadonlyMap<string, string>;
  readonly #now: () => number;
  /** The teams whose import has begun. */
  readonly #begun: ValueStore<true>;

  constructor(
    { now = Date.now, roles = {}, store, teamRoles }: ImportTeamsOptions,
  ) {
    const [owner] = teamRoles;
    const strange = Object.values(roles).find((one) =>
      !teamRoles.includes(one)
    );
    if (store.teams === undefined) {
      throw new TypeError("Cannot import teams: the store has none");
    }
    if (owner === undefined) {
      throw new TypeError("Cannot import teams: teamRoles is empty");
    }
    if (strange !== undefined) {
      throw new TypeError(
        `Cannot import teams: "${strange}" is not one of teamRoles`,
      );
    }
    this.#store = store;
    this.#teams = store.teams;
    this.#owner = owner;
    this.#now = now;
    const own = teamRoles.map((role) => [role, role] as const);
    this.#roles = new Map([...own, ...Object.entries(roles)]);
    this.#begun = new ValueStore(storeCaller(store.values, STORE_TIMEOUT), {
      prefix: "team-import",
      ttl: MARK_TTL,
      parse: () => true as const,
    });
  }

  async add(imported: ImportedTeam): Promise<void> {
    this.counts.read++;
    const { id } = imported;
    const mark = await this.#begun.key(id);
    const isStored = await this.#teams.find(id) !== null;
    if (isStored && await this.#begun.get(mark) === null) {
      this.counts.existing++;
      return;
    }
    const team = await this.#prepare(imported);
    if (typeof team === "string") return this.#refuse(id, team);
    await this.#begun.add(mark, true);
    if (isStored) this.counts.existing++;
    else if (!await this.#create(team)) return this.#refuse(id, NO_OWNER);
    await this.#addMembers(team);
    for (const one of team.invitations) await this.#invite(team, one);
    for (const problem of team.problems) this.#report(id, problem);
    await this.#begun.remove(mark);
  }

  #refuse(id: string, problem: string): void {
    this.counts.refused++;
    this.#report(id, problem);
  }

  #report(id: string, problem: string): void {
    this.problems.push({ id: id.slice(0, MAX_LENGTH), problem });
  }

  /** Returns the team with the roles of the application, or why it is refused. */
  async #prepare(team: ImportedTeam): Promise<ReadyTeam | string> {
    const { id, invitations = [], members } = team;
    if (id === "" || id.length > MAX_LENGTH) {
      return `the id is not 1 to ${MAX_LENGTH} characters`;
    }
    const unknown = [...members, ...invitations]
      .find(({ role }) => !this.#roles.has(role));
    if (unknown !== undefined) {
      const role = JSON.stringify(unknown.role.slice(0, MAX_LENGTH));
      return `the role ${role} is unknown: see the option roles`;
    }
    const known = [];
    for (const { createdAt, role, userId } of members) {
      if (await this.#store.find(userId) === null) continue;
      known.push({ createdAt, role: this.#roles.get(role)!, userId });
    }
    known.sort((one, other) => one.createdAt - other.createdAt);
    const owner = known.find(({ role }) => role === this.#owner);
    if (owner === undefined) return NO_OWNER;
    const missing = members.length - known.length;
    return {
      ...team,
      members: [owner, ...known.filter((one) => one !== owner)],
      invitations: invitations
        .filter(({ expiresAt }) => expiresAt > this.#now()),
      problems: [
        ...team.problems ?? [],
        ...missing > 0 ? [`members without an account: ${missing}`] : [],
      ],
    };
  }

  async #create({ createdAt, id, members, name }: ReadyTeam): Promise<boolean> {
    const team = { id, name: name.slice(0, MAX_LENGTH), createdAt };
    const owner = { ...members[0]!, id: randomToken(16), teamId: id };
    const isCreated = await this.#withVersion(
      owner.userId,
      (version) => this.#teams.create(team, owner, version),
    );
    if (!isCreated) return false;
    this.counts.created++;
    this.counts.members++;
    return true;
  }

  /**
   * Adds the members after the last one that the team has. The others were added by
   * the import that was interrupted, and an owner may have removed them since.
   */
  async #addMembers({ id: teamId, members }: ReadyTeam): Promise<void> {
    const stored = await this.#teams.members(teamId);
    const last = members.findLastIndex(({ userId }) =>
      stored.some((one) => one.userId === userId)
    );
    for (const member of members.slice(last + 1)) {
      const added = { ...member, id: randomToken(16), teamId };
      const isAdded = await this.#withVersion(
        member.userId,
        (version) => this.#teams.add(added, version),
      );
      if (isAdded) this.counts.members++;
    }
  }

  /** Calls a function with the version of an account, until it is the current one. */
  async #withVersion(
    userId: string,
    change: (version: number) => Promise<boolean>,
  ): Promise<boolean> {
    return await retry(async () => {
      const account = await this.#store.find(userId);
      if (account === null) return false;
      if (await change(account.version)) return true;
      const current = await this.#store.find(userId);
      return current?.version === account.version ? false : undefined;
    });
  }

  async #invite(
    { id: teamId }: ReadyTeam,
    { createdAt, expiresAt, invitedBy, role, ...one }: ImportedInvitation,
  ): Promise<void> {
    const email = canonicalName(one.email);
    const members = await this.#teams.members(teamId);
    if (members.some((member) => member.email === email)) return;
    const sender = members.find(({ userId }) => userId === invitedBy);
    const isInvited = isAddress(email) && sender !== undefined &&
      await this.#teams.invite({
        id: randomToken(16),
        teamId,
        email,
        role: this.#roles.get(role)!,
        invitedBy: sender.id,
        createdAt,
        expiresAt,
      }, this.#owner);
    if (isInvited) this.counts.invitations++;
    else {this.#report(
        teamId,
        "an invitation is malformed, or its sender is not an owner",
      );}
  }
}
