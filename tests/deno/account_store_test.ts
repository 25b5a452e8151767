/** The store of accounts on SQLite. */
import { DatabaseSync } from "node:sqlite";
import {
  AccountStoreError,
  accountTables,
  createSQLAccountStore,
  type SQLAccountStoreOptions,
} from "@gatehouse/web/accounts/store";
import { createRouter } from "@gatehouse/web/fetch-router";
import type { SQLRow, SQLValue } from "@gatehouse/web/session/sql";
import { testAccountStore } from "@gatehouse/web/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { orderChecks } from "../accounts/store/_order_checks.ts";
import { captureConsole } from "../_console.ts";

const ACCOUNT = {
  id: "a1",
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada",
  role: "user",
  language: null,
  fields: {},
  passwordHash: "hash",
  createdAt: 1_000,
};

for (const foreignKeys of [true, false]) {
  const kind = foreignKeys ? "" : " without foreign keys";
  const open = () =>
    createSQLAccountStore(queryOf(openDatabase({ foreignKeys })));
  for (const { name, run } of testAccountStore(open)) {
    Deno.test(`createSQLAccountStore() on SQLite${kind}: ${name}`, run);
  }
  for (const [name, run] of orderChecks) {
    Deno.test(`createSQLAccountStore() on SQLite${kind}: ${name}`, () =>
      run(open()));
  }
}

Deno.test("createSQLAccountStore() uses a table of users that exists", async () => {
  const db = openDatabase();
  db.exec(`CREATE TABLE members (id TEXT PRIMARY KEY, mail TEXT NOT NULL UNIQUE,
    full_name TEXT NOT NULL DEFAULT '', note TEXT)`);
  db.exec(
    "INSERT INTO members (id, mail, note) VALUES ('7', 'eve@x.org', 'n')",
  );
  const options: SQLAccountStoreOptions = {
    usersTable: "members",
    columns: { email: "mail", name: "full_name" },
  };
  const store = createSQLAccountStore(queryOf(db), options);
  const eve = await store.findByEmail("eve@x.org");
  assertEquals(eve?.id, "7");
  assertEquals(eve?.emailVerified, false);
  assertEquals(await store.change("7", 1, { passwordHash: "hash" }), 2);
  await store.create(ACCOUNT);
  const rows = db.prepare("SELECT mail, full_name, note FROM members").all();
  assertEquals(rows.map((row) => ({ ...row })), [
    { mail: "eve@x.org", full_name: "", note: "n" },
    { mail: "ada@example.com", full_name: "Ada", note: null },
  ]);
  for (
    const { run } of testAccountStore(() =>
      createSQLAccountStore(queryOf(db), options)
    )
  ) await run();
});

Deno.test("migrate() creates the tables of accountTables()", async () => {
  const [migrated, listed] = [openDatabase(), openDatabase()];
  await createSQLAccountStore(queryOf(migrated)).migrate();
  for (const statement of accountTables("sqlite")) listed.exec(statement);
  assertEquals(schemaOf(migrated), schemaOf(listed));

  // A database that a migration tool has prepared needs no further statement.
  const statements: string[] = [];
  const query = queryOf(listed);
  const store = createSQLAccountStore((sql, params) => {
    statements.push(sql);
    return query(sql, params);
  });
  await store.find("a1");
  assertEquals(statements.filter((sql) => /CREATE|ALTER/.test(sql)), []);
});

Deno.test("removed accounts, teams and blocks leave no values in their tables", async () => {
  for (const foreignKeys of [true, false]) {
    const db = openDatabase({ foreignKeys });
    const store = createSQLAccountStore(queryOf(db));
    const teams = store.teams!;
    const count = (table: string) => {
      const sql = `SELECT COUNT(*) AS count FROM gatehouse_${table}`;
      return Number(db.prepare(sql).get()!.count);
    };
    const counts = () => ["ways_in", "members", "invitations"].map(count);
    await store.create(ACCOUNT);
    await store.create({ ...ACCOUNT, id: "b1", email: "bob@example.com" });
    const way = { kind: "key", id: "k1", accountId: "a1", name: "CI" };
    const use = { createdAt: 5, usedAt: null, counter: 0, data: null };
    await store.addWayIn({ ...way, ...use }, 1);
    await store.change("a1", 1, { removeWaysIn: true });
    assertEquals(count("ways_in"), 0);
    const disabled = { reason: "spam", until: 2_000 };
    await store.change("a1", 2, { disabled });
    await store.change("a1", 3, { disabled: null });
    const [row] = db.prepare(
      "SELECT disabled_reason, disabled_until FROM gatehouse_users WHERE id = 'a1'",
    ).all();
    assertEquals({ ...row }, { disabled_reason: null, disabled_until: null });

    await store.addWayIn({ ...way, ...use, id: "k2" }, 4);
    for (
      const [id, userId, version] of [["t1", "a1", 4], ["t2", "b1", 1]] as const
    ) {
      const team = { id, name: id, createdAt: 5 };
      const owner = { id: `m${id}`, teamId: id, userId, role: "owner" };
      await teams.create(team, { ...owner, createdAt: 5 }, version);
      const invitation = { id: `i${id}`, teamId: id, email: "eve@x.org" };
      const rest = { role: "reader", invitedBy: `m${id}` };
      const times = { createdAt: 5, expiresAt: 2_000 };
      await teams.invite({ ...invitation, ...rest, ...times }, "owner");
    }
    assertEquals(counts(), [1, 2, 2]);
    await store.remove("a1", 4);
    assertEquals(counts(), [0, 1, 2]);
    await teams.remove("t2");
    assertEquals(counts(), [0, 0, 1]);
  }
});

Deno.test("migrate() notes its version, and looks at no column of a database that has it", async () => {
  const db = openDatabase();
  await createSQLAccountStore(queryOf(db)).migrate();
  const versions = db.prepare("SELECT version FROM gatehouse_migrations").all();
  assertEquals(versions.map((row) => ({ ...row })), [{ version: 3 }]);
  const read = async () => {
    const statements: string[] = [];
    const query = queryOf(db);
    const store = createSQLAccountStore((sql, params) => {
      statements.push(sql);
      return query(sql, params);
    });
    await store.migrate();
    return statements.some((sql) => sql.includes("pragma_table_info"));
  };
  assertEquals(await read(), false);
  // A later version of the library has only added to the tables.
  db.exec("INSERT INTO gatehouse_migrations VALUES (4)");
  assertEquals(await read(), false);
  db.exec("DELETE FROM gatehouse_migrations WHERE version > 1");
  db.exec("INSERT INTO gatehouse_migrations VALUES (2)");
  assertEquals(await read(), true);
  assertEquals(await read(), false);
});

Deno.test("migrate() keeps the accounts of version 1", async () => {
  const db = openDatabase();
  db.exec(VERSION_1);
  const store = createSQLAccountStore(queryOf(db));
  await store.migrate();
  const ada = await store.findByEmail("ada@example.com");
  assertEquals([ada?.id, ada?.version, ada?.fields], ["a1", 3, { plan: "x" }]);
  const found = await store.findWayIn("key", "k2");
  assertEquals(found?.account.id, "a1");
  assertEquals(await store.findWayIn("key", "k1"), null);
});

Deno.test("a database that is down gives 503 with Retry-After", async () => {
  const store = createSQLAccountStore(() => {
    throw Object.assign(new Error("connect postgres://u:s3cret@db"), {
      code: "ECONNREFUSED",
    });
  });
  const error = await assertRejects(() => store.find("a1"), AccountStoreError);
  assertEquals(error.cause?.code, "ECONNREFUSED");
  assertEquals(JSON.stringify(error.cause).includes("s3cret"), false);

  const router = createRouter();
  router.get("/", async () => {
    await store.find("a1");
    return new Response();
  });
  using output = captureConsole();
  const response = await router.fetch("https://example.com/");
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "5");
  assertEquals(String(output.printed).includes("s3cret"), false);
});

Deno.test("a migration that failed runs again at the next call", async () => {
  const query = queryOf(openDatabase());
  let isDown = true;
  const store = createSQLAccountStore((sql, params) => {
    if (isDown) throw new Error("down");
    return query(sql, params);
  });
  await assertRejects(() => store.create(ACCOUNT), AccountStoreError);
  isDown = false;
  assertEquals((await store.create(ACCOUNT))?.id, "a1");
});

/** A database of version 1: `k1` was removed by a change of the account. */
const VERSION_1 = `
CREATE TABLE gatehouse_users (id TEXT NOT NULL PRIMARY KEY, email TEXT NOT NULL,
  email_verified BIGINT NOT NULL DEFAULT 0, name TEXT NOT NULL DEFAULT '',
  role TEXT NOT NULL DEFAULT 'user', language TEXT,
  fields TEXT NOT NULL DEFAULT '{}', password_hash TEXT NOT NULL DEFAULT '',
  version BIGINT NOT NULL DEFAULT 1, ways_after BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL DEFAULT 0, disabled_reason TEXT,
  disabled_until BIGINT, delete_at BIGINT);
CREATE UNIQUE INDEX gatehouse_users_by_email ON gatehouse_users (email);
CREATE INDEX gatehouse_users_by_time ON gatehouse_users (created_at, id);
CREATE INDEX gatehouse_users_by_delete_at ON gatehouse_users (delete_at)
  WHERE delete_at IS NOT NULL;
CREATE TABLE gatehouse_ways_in (kind TEXT NOT NULL, id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES gatehouse_users (id) ON DELETE CASCADE,
  version BIGINT NOT NULL, name TEXT NOT NULL, created_at BIGINT NOT NULL,
  used_at BIGINT, counter BIGINT NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (kind, id));
CREATE INDEX gatehouse_ways_in_by_user
  ON gatehouse_ways_in (user_id, kind, created_at);
CREATE TABLE gatehouse_secrets (name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL);
CREATE TABLE gatehouse_migrations (version BIGINT NOT NULL PRIMARY KEY);
INSERT INTO gatehouse_migrations VALUES (1);
INSERT INTO gatehouse_users (id, email, fields, version, ways_after)
  VALUES ('a1', 'ada@example.com', '{"plan":"x"}', 3, 2);
INSERT INTO gatehouse_ways_in VALUES ('key', 'k1', 'a1', 1, '', 0, NULL, 0, '0');
INSERT INTO gatehouse_ways_in VALUES ('key', 'k2', 'a1', 2, '', 0, NULL, 0, '0');
`;

function openDatabase({ foreignKeys = true } = {}): DatabaseSync {
  return new DatabaseSync(":memory:", {
    enableForeignKeyConstraints: foreignKeys,
  });
}

function queryOf(db: DatabaseSync) {
  return (sql: string, params: SQLValue[]) =>
    db.prepare(sql).all(...params) as SQLRow[];
}

function schemaOf(db: DatabaseSync): string[] {
  const sql = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL";
  return db.prepare(sql).all()
    .map((row) => String(row.sql).replaceAll(/\s+/g, " ")).sort();
}
