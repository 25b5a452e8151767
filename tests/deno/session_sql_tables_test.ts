/** The number of statements that a new SQL store sends to a real database. */
import {
  createSQLSessionStore,
  type SQLQuery,
  type SQLRow,
} from "@gatehouse/web/session/sql";
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";

Deno.test("createSQLSessionStore() looks once and creates only missing indexes", async () => {
  using db = new DatabaseSync(":memory:");
  let statements: string[] = [];
  const query: SQLQuery = (sql, params) => {
    statements.push(sql);
    return db.prepare(sql).all(...params) as SQLRow[];
  };
  const table = "Sessions";
  const readMany = async () => {
    statements = [];
    const store = createSQLSessionStore(query, { table });
    await Promise.all(Array.from({ length: 200 }, () => store.get("key")));
    return statements.length - 200;
  };
  assertEquals(await readMany(), 7);
  assertEquals(await readMany(), 1);
  db.exec("DROP INDEX Sessions_index2");
  assertEquals(await readMany(), 2);
  assert(
    statements[1].startsWith("CREATE INDEX IF NOT EXISTS Sessions_index2"),
  );
  assertEquals(await readMany(), 1);
});
