/** The programs of docs/use_an_orm.md, on PostgreSQL and SQLite. */
import { assertEquals } from "@std/assert";
import { accountTables } from "@gatehouse/web/accounts/store";
import { DOCS, programs } from "../deno/_guide.ts";
import { codeBlocks } from "../deno/_markdown.ts";
import { checkoutConfig } from "../deno/_programs.ts";
import { findProgram, startPostgres } from "../deno/_servers.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const PAGE = "use_an_orm.md";

type Dialect = "postgres" | "sqlite";

const INVOICES = `CREATE TABLE invoices (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES gatehouse_users (id) ON DELETE CASCADE,
  total INTEGER NOT NULL)`;

/** Creates the tables with Kysely's migrator. */
const KYSELY_MIGRATION = `
import { Migrator } from "npm:kysely@0.29.9/migration";
import { db, migrations } from "./app.ts";
export async function migrate() {
  const provider = { getMigrations: () => Promise.resolve(migrations) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) throw error;
}`;

/** Creates the tables with Drizzle's migrator, from the folder `drizzle`. */
const drizzleMigration = (driver: string) => `
import { migrate as run } from "npm:drizzle-orm@0.45.4/${driver}/migrator";
import { db } from "./app.ts";
export const migrate = () => run(db, { migrationsFolder: "drizzle" });`;

/** Runs the statements, as `prisma migrate deploy` does. */
const PRISMA_MIGRATION = `
import { accountTables } from "@gatehouse/web/accounts/store";
import { accounts, db } from "./app.ts";
import { dialect } from "./database.ts";
export async function migrate() {
  for (const sql of accountTables(dialect)) await db.$executeRawUnsafe(sql);
  await db.$executeRawUnsafe(${JSON.stringify(INVOICES)});
}`;

/**
 * Migrates, passes the tests for stores, and joins the tables. It prints the result
 * as JSON.
 */
const mainOf = (dialect: Dialect) => `
import { createRouter } from "@gatehouse/web";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { createTestClient, testAccountStore, testSessionStore } from "@gatehouse/web/testing";
import { accounts, addInvoice, invoices, query } from "./app.ts";
import { migrate } from "./migrate.ts";

await migrate();
const dialect = "${dialect}";
const kit = createSQLAccountStore(query, { dialect, prefix: "kit_" });
let sessions = 0;
const tests = [
  ...testAccountStore(() => kit),
  ...testSessionStore(() =>
    createSQLSessionStore(query, { dialect, table: "s" + sessions++ })),
];
const failed: string[] = [];
for (const { name, run } of tests) {
  try {
    await run();
  } catch (error) {
    failed.push(name + ": " + error);
  }
}

const user = await accounts.users.create({ email: "ada@example.com", name: "Ada" });
await addInvoice(user!.id, 12);
const rows = await invoices();
const router = createRouter({ middleware: accounts.middleware });
router.map(accounts.routes, accounts.controller);
const client = createTestClient(router, { origin: "http://localhost:8000" });
const login = await client.fetch("/login", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ email: "ada@example.com", password: "wrong password" }),
});
await accounts.users.remove(user!.id);
const result = { tests: tests.length > 20, failed, rows, status: login.status, after: await invoices() };
console.log(JSON.stringify(result));
Deno.exit();
`;

const EXPECTED = {
  tests: true,
  failed: [],
  rows: [{ total: 12, email: "ada@example.com" }],
  status: 422,
  after: [],
};

const postgres = findProgram("postgres", PAGE);

Deno.test(`${PAGE}: each program has no type errors, and works`, async (test) => {
  const root = await makeDataFolder();
  try {
    const config = JSON.parse(checkoutConfig());
    config.imports["@prisma/client/"] = "npm:/@prisma/client@7.10.0/";
    await Deno.writeTextFile(`${root}/deno.json`, JSON.stringify(config));
    for (const program of PROGRAMS) await writeProgram(root, program);
    // One check for all, because each needs the types of the library.
    await run(["check", "-q", "."], root, {});
    for (const { name, dialect } of PROGRAMS) {
      const folder = `${root}/${name}`;
      await test.step({
        name,
        ignore: dialect === "postgres" && postgres === null,
        fn: () => dialect === "sqlite" ? runMain(folder) : runOnServer(folder),
      });
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

/** Starts a PostgreSQL server for a program, and runs it. */
async function runOnServer(folder: string): Promise<void> {
  const server = await startPostgres(postgres!);
  const url = `postgres://test@127.0.0.1:${server.port}/postgres`;
  try {
    await runMain(folder, { DATABASE_URL: url });
  } finally {
    await server.stop();
  }
}

async function runMain(
  folder: string,
  env: Record<string, string> = {},
): Promise<void> {
  const output = await run(["run", "-A", "main.ts"], folder, env);
  assertEquals(JSON.parse(output.trim().split("\n").at(-1)!), EXPECTED);
}

Deno.test(`${PAGE}: Prisma Migrate changes no table of accounts`, async () => {
  const { "prisma.config.ts": settings } = await programs(PAGE);
  const [, list = ""] = /const tables = \[(.*?)\]/s.exec(settings!)!;
  const listed = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  const created = accountTables("postgres").flatMap((statement) =>
    /^CREATE TABLE IF NOT EXISTS gatehouse_(\w+)/.exec(statement)?.[1] ?? []
  );
  assertEquals(listed.sort(), created.sort());
});

type Write = (name: string, text: string) => Promise<void>;

/** Writes the files of each program. */
const writers: Record<string, Program["write"]> = {
  async kysely(write, _folder, dialect) {
    const files = await programs(PAGE);
    await write("app.ts", files["kysely.ts"]!);
    await write("database.ts", files[`kysely_${dialect}.ts`]!);
    await write("migrate.ts", KYSELY_MIGRATION);
  },
  async drizzle(write, folder, dialect) {
    const files = await programs(PAGE);
    const isPostgres = dialect === "postgres";
    await write(
      "app.ts",
      files[isPostgres ? "drizzle.ts" : "drizzle_sqlite.ts"]!,
    );
    const driver = isPostgres ? "node-postgres" : "libsql";
    await write("migrate.ts", drizzleMigration(driver));
    await Deno.mkdir(`${folder}/drizzle/meta`, { recursive: true });
    const breakpoint = ";\n--> statement-breakpoint\n";
    await write(
      "drizzle/0_accounts.sql",
      accountTables(dialect).join(breakpoint),
    );
    await write("drizzle/1_invoices.sql", INVOICES);
    const entries = ["0_accounts", "1_invoices"]
      .map((tag, idx) => ({
        idx,
        version: "7",
        when: idx + 1,
        tag,
        breakpoints: true,
      }));
    await write(
      "drizzle/meta/_journal.json",
      JSON.stringify({ version: "7", dialect, entries }),
    );
  },
  async prisma(write, folder, dialect) {
    const files = await programs(PAGE);
    await write("app.ts", files["prisma.ts"]!);
    await write("database.ts", files[`prisma_${dialect}.ts`]!);
    await write("migrate.ts", PRISMA_MIGRATION);
    const text = await Deno.readTextFile(new URL(PAGE, DOCS));
    const schema =
      codeBlocks(text).find(({ text }) => text.startsWith("generator"))!.text;
    await write(
      "schema.prisma",
      dialect === "postgres"
        ? schema
        : schema.replace('"postgresql"', '"sqlite"'),
    );
    await write("accounts.sql", accountTables(dialect).join(";\n"));
    const settings = files["prisma.config.ts"]!;
    // The command resolves its own modules, as a project with npm does.
    await write(
      "prisma.config.ts",
      settings.replace("npm:prisma@7.10.0/config", "prisma/config"),
    );
    await run(["run", "-A", "npm:prisma@7.10.0", "generate"], folder, {
      // `generate` does not start it, but downloads it unless a file is named.
      PRISMA_SCHEMA_ENGINE_BINARY: Deno.execPath(),
      CHECKPOINT_DISABLE: "1",
    });
    await write("prisma.config.ts", settings);
  },
};

/** A program, and the folder that it is in. */
interface Program {
  readonly name: string;
  readonly dialect: Dialect;
  readonly write: (
    write: Write,
    folder: string,
    dialect: Dialect,
  ) => Promise<void>;
}

const PROGRAMS: readonly Program[] = Object.entries(writers)
  .flatMap(([orm, write]) =>
    (["sqlite", "postgres"] as const)
      .map((dialect) => ({ name: `${orm}_${dialect}`, dialect, write }))
  );

async function writeProgram(
  root: string,
  { name, dialect, write }: Program,
): Promise<void> {
  const folder = `${root}/${name}`;
  await Deno.mkdir(folder);
  const writeFile = (file: string, text: string) =>
    Deno.writeTextFile(`${folder}/${file}`, text);
  await writeFile("main.ts", mainOf(dialect));
  await write(writeFile, folder, dialect);
}

async function run(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env,
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(text.decode(stderr) + text.decode(stdout));
  return text.decode(stdout);
}
