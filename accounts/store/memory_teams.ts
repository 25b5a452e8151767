import type {
  FoundMember,
  ListedMember,
  MemberChange,
  StoredInvitation,
  StoredMember,
  StoredTeam,
  TeamStore,
} from "./teams.ts";
import type { StoredAccount } from "./store.ts";

/** The teams of a store of accounts in memory. */
export class MemoryTeamStore implements TeamStore {
  readonly #accountOf: (id: string) => StoredAccount | undefined;
  readonly #teams = new Map<string, StoredTeam>();
  readonly #members = new Map<string, StoredMember>();
  readonly #invitations = new Map<string, StoredInvitation>();

  constructor(accountOf: (id: string) => StoredAccount | undefined) {
    this.#accountOf = accountOf;
  }

  async create(
    team: StoredTeam,
    owner: StoredMember,
    version: number,
  ): Promise<boolean> {
    this.#teams.set(team.id, team);
    const isAdded = await this.add(owner, version);
    if (!isAdded) this.#teams.delete(team.id);
    return isAdded;
  }

  find(id: string): Promise<StoredTeam | null> {
    return Promise.resolve(this.#teams.get(id) ?? null);
  }

  rename(id: string, name: string): Promise<boolean> {
    const team = this.#teams.get(id);
    if (team !== undefined) this.#teams.set(id, { ...team, name });
    return Promise.resolve(team !== undefined);
  }

  remove(id: string): Promise<boolean> {
    for (const member of this.#of(id)) this.#members.delete(member.id);
    for (const one of this.#invitations.values()) {
      if (one.teamId === id) this.#invitations.delete(one.id);
    }
    return Promise.resolve(this.#teams.delete(id));
  }

  list(userId: string): Promise<readonly FoundMember[]> {
    const own = this.#sorted().filter((member) => member.userId === userId);
    return Promise.resolve(own.map((member) => this.#found(member)));
  }

  membership(teamId: string, userId: string): Promise<FoundMember | null> {
    const member = this.#of(teamId).find((one) => one.userId === userId);
    return Promise.resolve(member === undefined ? null : this.#found(member));
  }

  members(teamId: string): Promise<readonly ListedMember[]> {
    return Promise.resolve(
      this.#of(teamId).map((member) => {
        const { email, name } = this.#accountOf(member.userId)!;
        return { ...member, name, email };
      }),
    );
  }

  add(member: StoredMember, version: number): Promise<boolean> {
    const { id, teamId, userId } = member;
    const isCurrent = this.#accountOf(userId)?.version === version;
    const isMember = this.#of(teamId).some((one) => one.userId === userId);
    if (!isCurrent || isMember || !this.#teams.has(teamId)) {
      return Promise.resolve(false);
    }
    this.#members.set(id, member);
    return Promise.resolve(true);
  }

  setRole(change: MemberChange, role: string): Promise<boolean> {
    const member = this.#changeable(change, role);
    if (member !== null) this.#members.set(change.id, { ...member, role });
    return Promise.resolve(member !== null);
  }

  removeMember(change: MemberChange): Promise<boolean> {
    const member = this.#changeable(change);
    return Promise.resolve(member !== null && this.#members.delete(change.id));
  }

  invite(invitation: StoredInvitation, owner: string): Promise<boolean> {
    const { email, invitedBy, teamId } = invitation;
    const sender = this.#members.get(invitedBy);
    if (sender?.teamId !== teamId || sender.role !== owner) {
      return Promise.resolve(false);
    }
    for (const one of this.#invitations.values()) {
      if (one.teamId === teamId && one.email === email) {
        this.#invitations.delete(one.id);
      }
    }
    this.#invitations.set(invitation.id, invitation);
    return Promise.resolve(true);
  }

  findInvitation(id: string): Promise<StoredInvitation | null> {
    return Promise.resolve(this.#invitations.get(id) ?? null);
  }

  invitations(teamId: string): Promise<readonly StoredInvitation[]> {
    return this.#invitationsWhere((one) => one.teamId === teamId);
  }

  invitationsFor(email: string): Promise<readonly StoredInvitation[]> {
    return this.#invitationsWhere((one) => one.email === email);
  }

  takeInvitation(
    id: string,
    { email, now, owner }: Parameters<TeamStore["takeInvitation"]>[1],
  ): Promise<StoredInvitation | null> {
    const found = this.#invitations.get(id);
    const sender = found && this.#members.get(found.invitedBy);
    const isValid = found?.email === email && found.expiresAt > now &&
      sender?.role === owner;
    if (isValid) this.#invitations.delete(id);
    return Promise.resolve(isValid ? found : null);
  }

  removeInvitation(teamId: string, id: string): Promise<boolean> {
    const isOwn = this.#invitations.get(id)?.teamId === teamId;
    return Promise.resolve(isOwn && this.#invitations.delete(id));
  }

  /** Removes the memberships of an account that is removed. */
  removeUser(userId: string): void {
    for (const { id, userId: owner } of this.#members.values()) {
      if (owner === userId) this.#members.delete(id);
    }
  }

  /** Returns a membership if the change is possible. */
  #changeable(
    { by, id, owner, teamId }: MemberChange,
    role?: string,
  ): StoredMember | null {
    const member = this.#members.get(id);
    if (member?.teamId !== teamId) return null;
    const owners = this.#of(teamId)
      .filter((one) => one.role === owner)
      .filter(({ userId }) => this.#accountOf(userId)!.deleteAt === null);
    const others = owners.filter((one) => one.id !== id);
    const isLast = member.role === owner && role !== owner &&
      others.length === 0;
    const mayChange = by === undefined || owners.some((one) => one.id === by);
    return isLast || !mayChange ? null : member;
  }

  #invitationsWhere(
    condition: (invitation: StoredInvitation) => boolean,
  ): Promise<StoredInvitation[]> {
    const found = [...this.#invitations.values()].filter(condition);
    return Promise.resolve(found.sort(byTime));
  }

  #found(member: StoredMember): FoundMember {
    return { member, team: this.#teams.get(member.teamId)! };
  }

  #of(teamId: string): StoredMember[] {
    return this.#sorted().filter((member) => member.teamId === teamId);
  }

  #sorted(): StoredMember[] {
    return [...this.#members.values()].sort(byTime);
  }
}

function byTime(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
