import type { SQLRow, SQLValue } from "../../session/stores/sql.ts";
import type { SQLDatabase } from "./_sql_database.ts";
import type { TableNames } from "./_tables.ts";
import type {
  FoundMember,
  ListedMember,
  MemberChange,
  StoredInvitation,
  StoredMember,
  StoredTeam,
  TeamStore,
} from "./teams.ts";

const MEMBER = "m.id, m.team_id, m.user_id, m.role, m.created_at";
const TEAM = "t.name AS team_name, t.created_at AS team_created_at";
const INVITATION =
  "id, team_id, email, role, invited_by, created_at, expires_at";

/** The teams of a store of accounts in a SQL database. */
export class SQLTeamStore implements TeamStore {
  readonly #db: SQLDatabase;
  readonly #names: TableNames;

  constructor(db: SQLDatabase) {
    this.#db = db;
    this.#names = db.names;
  }

  async create(
    { id, name, createdAt }: StoredTeam,
    owner: StoredMember,
    version: number,
  ): Promise<boolean> {
    await this.#db.run(
      `INSERT INTO ${this.#names.teams} (id, name, created_at) VALUES (?, ?, ?)`,
      [id, name, Math.floor(createdAt)],
    );
    if (await this.add(owner, version)) return true;
    // If the process stops before this, a team without members remains, which
    // no user sees.
    await this.remove(id);
    return false;
  }

  async find(id: string): Promise<StoredTeam | null> {
    const [row] = await this.#db.run(
      `SELECT id, name, created_at FROM ${this.#names.teams} WHERE id = ?`,
      [id],
    );
    return row === undefined ? null : {
      id: String(row.id),
      name: String(row.name),
      createdAt: Number(row.created_at),
    };
  }

  async rename(id: string, name: string): Promise<boolean> {
    return await this.#db.changes(
      `UPDATE ${this.#names.teams} SET name = ? WHERE id = ? RETURNING id`,
      [name, id],
    );
  }

  async remove(id: string): Promise<boolean> {
    const { invitations, members, teams } = this.#names;
    const isRemoved = await this.#db.changes(
      `DELETE FROM ${teams} WHERE id = ? RETURNING id`,
      [id],
    );
    // SQLite without foreign keys keeps them. Without their team they are invalid.
    for (const table of [members, invitations]) {
      await this.#db.run(`DELETE FROM ${table} WHERE team_id = ?`, [id]);
    }
    return isRemoved;
  }

  async list(userId: string): Promise<readonly FoundMember[]> {
    const rows = await this.#db.run(
      `SELECT ${MEMBER}, ${TEAM} ${this.#joined}
      WHERE m.user_id = ? ORDER BY m.created_at, m.id`,
      [userId],
    );
    return rows.map(toFound);
  }

  async membership(
    teamId: string,
    userId: string,
  ): Promise<FoundMember | null> {
    const [row] = await this.#db.run(
      `SELECT ${MEMBER}, ${TEAM} ${this.#joined}
      WHERE m.team_id = ? AND m.user_id = ?`,
      [teamId, userId],
    );
    return row === undefined ? null : toFound(row);
  }

  async members(teamId: string): Promise<readonly ListedMember[]> {
    const { columns } = this.#names;
    const rows = await this.#db.run(
      `SELECT ${MEMBER}, u.${columns.name} AS user_name, u.${columns.email} AS user_email
      ${this.#joined} WHERE m.team_id = ? ORDER BY m.created_at, m.id`,
      [teamId],
    );
    return rows.map((row) => ({
      ...toMember(row),
      name: String(row.user_name),
      email: String(row.user_email),
    }));
  }

  async add(member: StoredMember, version: number): Promise<boolean> {
    const { columns, members, teams, users } = this.#names;
    const { id, teamId, userId, role, createdAt } = member;
    return await this.#db.changes(
      `INSERT INTO ${members} (id, team_id, user_id, role, created_at)
      SELECT CAST(? AS TEXT), t.id, u.${columns.id}, CAST(? AS TEXT),
        CAST(? AS BIGINT)
      FROM ${users} u JOIN ${teams} t ON t.id = ?
      WHERE u.${columns.id} = ? AND u.${columns.version} = ?
      ${this.#db.lock("FOR SHARE")}
      ON CONFLICT (team_id, user_id) DO NOTHING RETURNING id`,
      [id, role, Math.floor(createdAt), teamId, userId, version],
    );
  }

  async setRole(change: MemberChange, role: string): Promise<boolean> {
    const { params, where, withOwners } = this.#unlessLast(change);
    if (role === change.owner) {
      // This change removes no owner.
      const { condition, params } = this.#byOwner(change);
      return await this.#db.changes(
        `${withOwners} UPDATE ${this.#names.members} AS m SET role = ?
        WHERE m.team_id = ? AND m.id = ? ${condition} RETURNING id`,
        [
          ...this.#ownerParams(change),
          role,
          change.teamId,
          change.id,
          ...params,
        ],
      );
    }
    return await this.#db.changes(
      `${withOwners} UPDATE ${this.#names.members} AS m SET role = ?
      WHERE ${where} RETURNING id`,
      [...this.#ownerParams(change), role, ...params],
    );
  }

  async removeMember(change: MemberChange): Promise<boolean> {
    const { params, where, withOwners } = this.#unlessLast(change);
    return await this.#db.changes(
      `${withOwners} DELETE FROM ${this.#names.members} AS m
      WHERE ${where} RETURNING id`,
      [...this.#ownerParams(change), ...params],
    );
  }

  async invite(
    invitation: StoredInvitation,
    owner: string,
  ): Promise<boolean> {
    const { invitations, members } = this.#names;
    const { id, teamId, email, role, invitedBy, createdAt, expiresAt } =
      invitation;
    const columns = INVITATION.split(", ");
    return await this.#db.changes(
      `INSERT INTO ${invitations} (${INVITATION})
      SELECT CAST(? AS TEXT), m.team_id, CAST(? AS TEXT), CAST(? AS TEXT), m.id,
        CAST(? AS BIGINT), CAST(? AS BIGINT)
      FROM ${members} m WHERE m.id = ? AND m.team_id = ? AND m.role = ?
      ${this.#db.lock("FOR SHARE")}
      ON CONFLICT (team_id, email) DO UPDATE SET ${
        columns.map((name) => `${name} = excluded.${name}`)
      } RETURNING id`,
      [
        id,
        email,
        role,
        Math.floor(createdAt),
        Math.floor(expiresAt),
        invitedBy,
        teamId,
        owner,
      ],
    );
  }

  async findInvitation(id: string): Promise<StoredInvitation | null> {
    const [invitation] = await this.#invitationsBy("id", id);
    return invitation ?? null;
  }

  async invitations(teamId: string): Promise<readonly StoredInvitation[]> {
    return await this.#invitationsBy("team_id", teamId);
  }

  async invitationsFor(email: string): Promise<readonly StoredInvitation[]> {
    return await this.#invitationsBy("email", email);
  }

  async takeInvitation(
    id: string,
    { email, now, owner }: Parameters<TeamStore["takeInvitation"]>[1],
  ): Promise<StoredInvitation | null> {
    const { invitations, members } = this.#names;
    const [row] = await this.#db.run(
      `DELETE FROM ${invitations} AS i
      WHERE i.id = ? AND i.email = ? AND i.expires_at > ? AND EXISTS (
        SELECT 1 FROM ${members} m
        WHERE m.id = i.invited_by AND m.team_id = i.team_id AND m.role = ?
      ) RETURNING ${INVITATION}`,
      [id, email, Math.floor(now), owner],
    );
    return row === undefined ? null : toInvitation(row);
  }

  async removeInvitation(teamId: string, id: string): Promise<boolean> {
    return await this.#db.changes(
      `DELETE FROM ${this.#names.invitations}
      WHERE team_id = ? AND id = ? RETURNING id`,
      [teamId, id],
    );
  }

  /** The memberships whose team and account exist. */
  get #joined(): string {
    const { columns, members, teams, users } = this.#names;
    return `FROM ${members} m JOIN ${teams} t ON t.id = m.team_id
      JOIN ${users} u ON u.${columns.id} = m.user_id`;
  }

  /**
   * Returns the conditions under which a member may lose a role. In PostgreSQL,
   * changes lock the owners of a team in the order of their ids: of two owners who
   * leave at the same time, the second one waits and then counts again.
   */
  #unlessLast(change: MemberChange) {
    const { columns, members, users } = this.#names;
    const { condition, params } = this.#byOwner(change);
    return {
      withOwners: `WITH owners AS (
        SELECT o.id FROM ${members} o
        JOIN ${users} u ON u.${columns.id} = o.user_id
        WHERE o.team_id = ? AND o.role = ? AND u.${columns.delete_at} IS NULL
        ORDER BY o.id ${this.#db.lock("FOR UPDATE OF o")}
      )`,
      where: `m.team_id = ? AND m.id = ? AND CASE WHEN m.role = ?
        THEN (SELECT COUNT(*) FROM owners WHERE owners.id <> m.id)
        ELSE 1 END > 0 ${condition}`,
      params: [change.teamId, change.id, change.owner, ...params],
    };
  }

  #ownerParams({ owner, teamId }: MemberChange): SQLValue[] {
    return [teamId, owner];
  }

  #byOwner({ by }: MemberChange): { condition: string; params: SQLValue[] } {
    return by === undefined
      ? { condition: "", params: [] }
      : { condition: "AND ? IN (SELECT id FROM owners)", params: [by] };
  }

  async #invitationsBy(
    column: "id" | "team_id" | "email",
    value: string,
  ): Promise<StoredInvitation[]> {
    const rows = await this.#db.run(
      `SELECT ${INVITATION} FROM ${this.#names.invitations}
      WHERE ${column} = ? ORDER BY created_at, id`,
      [value],
    );
    return rows.map(toInvitation);
  }
}

function toFound(row: SQLRow): FoundMember {
  const member = toMember(row);
  return {
    member,
    team: {
      id: member.teamId,
      name: String(row.team_name),
      createdAt: Number(row.team_created_at),
    },
  };
}

function toMember(row: SQLRow): StoredMember {
  return {
    id: String(row.id),
    teamId: String(row.team_id),
    userId: String(row.user_id),
    role: String(row.role),
    createdAt: Number(row.created_at),
  };
}

function toInvitation(row: SQLRow): StoredInvitation {
  return {
    id: String(row.id),
    teamId: String(row.team_id),
    email: String(row.email),
    role: String(row.role),
    invitedBy: String(row.invited_by),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}
