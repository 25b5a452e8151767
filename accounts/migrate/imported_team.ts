import type { ImportProblem } from "./imported_account.ts";

/** A member of a team of another system. */
export interface ImportedMember {
  /** The id of the account. */
  readonly userId: string;
  /** The role in the other system. */
  readonly role: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
}

/** An open invitation to a team of another system. */
export interface ImportedInvitation {
  /** The address. */
  readonly email: string;
  /** The role of the new member in the other system. */
  readonly role: string;
  /** The id of the account that has invited. */
  readonly invitedBy: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
  /** The time of its expiry, in epoch milliseconds. */
  readonly expiresAt: number;
}

/** A team of another system, for {@linkcode importTeams}. */
export interface ImportedTeam {
  /** The id, which stays the same. */
  readonly id: string;
  /** The name. */
  readonly name: string;
  /** The time of its creation, in epoch milliseconds. */
  readonly createdAt: number;
  /** The members. */
  readonly members: readonly ImportedMember[];
  /**
   * The open invitations.
   *
   * @default {[]}
   */
  readonly invitations?: readonly ImportedInvitation[];
  /**
   * The parts that could not be read. The team is imported without them.
   *
   * @default {[]}
   */
  readonly problems?: readonly string[];
}

/** The outcome of an import of teams. Each number counts what this import stored. */
export interface TeamImportReport {
  /** The teams that were read. */
  readonly read: number;
  /** The new teams. */
  readonly created: number;
  /** The teams that an earlier import created. */
  readonly existing: number;
  /** The teams that were not imported. Each has a line in `problems`. */
  readonly refused: number;
  /** The members. */
  readonly members: number;
  /** The open invitations. */
  readonly invitations: number;
  /** The problems, with the ids of the teams. */
  readonly problems: readonly ImportProblem[];
}
