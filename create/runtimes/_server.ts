import type { Template } from "../templates/template.ts";

/** Returns the settings of a server, for `.env`. */
export function serverSettings({ tables }: Template): string {
  return `# The address that browsers see, if a proxy is in front of the server.
# ORIGIN=https://app.example.com

# HOST=127.0.0.1
# PORT=8000
${tables === null ? "" : "# DATABASE=data.sqlite\n"}`;
}

/** Returns the beginning of `main.ts`, which creates the application. */
export function mainSetup(template: Template, imports = ""): string {
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
  // If ORIGIN is set, a proxy reports the addresses of clients.
  trustedProxies: process.env.ORIGIN === undefined ? 0 : 1,
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
  const { tables, testImports, testSecrets } = template;
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

/** Returns `database.ts` for `node:sqlite`. */
export function nodeSQLite({ tables }: Template): Record<string, string> {
  if (tables === null) return {};
  return {
    "database.ts": `import { DatabaseSync } from "node:sqlite";
import type { SQLQuery } from "@gatehouse/web/session/sql";

/** Opens an SQLite file, and creates its tables. */
export function openDatabase(path: string): SQLQuery {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
  db.exec(TABLES);
  return (sql, params) => db.prepare(sql).all(...params);
}

${tablesConstant(tables)}`,
  };
}

/** Returns the declaration of `TABLES`. */
export function tablesConstant(tables: string): string {
  return `const TABLES = \`
${tables}\`;
`;
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
