/** A team. */
export interface StoredTeam {
  /** The id: random, and never used again. */
  readonly id: string;
  /** The name. */
  readonly name: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
}

/** A membership of an account in a team. */
export interface StoredMember {
  /** The id: random. A user who leaves and comes back has another one. */
  readonly id: string;
  /** The id of the team. */
  readonly teamId: string;
  /** The id of the account. */
  readonly userId: string;
  /** The role in the team. */
  readonly role: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
}

/** A membership with its team, from one statement. */
export interface FoundMember {
  /** The team. */
  readonly team: StoredTeam;
  /** The membership. */
  readonly member: StoredMember;
}

/** A membership with the name and the address of its account. */
export interface ListedMember extends StoredMember {
  /** The name of the account. */
  readonly name: string;
  /** The address of the account. */
  readonly email: string;
}

/** An invitation of an address to a team. */
export interface StoredInvitation {
  /** The id: random. */
  readonly id: string;
  /** The id of the team. */
  readonly teamId: string;
  /** The address, in the spelling of the accounts. */
  readonly email: string;
  /** The role of the new member. */
  readonly role: string;
  /** The id of the membership of the owner who invites. */
  readonly invitedBy: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of its expiry, in epoch milliseconds. */
  readonly expiresAt: number;
}

/** A change of a membership. */
export interface MemberChange {
  /** The id of the team. */
  readonly teamId: string;
  /** The id of the membership. */
  readonly id: string;
  /** The role of owners. */
  readonly owner: string;
  /**
   * The id of the membership of the owner who changes it. It is missing if the
   * application or the member does.
   *
   * @default {undefined}
   */
  readonly by?: string | undefined;
}

/**
 * A store of teams. One statement must decide each step, because two requests can
 * run at the same time. A team always keeps an owner whose account is not about to be
 * deleted: each change that removes one counts the others.
 */
export interface TeamStore {
  /**
   * Stores a new team with its owner, if the account of the owner still has a
   * version.
   *
   * @param team The team.
   * @param owner The membership of its owner.
   * @param version The version that the account must have.
   * @returns `false` if the account has another version.
   */
  create(
    team: StoredTeam,
    owner: StoredMember,
    version: number,
  ): Promise<boolean>;

  /**
   * Returns a team.
   *
   * @param id The id, from a URL: any string is possible.
   */
  find(id: string): Promise<StoredTeam | null>;

  /**
   * Renames a team.
   *
   * @param id The id of the team.
   * @param name The new name.
   * @returns `false` if there is no such team.
   */
  rename(id: string, name: string): Promise<boolean>;

  /**
   * Removes a team with its memberships and invitations.
   *
   * @param id The id of the team.
   * @returns `false` if there is no such team.
   */
  remove(id: string): Promise<boolean>;

  /**
   * Returns the memberships of an account, oldest first.
   *
   * @param userId The id of the account.
   */
  list(userId: string): Promise<readonly FoundMember[]>;

  /**
   * Returns the membership of an account in a team.
   *
   * @param teamId The id of the team: any string is possible.
   * @param userId The id of the account.
   */
  membership(teamId: string, userId: string): Promise<FoundMember | null>;

  /**
   * Returns the members of a team, oldest first.
   *
   * @param teamId The id of the team.
   */
  members(teamId: string): Promise<readonly ListedMember[]>;

  /**
   * Adds a member, if the account still has a version.
   *
   * @param member The membership.
   * @param version The version that the account must have.
   * @returns `false` if the account has another version or is a member already, or
   * there is no such team.
   */
  add(member: StoredMember, version: number): Promise<boolean>;

  /**
   * Changes the role of a member, unless it is the last owner.
   *
   * @param change The membership.
   * @param role The new role.
   * @returns `false` if it is missing or the last owner, or `by` is not an owner.
   */
  setRole(change: MemberChange, role: string): Promise<boolean>;

  /**
   * Removes a member, unless it is the last owner.
   *
   * @param change The membership.
   * @returns `false` if it is missing or the last owner, or `by` is not an owner.
   */
  removeMember(change: MemberChange): Promise<boolean>;

  /**
   * Stores an invitation, if its sender is still an owner. It replaces another one of
   * the same team and address.
   *
   * @param invitation The invitation.
   * @param owner The role of owners.
   * @returns `false` if the sender is not an owner of the team.
   */
  invite(invitation: StoredInvitation, owner: string): Promise<boolean>;

  /**
   * Returns an invitation.
   *
   * @param id The id, from a URL: any string is possible.
   */
  findInvitation(id: string): Promise<StoredInvitation | null>;

  /**
   * Returns the invitations of a team, oldest first, including expired ones.
   *
   * @param teamId The id of the team.
   */
  invitations(teamId: string): Promise<readonly StoredInvitation[]>;

  /**
   * Returns the invitations of an address, oldest first, including expired
   * ones.
   *
   * @param email The address.
   */
  invitationsFor(email: string): Promise<readonly StoredInvitation[]>;

  /**
   * Uses up an invitation, if its sender is still an owner.
   *
   * @param id The id of the invitation.
   * @param use The address that it must have, the time and the role of owners.
   * @returns The invitation; `null` if it does not work.
   */
  takeInvitation(
    id: string,
    use: {
      readonly email: string;
      readonly now: number;
      readonly owner: string;
    },
  ): Promise<StoredInvitation | null>;

  /**
   * Removes an invitation of a team.
   *
   * @param teamId The id of the team.
   * @param id The id of the invitation.
   * @returns `false` if the team has no such invitation.
   */
  removeInvitation(teamId: string, id: string): Promise<boolean>;
}
