import type { Names, TeamRoleOf } from "../definition/names.ts";
import type { Settings } from "../actions/services.ts";
import { retry } from "../store/retry.ts";
import type { ListedMember, StoredTeam } from "../store/teams.ts";
import { type Membership, toMembership } from "./member.ts";
import type { TeamService } from "./team_service.ts";

/**
 * The teams of the application, for jobs, hooks and tests. Users have pages for them.
 * The functions throw a `TypeError` if the definition has no `teamRoles`.
 *
 * @typeParam N The names of the application.
 */
export interface Teams<N extends Names = Names> {
  /**
   * Creates a team.
   *
   * @param name The name.
   * @param userId The id of its owner.
   * @returns The membership of the owner; `null` if there is no such account,
   * or the account has 50 teams.
   */
  create(
    name: string,
    userId: string,
  ): Promise<Membership<TeamRoleOf<N>> | null>;
  /**
   * Returns a team.
   *
   * @param id The id.
   */
  find(id: string): Promise<StoredTeam | null>;
  /**
   * Renames a team.
   *
   * @param id The id.
   * @param name The new name.
   * @returns `false` if there is no such team.
   */
  rename(id: string, name: string): Promise<boolean>;
  /**
   * Removes a team with its memberships and invitations.
   *
   * @param id The id.
   * @returns `false` if there is no such team.
   */
  remove(id: string): Promise<boolean>;
  /**
   * Returns the memberships of a user, oldest first.
   *
   * @param userId The id of the account.
   */
  list(userId: string): Promise<readonly Membership<TeamRoleOf<N>>[]>;
  /**
   * Returns the members of a team, oldest first.
   *
   * @param id The id of the team.
   */
  members(id: string): Promise<readonly ListedMember[]>;
  /**
   * Adds a user to a team without an invitation.
   *
   * @param id The id of the team.
   * @param userId The id of the account.
   * @param role The role.
   * @returns `false` if the team or the account does not exist, or the user is a
   * member already.
   * @throws {TypeError} If the role is unknown.
   */
  add(id: string, userId: string, role: TeamRoleOf<N>): Promise<boolean>;
  /**
   * Changes the role of a member. It counts at the next request.
   *
   * @param id The id of the team.
   * @param userId The id of the account.
   * @param role The role.
   * @returns `false` if the user is not a member, or the last owner.
   * @throws {TypeError} If the role is unknown.
   */
  setRole(id: string, userId: string, role: TeamRoleOf<N>): Promise<boolean>;
  /**
   * Ends a membership, with its API keys.
   *
   * @param id The id of the team.
   * @param userId The id of the account.
   * @returns `false` if the user is not a member, or the last owner.
   */
  removeMember(id: string, userId: string): Promise<boolean>;
}

/** Creates the functions of teams. */
export function createTeams<N extends Names>(settings: Settings): Teams<N> {
  return new ApplicationTeams<N>(settings);
}

class ApplicationTeams<N extends Names> implements Teams<N> {
  readonly #settings: Settings;
  readonly #teams: TeamService;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#teams = settings.teams;
  }

  async create(name: string, userId: string) {
    return await retry(async () => {
      const account = await this.#settings.store.find(userId);
      if (account === null) return null;
      const result = await this.#teams.create(account, name);
      if (result === "too-many") return null;
      // If another request has changed the account, this tries its new version.
      return result === "ended"
        ? undefined
        : toMembership<TeamRoleOf<N>>(result);
    });
  }

  async find(id: string) {
    return await this.#teams.store.find(id);
  }

  async rename(id: string, name: string) {
    return await this.#teams.store.rename(id, name);
  }

  async remove(id: string) {
    return await this.#teams.store.remove(id);
  }

  async list(userId: string) {
    const all = await this.#teams.store.list(userId);
    return all.map((one) => toMembership<TeamRoleOf<N>>(one));
  }

  async members(id: string) {
    return await this.#teams.store.members(id);
  }

  async add(id: string, userId: string, role: TeamRoleOf<N>) {
    this.#checkRole(role);
    const account = await this.#settings.store.find(userId);
    return account !== null &&
      await this.#teams.add(account, { teamId: id, role });
  }

  async setRole(id: string, userId: string, role: TeamRoleOf<N>) {
    this.#checkRole(role);
    const found = await this.#teams.store.membership(id, userId);
    return found !== null &&
      await this.#teams.setRole({ teamId: id, id: found.member.id }, role);
  }

  async removeMember(id: string, userId: string) {
    const found = await this.#teams.store.membership(id, userId);
    const target = found && { teamId: id, id: found.member.id };
    return target !== null && await this.#teams.removeMember(target, userId);
  }

  #checkRole(role: string): void {
    if (this.#teams.roles.includes(role)) return;
    throw new TypeError(`Cannot set team role "${role}": it is not listed`);
  }
}
