import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";

const ROOT = new URL("../../", import.meta.url);

/** The folders whose tables readers copy. */
const FOLDERS = ["docs/", "create/", "examples/"];

/** A statement that creates a table, and its file. */
interface Table {
  readonly file: string;
  readonly name: string;
  readonly sql: string;
}

/** Returns the statements of a source, up to the parenthesis that ends them. */
function tablesIn(file: string, source: string): Table[] {
  const begin = /CREATE TABLE (?:IF NOT EXISTS )?(\w+)\s*\(/gi;
  return [...source.matchAll(begin)].map((match) => {
    let end = match.index + match[0].length;
    for (let depth = 1; depth > 0 && end < source.length; end++) {
      depth += source[end] === "(" ? 1 : source[end] === ")" ? -1 : 0;
    }
    return { file, name: match[1]!, sql: source.slice(match.index, end) };
  });
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* sources(`${path}/`);
    else if (/\.(?:ts|md|sql)$/.test(path)) yield path;
  }
}

async function allTables(): Promise<Table[]> {
  const tables: Table[] = [];
  for (const folder of FOLDERS) {
    for await (const file of sources(folder)) {
      const source = await Deno.readTextFile(new URL(file, ROOT));
      tables.push(...tablesIn(file, source));
    }
  }
  return tables;
}

Deno.test("the cookie of a removed user does not become the next user who registers", async () => {
  // The database chooses no id that is a string.
  const tables = (await allTables()).filter(({ name, sql }) =>
    name === "users" && !sql.includes("id TEXT PRIMARY KEY")
  );
  const files = new Set(tables.map(({ file }) => file));
  for (const file of ["docs/deploy.md", "docs/getting_started.md"]) {
    assert(files.has(file), `${file} has no table of users`);
  }

  for (const { file, sql } of tables) {
    const database = new DatabaseSync(":memory:");
    database.exec(sql);
    const columns = database.prepare("PRAGMA table_info(users)").all()
      .filter((column) => column.notnull === 1 && column.dflt_value === null)
      .map((column) => String(column.name));
    const values = columns.map(() => "'x'").join();
    const rows = columns.length > 0
      ? `(${columns}) VALUES (${values})`
      : "DEFAULT VALUES";
    const insert = () =>
      database.prepare(`INSERT INTO users ${rows}`).run().lastInsertRowid;
    const removed = insert();
    database.exec("DELETE FROM users");
    assertNotEquals(insert(), removed, `${file} uses the id again`);
    database.close();
  }
});

Deno.test("no table of the guide, the templates and the examples uses an id again", async () => {
  // A column that references another table has the ids of that table.
  const reused = (await allTables()).filter(({ sql }) =>
    /INTEGER PRIMARY KEY(?! AUTOINCREMENT| REFERENCES)/i.test(sql)
  );
  assertEquals(reused, []);
});
