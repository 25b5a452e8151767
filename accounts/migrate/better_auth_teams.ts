import type { SQLQuery } from "../../session/stores/sql.ts";
import { type OldRow, OldTable, requireTable } from "./_old_tables.ts";
import type { ImportedTeam } from "./imported_team.ts";

/** Options for {@linkcode readBetterAuthTeams}. */
export interface BetterAuthTeamsOptions {
  /**
   * The SQL dialect.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
}

/**
 * Reads the organizations of better-auth's plugin `organization`, with their members
 * and open invitations, for `importTeams`. It yields no team if the plugin
 * has no tables. It changes nothing.
 *
 * @example Reading a database without the plugin
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readBetterAuthTeams } from "@gatehouse/web/accounts/migrate";
 *
 * const teams = readBetterAuthTeams(() => []);
 * assertEquals((await teams.next()).done, true);
 * ```
 *
 * @param query The function that runs a statement in the database of better-auth.
 * @param options The dialect.
 * @returns The teams.
 * @throws {TypeError} If the table of the members or a column is missing.
 */
export async function* readBetterAuthTeams(
  query: SQLQuery,
  { dialect = "sqlite" }: BetterAuthTeamsOptions = {},
): AsyncGenerator<ImportedTeam, void, unknown> {
  const database = { query, dialect };
  const teams = await OldTable.find(
    database,
    "organization",
    "organizations",
  );
  if (teams === null) return;
  const tables: Tables = {
    members: await requireTable(database, "member", "members"),
    invitations: await OldTable.find(database, "invitation", "invitations"),
    inner: await OldTable.find(database, "team", "teams"),
  };
  for await (const row of teams.rows()) yield await readTeam(tables, row);
}

/** The tables of the parts of an organization. */
interface Tables {
  readonly members: OldTable;
  readonly invitations: OldTable | null;
  /** The teams within organizations. */
  readonly inner: OldTable | null;
}

async function readTeam(tables: Tables, row: OldRow): Promise<ImportedTeam> {
  const id = row.text("id") ?? "";
  const of = async (table: OldTable | null) =>
    await table?.where("organizationId", id) ?? [];
  const count = (await of(tables.inner)).length;
  return {
    id,
    name: row.text("name") || (row.text("slug") ?? ""),
    createdAt: row.time("createdAt") ?? 0,
    members: (await of(tables.members)).map((member) => ({
      userId: member.text("userId") ?? "",
      role: member.text("role") ?? "",
      createdAt: member.time("createdAt") ?? 0,
    })),
    invitations: (await of(tables.invitations))
      .filter((one) => one.text("status") === "pending")
      .map((one) => ({
        email: one.text("email") ?? "",
        role: one.text("role") ?? "",
        invitedBy: one.text("inviterId") ?? "",
        createdAt: one.time("createdAt") ?? 0,
        expiresAt: one.time("expiresAt") ?? 0,
      })),
    problems: count > 0 ? [`inner teams are not imported: ${count}`] : [],
  };
}
