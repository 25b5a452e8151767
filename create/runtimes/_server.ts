import type { Template } from "../templates/template.ts";
import { accountsSetup, accountsTestSetup } from "./_accounts.ts";

/** Returns the settings of a server, for `.env`. */
export function serverSettings(template: Template): string {
  const { hasAccounts } = template;
  const origin = hasAccounts
    ? "# The address that browsers see.\nORIGIN=http://localhost:8000"
    : `# The address that browsers see, if a proxy is in front of the server.
# ORIGIN=https://app.example.com`;
  return `${origin}

# HOST=127.0.0.1
# PORT=8000
${databaseSettings(template)}`;
}

function databaseSettings({ database, tables }: Template): string {
  if (database === "postgres") {
    return `
# The address of PostgreSQL.
DATABASE_URL=postgres://postgres:postgres@localhost:5432/postgres
`;
  }
  return tables === null ? "" : "# DATABASE=data.sqlite\n";
}

/** Returns the options of `createAccounts` with the database of `.env`. */
function databaseOptions({ database }: Template): string {
  return database === "postgres"
    ? `database: openDatabase(process.env.DATABASE_URL ?? ""),
  dialect: "postgres",`
    : `database: openDatabase(process.env.DATABASE ?? "data.sqlite"),`;
}

/** The option of `createApp` that says whether a proxy is in front. */
const TRUSTED_PROXIES =
  `// If browsers use HTTPS, a proxy reports the addresses of clients.
  trustedProxies: process.env.ORIGIN?.startsWith("https:") ? 1 : 0,`;

/** Returns the beginning of `main.ts`, which creates the application. */
export function mainSetup(template: Template, imports = ""): string {
  if (template.hasAccounts) {
    return accountsSetup(imports, {
      database: databaseOptions(template),
      trustedProxies: TRUSTED_PROXIES,
    });
  }
  const hasDatabase = template.tables !== null;
  const options = hasDatabase
    ? `
  query: openDatabase(process.env.DATABASE ?? "data.sqlite"),${
      environmentOptions(template, "process.env")
    }`
    : "";
  return `import process from "node:process";
${imports}import { createApp } from "./app.ts";
${hasDatabase ? 'import { openDatabase } from "./database.ts";\n' : ""}
const app = createApp({${options}
  ${TRUSTED_PROXIES}
});

`;
}

/** Returns the options of `createApp` that come from the environment. */
export function environmentOptions(
  { options }: Template,
  env: string,
): string {
  return Object.entries(options)
    .map(([option, name]) => `\n  ${option}: ${env}.${name},`).join("");
}

/** The address that `main.ts` listens on. */
export const LISTEN = `hostname: process.env.HOST ?? "127.0.0.1",
  port: Number(process.env.PORT ?? 8000),`;

/** Returns the beginning of the tests, with a new database for each client. */
export function testSetup(template: Template): string {
  const { hasAccounts, tables, testImports, testSecrets } = template;
  if (template.database === "postgres") {
    // The tests need no server: their accounts are in memory.
    return accountsTestSetup(
      `import { accountOptions, createApp } from "./app.ts";\n`,
      "accountOptions",
    );
  }
  if (hasAccounts) {
    return accountsTestSetup(
      `import { accountOptions, createApp } from "./app.ts";
import { openDatabase } from "./database.ts";
`,
      `{
    ...accountOptions,
    database: openDatabase(":memory:"),
  }`,
    );
  }
  const [open, options] = tables === null ? ["", ""] : [
    'import { openDatabase } from "./database.ts";\n',
    ` query: openDatabase(":memory:"), ...secrets `,
  ];
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestClient } from "@gatehouse/web/testing";
import { createApp } from "./app.ts";
${open}${testImports}${testSecrets}
/** Opens a client of a new application. */
function openClient() {
  const app = createApp({${options}});
  // The limits count by address, so the client needs one.
  return createTestClient(app, { remoteAddress: "192.0.2.1" });
}
`;
}

/** The parts of `database.ts` that differ between modules for SQLite. */
export interface SQLiteModule {
  /** The lines that import the module and the types. */
  readonly imports: string;
  /** The class of a database. */
  readonly database: string;
  /** The method that runs statements without rows. */
  readonly run: string;
  /** The expression for the rows of a statement. */
  readonly rows: string;
}

/** The `database.ts` for PostgreSQL. */
const POSTGRES_FILE =
  `import type { SQLQuery } from "@gatehouse/web/session/sql";
import postgres from "postgres";

/** Opens a pool of connections to PostgreSQL. */
export function openDatabase(url: string): SQLQuery {
  // Connections that idle for five seconds close, so the program can end.
  const db = postgres(url, { idle_timeout: 5, onnotice: () => {} });
  return (sql, params) => db.unsafe(sql, params);
}
`;

/** Returns `database.ts` for PostgreSQL, or for a module for SQLite. */
export function databaseFile(
  { database: chosen, tables }: Template,
  { imports, database, run, rows }: SQLiteModule,
): Record<string, string> {
  if (chosen === "postgres") return { "database.ts": POSTGRES_FILE };
  if (tables === null) return {};
  const hasTables = tables !== "";
  return {
    "database.ts": `${imports}
/** Opens an SQLite file${hasTables ? ", and creates its tables" : ""}. */
export function openDatabase(path: string): SQLQuery {
  const db = new ${database}(path);
  db.${run}("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
${hasTables ? `  db.${run}(TABLES);\n` : ""}  return (sql, params) => ${rows};
}
${hasTables ? `\nconst TABLES = \`\n${tables}\`;\n` : ""}`,
  };
}

/** The module of Node and Deno for SQLite. */
export const NODE_SQLITE: SQLiteModule = {
  imports: `import { DatabaseSync } from "node:sqlite";
import type { SQLQuery } from "@gatehouse/web/session/sql";
`,
  database: "DatabaseSync",
  run: "exec",
  rows: "db.prepare(sql).all(...params)",
};

/** The lines of a Dockerfile that keep SQLite in a volume. */
export interface DataFolder {
  /** The command that creates the folder, after another one. */
  readonly create: string;
  /** The variable with the file, after others, and the volume. */
  readonly environment: string;
}

/** Returns the lines of a Dockerfile for the folders that a user may write. */
export function dataFolder(
  { database }: Template,
  user: string,
  others = "",
): DataFolder {
  return database === "postgres"
    ? {
      create: others === "" ? "" : ` && chown -R ${user}${others}`,
      environment: "\n",
    }
    : {
      create: ` && mkdir /data && chown ${
        others === "" ? "" : "-R "
      }${user} /data${others}`,
      environment: " DATABASE=/data/data.sqlite\nVOLUME /data\n",
    };
}

/** Returns the files that keep secrets out of Git and out of the image. */
export function ignoreFiles(): Record<string, string> {
  const ignored = ".env\n*.sqlite*\nnode_modules/\n";
  return { ".gitignore": ignored, ".dockerignore": `${ignored}.git/\n` };
}

/** Returns the workflow that checks and tests each push. */
export function workflow(
  image: string,
  commands: readonly string[],
): Record<string, string> {
  const steps = commands.map((command) => `      - run: ${command}\n`);
  return {
    ".github/workflows/ci.yml": `name: CI

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    container: ${image}
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
${steps.join("")}`,
  };
}
