import { toAccount, toWayIn } from "./_rows.ts";
import type { SQLDatabase } from "./_sql_database.ts";
import type { FoundWayIn, WayIn, WayInUse } from "./store.ts";

const WAY_COLUMNS = [
  "kind",
  "id",
  "user_id",
  "name",
  "created_at",
  "used_at",
  "counter",
  "data",
];

const WAY_SELECT = WAY_COLUMNS.map((name) => `w.${name} AS way_${name}`)
  .join(", ");

/** The ways into accounts in a SQL database. */
export class SQLWaysIn {
  readonly #db: SQLDatabase;

  constructor(db: SQLDatabase) {
    this.#db = db;
  }

  async add(way: WayIn, version: number): Promise<boolean> {
    const { users, waysIn, columns } = this.#db.names;
    const columnsToSet = [...WAY_COLUMNS, "version"];
    return await this.#db.changes(
      `INSERT INTO ${waysIn} (${columnsToSet})
      SELECT CAST(? AS TEXT), CAST(? AS TEXT), u.${columns.id},
        CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT),
        CAST(? AS BIGINT), CAST(? AS TEXT), u.${columns.version}
      FROM ${users} u WHERE u.${columns.id} = ? AND u.${columns.version} = ?
      ${this.#db.lock("FOR SHARE")}
      ON CONFLICT (kind, id) DO UPDATE SET ${
        columnsToSet.map((name) => `${name} = excluded.${name}`)
      } WHERE ${waysIn}.version < COALESCE(
        (SELECT o.${columns.ways_after} FROM ${users} o
          WHERE o.${columns.id} = ${waysIn}.user_id),
        ${waysIn}.version + 1
      ) RETURNING id`,
      [
        way.kind,
        way.id,
        way.name,
        Math.floor(way.createdAt),
        way.usedAt && Math.floor(way.usedAt),
        way.counter,
        JSON.stringify(way.data),
        way.accountId,
        version,
      ],
    );
  }

  async find(kind: string, id: string): Promise<FoundWayIn | null> {
    const [row] = await this.#db.run(
      `SELECT ${this.#db.accountColumns}, ${WAY_SELECT} ${this.#validWays}
      AND w.kind = ? AND w.id = ?`,
      [kind, id],
    );
    return row === undefined
      ? null
      : { way: toWayIn(row), account: toAccount(row) };
  }

  async list(accountId: string, kind?: string): Promise<readonly WayIn[]> {
    const rows = await this.#db.run(
      `SELECT ${WAY_SELECT} ${this.#validWays} AND w.user_id = ?
      ${kind === undefined ? "" : "AND w.kind = ?"}
      ORDER BY w.created_at, w.id`,
      kind === undefined ? [accountId] : [accountId, kind],
    );
    return rows.map(toWayIn);
  }

  async use(
    kind: string,
    id: string,
    use: WayInUse,
    ifCounter: number,
  ): Promise<boolean> {
    return await this.#db.changes(
      `UPDATE ${this.#db.names.waysIn} SET used_at = ?, counter = ?, data = ?
      WHERE kind = ? AND id = ? AND counter = ? RETURNING id`,
      [
        Math.floor(use.usedAt),
        use.counter,
        JSON.stringify(use.data),
        kind,
        id,
        ifCounter,
      ],
    );
  }

  async rename(
    { accountId, id, kind }: Pick<WayIn, "accountId" | "kind" | "id">,
    name: string,
  ): Promise<boolean> {
    return await this.#db.changes(
      `UPDATE ${this.#db.names.waysIn} SET name = ?
      WHERE kind = ? AND id = ? AND user_id = ? RETURNING id`,
      [name, kind, id, accountId],
    );
  }

  async remove(
    { accountId, id, kind }: Pick<WayIn, "accountId" | "kind" | "id">,
  ): Promise<boolean> {
    return await this.#db.changes(
      `DELETE FROM ${this.#db.names.waysIn}
      WHERE kind = ? AND id = ? AND user_id = ? RETURNING id`,
      [kind, id, accountId],
    );
  }

  /** The ways in that a change of their account has not removed. */
  get #validWays(): string {
    const { users, waysIn, columns } = this.#db.names;
    return `FROM ${waysIn} w JOIN ${users} u ON u.${columns.id} = w.user_id
      WHERE w.version >= u.${columns.ways_after}`;
  }
}
