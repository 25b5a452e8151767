/** The query plans of the SQL store: no statement reads the whole table. */
import { assertEquals, assertGreater } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import connect from "npm:postgres@3.4.7";
import {
  createSQLSessionStore,
  type SQLQuery,
  type SQLRow,
  type SQLValue,
} from "@gatehouse/web/session/sql";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { findProgram, startPostgres } from "../deno/_servers.ts";

const ROOT = new URL("../../", import.meta.url);

const postgres = findProgram("postgres", "query plans of PostgreSQL");

interface Statement {
  readonly sql: string;
  readonly params: SQLValue[];
}

Deno.test("createSQLSessionStore() searches by index in each statement (SQLite)", async () => {
  using db = new DatabaseSync(":memory:");
  const query: SQLQuery = (sql, params) =>
    db.prepare(sql).all(...params) as SQLRow[];
  for (const { params, sql } of await statements(query, "sqlite")) {
    assertSearches(sql, await query(`EXPLAIN QUERY PLAN ${sql}`, params));
  }
});

Deno.test("createSQLSessionStore() searches by index in each statement (D1)", async () => {
  using db = new DatabaseSync(":memory:");
  const query: SQLQuery = (sql, params) =>
    db.prepare(sql).all(...params) as SQLRow[];
  const known = await statements(query, "sqlite");
  const script = await bundle(`
    import { createSQLSessionStore } from "${ROOT.href}session/stores/sql.ts";
    const known = ${JSON.stringify(known)};
    export default {
      async fetch(_request, { DB }) {
        const query = async (sql, params) =>
          (await DB.prepare(sql).bind(...params).all()).results;
        await createSQLSessionStore(query).get("create the table");
        const plans = [];
        for (const { params, sql } of known) {
          plans.push(await query("EXPLAIN QUERY PLAN " + sql, params));
        }
        return Response.json(plans);
      },
    };`);
  await using worker = await startWorker({ script, d1Databases: ["DB"] });
  const plans: SQLRow[][] = await (await fetch(worker.url)).json();
  assertEquals(plans.length, known.length);
  for (const [index, plan] of plans.entries()) {
    assertSearches(known[index]!.sql, plan);
  }
});

Deno.test({
  name:
    "createSQLSessionStore() searches by index in each statement (PostgreSQL)",
  ignore: postgres === null,
  fn: async () => {
    const server = await startPostgres(postgres!);
    const sql = connect({
      host: "127.0.0.1",
      port: server.port,
      user: "test",
      db: "postgres",
      onnotice() {},
    });
    try {
      const query: SQLQuery = (text, params) => sql.unsafe(text, params);
      const known = await statements(query, "postgres");
      // Live and expired rows, half of them of users with 100 sessions each.
      await query(
        `INSERT INTO gatehouse_sessions (id, value, version, expires_at, index1)
        SELECT 'id' || n, repeat('x', 500), 'v', (n % 2) * 9000000000000,
        CASE WHEN n % 4 < 2 THEN 'user:' || n % 200 END
        FROM generate_series(1, 40000) AS n`,
        [],
      );
      await query("ANALYZE gatehouse_sessions", []);
      for (const { params, sql } of known) {
        const plan = (await query(`EXPLAIN ${sql}`, params))
          .map((row) => String(row["QUERY PLAN"]));
        const scans = plan.filter((line) =>
          line.includes("Seq Scan on gatehouse_sessions")
        );
        assertEquals(scans, [], `${sql}\n${plan.join("\n")}`);
      }
    } finally {
      await sql.end();
      await server.stop();
    }
  },
});

/** Uses every method of a store and returns the statements. */
async function statements(
  query: SQLQuery,
  dialect: "sqlite" | "postgres",
): Promise<Statement[]> {
  const known: Statement[] = [];
  const store = createSQLSessionStore((sql, params) => {
    known.push({ sql, params });
    return query(sql, params);
  }, { dialect });
  await store.get("create the table");
  known.length = 0;
  const options = { ttl: 60_000, ifVersion: null, index: ["user:7"] };
  await store.put("key", "value", options);
  const { version } = (await store.get("key"))!;
  await store.put("key", "value", { ...options, ifVersion: version });
  await store.byIndex!("user:7");
  const keys = Array.from({ length: 500 }, (_none, n) => `id${n}`);
  await store.getMany!(keys);
  await store.replaceMany!(keys.map((key) => ({ key, version })), "new", 1);
  await store.delete("key");
  await store.sweep!(Date.now());
  assertGreater(known.length, 8);
  return known;
}

/** Asserts that a plan of SQLite reads no whole table or index. */
function assertSearches(sql: string, plan: readonly SQLRow[]): void {
  const details = plan.map(({ detail }) => String(detail));
  const scans = details.filter((detail) => /^SCAN gatehouse/.test(detail));
  assertEquals(scans, [], `${sql}\n${details.join("\n")}`);
  // The expired rows that a sweep does not remove are not read either.
  if (!sql.startsWith("DELETE") || !sql.includes("LIMIT")) return;
  const [outer] = details;
  assertEquals(outer!.includes("(id=?)"), true, details.join("\n"));
}
