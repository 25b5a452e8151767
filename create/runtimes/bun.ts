import { databasePackages, packageFiles, tsconfig } from "./_packages.ts";
import {
  databaseFile,
  dataFolder,
  ignoreFiles,
  LISTEN,
  mainSetup,
  serverSettings,
  type SQLiteModule,
  testSetup,
  workflow,
} from "./_server.ts";
import type { Template } from "../templates/template.ts";
import type { ProjectRuntime } from "./runtime.ts";

const IMAGE = "oven/bun:1.4.5";

/** The module of Bun for SQLite. */
const BUN_SQLITE: SQLiteModule = {
  imports: `import { Database } from "bun:sqlite";
import type { SQLQuery, SQLRow } from "@gatehouse/web/session/sql";
`,
  database: "Database",
  run: "run",
  rows: "db.query<SQLRow, typeof params>(sql).all(...params)",
};

/** Bun, with SQLite. */
export const BUN: ProjectRuntime = {
  title: "Bun",
  settings: serverSettings,
  commands: ["bun install", "bun test", "bun run dev"],
  deployment: "Start it with `bun start`, or build the `Dockerfile`.",
  testSetup,
  files: (name, template) => ({
    "main.ts": main(template),
    ...databaseFile(template, BUN_SQLITE),
    ...packageFiles({
      name,
      scripts: {
        dev: "bun --watch main.ts",
        start: "bun main.ts",
        test: "bun test",
        check: "tsc",
      },
      dependencies: databasePackages(template),
      devDependencies: ["@types/bun", "typescript"],
    }),
    "tsconfig.json": tsconfig("bun"),
    ...ignoreFiles(),
    Dockerfile: `FROM ${IMAGE}
WORKDIR /app
COPY package.json bun.lock .npmrc ./
RUN bun install --frozen-lockfile --production${
      dataFolder(template, "bun").create
    }
COPY . .
USER bun
ENV HOST=0.0.0.0${dataFolder(template, "bun").environment}EXPOSE 8000
CMD ["bun", "main.ts"]
`,
    ...workflow(IMAGE, [
      "bun install --frozen-lockfile",
      "bun run check",
      "bun test",
    ]),
  }),
};

function main(template: Template): string {
  return `${mainSetup(template)}const server = Bun.serve({
  ${LISTEN}
  fetch: app.fetch,
});
console.log(\`Listening on \${server.url}\`);

// Finish the current requests before the program ends.
process.once("SIGTERM", () => server.stop());
`;
}
