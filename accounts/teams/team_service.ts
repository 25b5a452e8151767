import { randomToken } from "../../session/secrets.ts";
import type { Names } from "../definition/names.ts";
import type { APIKeys } from "../keys/api_keys.ts";
import type { AccountStore, StoredAccount } from "../store/store.ts";
import type {
  FoundMember,
  StoredInvitation,
  TeamStore,
} from "../store/teams.ts";

/** The maximum number of teams per account. */
export const MAX_TEAMS = 50;

/** The maximum number of members of a team, including open invitations. */
const MAX_MEMBERS = 1_000;

/** The maximum number of open invitations per team. */
export const MAX_INVITATIONS = 50;

/** The lifetime of an invitation, in milliseconds. */
const LIFETIME = 14 * 86_400_000;

/** The settings of teams. */
export interface TeamSettings {
  readonly names: Names;
  readonly now: () => number;
  readonly store: AccountStore;
  readonly keys: APIKeys;
}

/** A change of a membership. */
export interface MemberTarget {
  readonly teamId: string;
  /** The id of the membership. */
  readonly id: string;
  /** The id of the membership of the owner who acts. */
  readonly by?: string | undefined;
}

/** The teams of an application: the rules that its pages and its API share. */
export class TeamService {
  readonly #settings: TeamSettings;

  constructor(settings: TeamSettings) {
    this.#settings = settings;
    if (settings.names.teamRoles && settings.store.teams === undefined) {
      throw new TypeError(
        "Cannot create accounts: teamRoles need a database with teams",
      );
    }
  }

  /** `true` if the application has teams. */
  get isOn(): boolean {
    return this.roles.length > 0;
  }

  /** The roles, the first of which is that of owners. */
  get roles(): readonly string[] {
    return this.#settings.names.teamRoles ?? [];
  }

  /** The role of owners. */
  get owner(): string {
    return this.roles[0] ?? "";
  }

  /** The store. */
  get store(): TeamStore {
    const { teams } = this.#settings.store;
    if (teams !== undefined && this.isOn) return teams;
    throw new TypeError("Cannot use teams: the definition has no teamRoles");
  }

  /** Creates a team, whose owner the account becomes. */
  async create(
    { id: userId, version }: Pick<StoredAccount, "id" | "version">,
    name: string,
  ): Promise<FoundMember | "ended" | "too-many"> {
    const createdAt = this.#settings.now();
    const team = { id: newId(), name, createdAt };
    const role = this.owner;
    const member = { id: newId(), teamId: team.id, userId, role, createdAt };
    if (!await this.store.create(team, member, version)) return "ended";
    // Concurrent requests see each other's teams here, so none exceeds the limit.
    const all = await this.store.list(userId);
    if (all.length <= MAX_TEAMS) return { member, team };
    await this.store.remove(team.id);
    return "too-many";
  }

  /** Adds an account to a team. */
  async add(
    { id: userId, version }: Pick<StoredAccount, "id" | "version">,
    { teamId, role }: { readonly teamId: string; readonly role: string },
  ): Promise<boolean> {
    const createdAt = this.#settings.now();
    const member = { id: newId(), teamId, userId, role, createdAt };
    return await this.store.add(member, version);
  }

  /** Changes the role of a member. */
  async setRole(
    { teamId, id, by }: MemberTarget,
    role: string,
  ): Promise<boolean> {
    const { owner } = this;
    return await this.store.setRole({ teamId, id, by, owner }, role);
  }

  /** Ends a membership, and with it the API keys that belong to it. */
  async removeMember(
    { teamId, id, by }: MemberTarget,
    userId: string,
  ): Promise<boolean> {
    const change = { teamId, id, by, owner: this.owner };
    if (!await this.store.removeMember(change)) return false;
    // If this fails, the keys only take up space: they need the membership.
    await this.#settings.keys.revokeOf(userId, teamId);
    return true;
  }

  /** Invites an address to a team. */
  async invite(
    { teamId, id: invitedBy }: Pick<MemberTarget, "teamId" | "id">,
    { email, role }: { readonly email: string; readonly role: string },
  ): Promise<StoredInvitation | "ended" | "member" | "too-many"> {
    const { store, owner } = this;
    const createdAt = this.#settings.now();
    const members = await store.members(teamId);
    if (members.some((member) => member.email === email)) return "member";
    const expiresAt = createdAt + LIFETIME;
    const times = { createdAt, expiresAt };
    const invitation = {
      id: newId(),
      teamId,
      email,
      role,
      invitedBy,
      ...times,
    };
    if (!await store.invite(invitation, owner)) return "ended";
    const open = await this.openInvitations(teamId);
    const isFull = open.length > MAX_INVITATIONS ||
      members.length + open.length > MAX_MEMBERS;
    if (!isFull) return invitation;
    await store.removeInvitation(teamId, invitation.id);
    return "too-many";
  }

  /** Returns the valid invitations of a team, and removes the expired ones. */
  async openInvitations(teamId: string): Promise<StoredInvitation[]> {
    const now = this.#settings.now();
    const all = await this.store.invitations(teamId);
    for (const { expiresAt, id } of all) {
      if (expiresAt <= now) await this.store.removeInvitation(teamId, id);
    }
    return all.filter(({ expiresAt }) => expiresAt > now);
  }

  /** Returns the invitations of an account with a verified address. */
  async invitationsOf(
    { email, emailVerified }: StoredAccount,
  ): Promise<StoredInvitation[]> {
    if (!emailVerified) return [];
    const now = this.#settings.now();
    return (await this.store.invitationsFor(email))
      .filter(({ expiresAt }) => expiresAt > now);
  }

  /** Accepts an invitation, once, for an account with its address. */
  async accept(
    account: StoredAccount,
    id: string,
  ): Promise<FoundMember | null> {
    const { email, emailVerified } = account;
    if (!emailVerified) return null;
    const { owner, store } = this;
    const use = { email, now: this.#settings.now(), owner };
    const invitation = await store.takeInvitation(id, use);
    if (invitation === null) return null;
    const { role, teamId } = invitation;
    // An account that is a member already keeps its role.
    await this.add(account, { teamId, role });
    return await store.membership(teamId, account.id);
  }

  /** Returns the names of the teams that would lose their last owner. */
  async onlyOwnerOf(userId: string): Promise<string[]> {
    if (!this.isOn) return [];
    const names: string[] = [];
    for (const { member, team } of await this.store.list(userId)) {
      if (member.role !== this.owner) continue;
      const members = await this.store.members(team.id);
      const others = members.filter((one) => one.userId !== userId);
      const hasOwner = others.some(({ role }) => role === this.owner);
      if (others.length > 0 && !hasOwner) names.push(team.name);
    }
    return names;
  }

  /** Removes the teams whose only member is an account that is removed. */
  async removeEmptyTeamsOf(userId: string): Promise<void> {
    if (!this.isOn) return;
    for (const { team } of await this.store.list(userId)) {
      const members = await this.store.members(team.id);
      if (members.length === 1) await this.store.remove(team.id);
    }
  }
}

/** Returns a new id: 128 random bits. */
function newId(): string {
  return randomToken(16);
}
