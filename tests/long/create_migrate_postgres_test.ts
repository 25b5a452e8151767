/** The program `create migrate`, on databases of PostgreSQL. */
import { DatabaseSync } from "node:sqlite";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import pg from "npm:pg@8.16.3";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import { createSecondFactors } from "@gatehouse/web/auth/second-factor";
import { openOld, openTrial } from "../../create/migrate/databases.ts";
import { createBetterAuth } from "../deno/_better_auth.ts";
import { migrate, SECRETS } from "../deno/_migrate_program.ts";
import { findProgram, startPostgres } from "../deno/_servers.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const program = findProgram("postgres", "create migrate on PostgreSQL");

/** Two databases, of the other system and of the accounts. */
interface Databases {
  readonly old: pg.Pool;
  readonly own: pg.Pool;
  /** Returns the URL of a database, with a password. */
  readonly url: (name: "old" | "own") => string;
}

/** Runs a test with two new databases. */
function test(name: string, fn: (databases: Databases) => Promise<void>): void {
  if (program === null) return;
  Deno.test(`create migrate on PostgreSQL: ${name}`, async () => {
    const { port, stop } = await startPostgres(program);
    const open = (database: string) => {
      const server = { host: "127.0.0.1", port, user: "test", database };
      const pool = new pg.Pool(server);
      pool.on("error", () => {});
      return pool;
    };
    const root = open("postgres");
    await root.query("CREATE DATABASE old");
    await root.query("CREATE DATABASE own");
    const [old, own] = [open("old"), open("own")];
    try {
      await fn({
        old,
        own,
        url: (name) => `postgres://test:secret@127.0.0.1:${port}/${name}`,
      });
    } finally {
      for (const pool of [root, old, own]) await pool.end();
      await stop();
    }
  });
}

/** Returns the tables of a database, with all their rows. */
async function contentOf(pool: pg.Pool) {
  const { rows } = await pool.query(`SELECT table_name AS name
    FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`);
  const tables = rows.map(async ({ name }: { name: string }) => [
    name,
    (await pool.query(`SELECT * FROM "${name}" ORDER BY 1`)).rows,
  ]);
  return await Promise.all(tables);
}

function storeOf(pool: pg.Pool) {
  return createSQLAccountStore(
    async (sql, params) => (await pool.query(sql, params)).rows,
    { dialect: "postgres" },
  );
}

/** Creates users with the pages of better-auth: Bob has an app, Eve is blocked. */
async function createUsers(pool: pg.Pool): Promise<void> {
  const { browser } = await createBetterAuth(pool);
  const ada = browser();
  await ada.signUp("Ada");
  await ada.addPasskey();
  await ada.call("/organization/create", { name: "Engines", slug: "engines" });
  const bob = browser();
  await bob.signUp("Bob");
  await bob.enableApp();
  await browser().signUp("Eve");
  await pool.query(`UPDATE "user" SET banned = true WHERE name = 'Eve'`);
}

test("first reports and writes nothing, then writes, and can run again", async ({ old, own, url }) => {
  await createUsers(old);
  const args = [
    "--from=better-auth",
    `--database=${url("old")}`,
    `--to=${url("own")}`,
    "--team-roles=owner member",
  ];
  const before = await contentOf(old);
  const trial = await migrate(args);
  assertEquals([trial.code, trial.stderr], [0, ""]);
  const counts = ["3 accounts read", "3 created", "1 passkey\n"];
  for (const line of [...counts, "1 team created"]) {
    assertStringIncludes(trial.stdout, line);
  }
  assertStringIncludes(trial.stdout, "Nothing was written");
  assertEquals(await contentOf(own), []);

  const written = await migrate([...args, "--write"]);
  assertEquals(written.code, 0, written.stderr);
  assertStringIncludes(written.stdout, "3 created: 3 with a password");
  assertEquals(/secret|test:/.test(written.stdout), false, written.stdout);
  const tables = await contentOf(own);
  const again = await migrate(args);
  assertStringIncludes(again.stdout, "3 existed from an earlier import");
  assertEquals(await contentOf(own), tables);
  assertEquals(await contentOf(old), before);

  const store = storeOf(own);
  const bob = await store.findByEmail("bob@example.com");
  const factors = createSecondFactors({
    issuer: "Test",
    store: store.values,
    secrets: [SECRETS],
  });
  const { totp, recoveryCodes } = await factors.status(bob!.id);
  assertEquals([totp, recoveryCodes], [true, 10]);
  const ada = await store.findByEmail("ada@example.com");
  const [found] = await store.teams!.list(ada!.id);
  assertEquals([found?.team.name, found?.member.role], ["Engines", "owner"]);
  const eve = await store.findByEmail("eve@example.com");
  assertEquals(eve?.disabled, { reason: "", until: null });
});

test("writes into the same database, and between PostgreSQL and SQLite", async ({ old, own, url }) => {
  await createUsers(old);
  const folder = await makeDataFolder();
  try {
    const file = `${folder}/data.sqlite`;
    const from = ["--from=better-auth", `--database=${url("old")}`, "--write"];
    const toFile = await migrate([...from, `--to=${file}`]);
    assertEquals(toFile.code, 0, toFile.stderr);
    const same = await migrate(from);
    assertStringIncludes(same.stdout, "3 created", same.stderr);
    const ada = await storeOf(old).findByEmail("ada@example.com");
    assertEquals(ada?.name, "Ada");

    const database = new DatabaseSync(file);
    database.exec(`CREATE TABLE "user" (id TEXT PRIMARY KEY, email TEXT);
      CREATE TABLE "account" ("userId" TEXT, provider TEXT,
        "providerAccountId" TEXT);
      INSERT INTO "user" VALUES ('u1', 'zoe@example.com')`);
    database.close();
    const toPostgres = await migrate([
      "--from=auth-js",
      `--database=${file}`,
      `--to=${url("own")}`,
      "--write",
    ]);
    assertStringIncludes(toPostgres.stdout, "1 created", toPostgres.stderr);
    assertEquals((await storeOf(own).find("u1"))?.email, "zoe@example.com");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("reads times without a zone as UTC, and columns of numbers and UUIDs", async ({ old, own, url }) => {
  await old.query(`
    CREATE TABLE users (id uuid PRIMARY KEY, email text, name text,
      created_at timestamp);
    CREATE TABLE accounts (id serial, "userId" uuid, provider text,
      "providerAccountId" text);
    INSERT INTO users VALUES ('6d3ee4b6-74d5-4d31-9a9c-5b2a4f3f3f10',
      'ada@example.com', 'Ada', '2024-07-31 12:00:00');
    INSERT INTO accounts ("userId", provider, "providerAccountId")
      SELECT id, 'github', '7' FROM users`);
  for (const from of ["auth-js", "lucia"]) {
    const { code, stdout, stderr } = await migrate([
      `--from=${from}`,
      `--database=${url("old")}`,
      `--to=${url("own")}`,
      ...from === "lucia" ? ["--write"] : [],
    ], { TZ: "America/New_York" });
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "1 created: 0 with a password");
    assertStringIncludes(stdout, "1 provider login\n");
  }
  const ada = await storeOf(own).findByEmail("ada@example.com");
  assertEquals(ada?.createdAt, Date.parse("2024-07-31T12:00:00Z"));
});

test("a trial whose connection ends writes nothing afterwards", async ({ own, url }) => {
  await own.query("CREATE TABLE written (id text)");
  const trial = await openTrial(url("own"));
  await trial.query("INSERT INTO written VALUES ($1)", ["in the transaction"]);
  await own.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE application_name = 'postgres.js'`,
  );
  for (let attempt = 0; attempt < 3; attempt++) {
    await assertRejects(async () =>
      await trial.query("INSERT INTO written VALUES ($1)", ["after it"])
    );
  }
  await trial.close();
  assertEquals((await own.query("SELECT * FROM written")).rows, []);
});

test("the database of the other system is only read", async ({ old, url }) => {
  await old.query("CREATE TABLE sessions (id text)");
  const database = await openOld(url("old"));
  await assertRejects(
    async () => await database.query("DELETE FROM sessions", []),
    Error,
    "read-only",
  );
  await database.close();
});

test("names the reason of a database that cannot be opened, without the password", async ({ url }) => {
  const missing = url("own").replace("/own", "/missing");
  const args = ["--from=better-auth", `--database=${missing}`];
  const { code, stdout, stderr } = await migrate(args);
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, 'database "missing" does not exist');
  assertEquals(stderr.includes("secret"), false, stderr);
});
