/** The store of accounts on D1, on Durable Objects and on Bun's SQLite. */
import { assertEquals, assertGreater } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

/** Runs the kit on `query`, and returns its failures. */
const RUN_KIT = `
async function runKit(query) {
  const results = { passed: 0, failed: [] };
  const store = createSQLAccountStore(query);
  for (const { name, run } of testAccountStore(() => store)) {
    try {
      await run();
      results.passed++;
    } catch (error) {
      results.failed.push(name + ": " + error);
    }
  }
  return results;
}`;

const WORKER = `
export class Accounts {
  constructor({ storage }) {
    this.sql = storage.sql;
  }
  async fetch() {
    const results = await runKit((sql, params) =>
      this.sql.exec(sql, ...params).toArray()
    );
    return Response.json(results);
  }
}

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === "/object") {
      return env.ACCOUNTS.get(env.ACCOUNTS.idFromName("all")).fetch(request);
    }
    const results = await runKit(async (sql, params) =>
      (await env.DB.prepare(sql).bind(...params).all()).results
    );
    return Response.json(results);
  },
};`;

const BUN = `
import { Database } from "bun:sqlite";
const db = new Database(":memory:");
const results = await runKit((sql, params) => db.query(sql).all(...params));
console.log(JSON.stringify(results));`;

/** Bundles a program with the store and the kit. */
function program(main: string): Promise<string> {
  const root = new URL("../../", import.meta.url);
  return bundle(`
    import { createSQLAccountStore } from "${root}accounts/store/mod.ts";
    import { testAccountStore } from "${root}testing.ts";
    ${RUN_KIT}
    ${main}`);
}

interface Results {
  readonly passed: number;
  readonly failed: readonly string[];
}

function allPassed({ passed, failed }: Results): void {
  assertEquals(failed, []);
  assertGreater(passed, 20);
}

for (const [kind, path] of [["D1", "d1"], ["Durable Objects", "object"]]) {
  Deno.test(`createSQLAccountStore() passes the kit on ${kind}`, async () => {
    await using worker = await startWorker({
      script: await program(WORKER),
      d1Databases: ["DB"],
      durableObjects: { ACCOUNTS: { className: "Accounts", useSQLite: true } },
    });
    const response = await fetch(new URL(path, worker.url));
    allPassed(await response.json());
  });
}

Deno.test("createSQLAccountStore() passes the kit on bun:sqlite", async () => {
  const folder = await makeDataFolder();
  try {
    await Deno.writeTextFile(`${folder}/main.js`, await program(BUN));
    const { stdout } = await new Deno.Command(bunPath(), {
      args: [`${folder}/main.js`],
    }).output();
    allPassed(JSON.parse(new TextDecoder().decode(stdout)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
