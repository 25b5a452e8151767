import type { Template } from "../templates/template.ts";
import { NODE_RANGE, packageFiles, toJSON, tsconfig } from "./_packages.ts";
import { accountsWorker, accountsWorkerTest } from "./_accounts.ts";
import { environmentOptions, workflow } from "./_server.ts";
import type { ProjectRuntime } from "./runtime.ts";

/** Cloudflare Workers, with D1. */
export const WORKERS: ProjectRuntime = {
  title: "Cloudflare Workers",
  settings: () => "",
  commands: ["npm install", "npm test", "npm run dev"],
  deployment:
    "Deploy it with `npm run deploy`; set secrets with `npx wrangler secret put`.",
  testSetup: (template) =>
    template.hasAccounts ? accountsWorkerTest() : testSetup(template),
  files: (name, template) => ({
    "main.ts": main(template),
    ...template.tables !== null && {
      "env.d.ts": bindings(template),
    },
    ...template.tables && {
      "migrations/0001_tables.sql": template.tables,
    },
    ...packageFiles({
      name,
      node: NODE_RANGE,
      scripts: scripts(template),
      devDependencies: [
        "@cloudflare/workers-types",
        "@types/node",
        "typescript",
        "wrangler",
      ],
    }),
    "tsconfig.json": tsconfig("@cloudflare/workers-types"),
    "wrangler.json": toJSON({
      $schema: "node_modules/wrangler/config-schema.json",
      name,
      main: "main.ts",
      compatibility_date: "2026-07-01",
      ...template.tables !== null && {
        d1_databases: [{ binding: "DB", database_name: name }],
      },
      ...template.hasAccounts && {
        vars: { ORIGIN: "" },
        triggers: { crons: ["0 * * * *"] },
      },
    }),
    ".gitignore": ".env\n.wrangler/\nnode_modules/\n",
    ...workflow("node:24-bookworm", ["npm ci", "npm run check", "npm test"]),
  }),
};

function main(template: Template): string {
  if (template.tables === null) {
    return `import { createApp } from "./app.ts";

const app = createApp({});

export default { fetch: app.fetch };
`;
  }
  const query = `
    const { results } = await env.DB.prepare(sql).bind(...params).all();
    return results;
  `;
  if (template.hasAccounts) return accountsWorker(query);
  return `import { env } from "cloudflare:workers";
import { createApp } from "./app.ts";

const app = createApp({${environmentOptions(template, "env")}
  async query(sql, params) {${query}},
});

export default { fetch: app.fetch };
`;
}

/** Returns the types of the bindings in `wrangler.json` and `.env`. */
function bindings({ hasAccounts, secrets }: Template): string {
  const names = hasAccounts
    ? ["ORIGIN: string", "SECRETS?: string"]
    : secrets.map(({ name }) => `${name}: string`);
  const lines = names.map((name) => `    readonly ${name};\n`);
  return `declare namespace Cloudflare {
  interface Env {
    readonly DB: D1Database;
${lines.join("")}  }
}
`;
}

function scripts(
  { hasAccounts, tables }: Template,
): Record<string, string> {
  const migrate = tables
    ? (place: string) => `wrangler d1 migrations apply DB ${place} && `
    : () => "";
  const origin = hasAccounts ? " --var ORIGIN:http://localhost:8787" : "";
  return {
    dev: `${migrate("--local")}wrangler dev --port 8787${origin}`,
    test: "node --test",
    check: "tsc",
    deploy: `${migrate("--remote")}wrangler deploy`,
  };
}

/** Returns the beginning of the tests, which run the Worker in workerd. */
function testSetup(template: Template): string {
  const { tables, testImports, testSecrets, options } = template;
  const values = Object.entries(options)
    .map(([option, name]) => `${name}: secrets.${option}`);
  return `import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestClient } from "@gatehouse/web/testing";
import { createTestHarness } from "wrangler";
${testImports}${testSecrets}
const server = createTestHarness({
  workers: [{${
    values.length === 0 ? ' configPath: "./wrangler.json" ' : `
    configPath: "./wrangler.json",
    secrets: { ${values.join(", ")} },
  `
  }}],
});
let origin: string;

before(async () => {
  origin = (await server.listen()).url.origin;
${
    tables === null
      ? ""
      : '  await server.getWorker().applyD1Migrations("DB");\n'
  }});
after(() => server.close());

/** Opens a client of the Worker. */
function openClient() {
  return createTestClient({
    fetch: (request) => fetch(request, { redirect: "manual" }),
  }, { origin });
}
`;
}
