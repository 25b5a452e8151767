import { DatabaseSync } from "node:sqlite";
import config from "../../deno.json" with { type: "json" };
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import { createTables } from "../../examples/app/data/database.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import { DemoAccounts } from "../../examples/app/data/demo_accounts.ts";
import { seed } from "../../examples/app/data/seed.ts";
import { openNoticeboard } from "../../examples/app/noticeboard.ts";
import { readSettings } from "../../examples/app/settings.ts";
import { Users } from "../../examples/app/data/users.ts";
import { REPOSITORY } from "../../site/pages.ts";
import {
  type Runtime,
  runtimes,
  startApp,
  TASKS,
} from "../deno/_app_servers.ts";
import { freePort, overHTTP } from "../deno/_programs.ts";

/** Code that exists on one runtime only. */
const RUNTIMES = /\b(?:Deno|Bun|process|env)\.|"(?:node|bun|cloudflare)\b/;

const main = new URL("../../examples/app/main.ts", import.meta.url);

for (const runtime of runtimes()) {
  Deno.test(`deno task ${TASKS[runtime]} serves the application without configuration`, async () => {
    const folder = await Deno.makeTempDir();
    const env = {
      DATABASE: `${folder}/data.sqlite`,
      REDIS_URL: `redis://:s3cret@127.0.0.1:${freePort()}`,
    };
    try {
      const first = await run(runtime, env);
      const again = await run(runtime, env, first.cookie);

      assertStringIncludes(first.login, "Log in with Demo provider");
      assertStringIncludes(first.home, "You are logged in, Alma Admin");
      assertEquals(first.home.match(/<article>/g)?.length, 4);
      // The application prints the accounts again, and their database.
      assertStringIncludes(again.home, "Welcome to the noticeboard");
      const name = runtime === "Workers" ? "D1" : env.DATABASE;
      assertStringIncludes(again.output, `Demo accounts in ${name}:`);
      assertEquals(again.admin, first.admin);
      assertStringIncludes(first.login, `<code>${first.admin.password}</code>`);
      // The session survives the restart.
      assertStringIncludes(again.home, "Log out");
      const isAway = first.output.includes("No Redis at 127.0.0.1:");
      assertEquals(isAway, runtime === "Bun");
      assert(!first.output.includes("s3cret"), first.output);
      // A Worker cannot read files.
      const source = runtime === "Workers"
        ? `${REPOSITORY}/blob/main/examples/app/features/login.ts`
        : "/source?file=examples%2Fapp%2Ffeatures%2Flogin.ts";
      assertStringIncludes(first.login, `href="${source}"`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("a database of an older version gets the new columns", async () => {
  using database = overSQLite(new DatabaseSync(":memory:"));
  await database(
    `CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE,
      password_hash TEXT, name TEXT, role TEXT, avatar_url TEXT,
      created_at INTEGER)`,
    [],
  );
  await database("INSERT INTO users (name, role) VALUES ('Ada', 'user')", []);

  for (let start = 1; start <= 2; start++) await createTables(database);

  const user = await new Users(database).find(1);
  assertEquals([user?.name, user?.accessVersion], ["Ada", 1]);
});

Deno.test("only the entry files of the application use runtime APIs", async () => {
  const known: string[] = [];
  for await (const file of sources(new URL("./", main))) {
    const source = await Deno.readTextFile(new URL(file, main));
    const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
    if (RUNTIMES.test(code)) known.push(file);
  }
  const entries = ["main.ts", "main_bun.ts", "main_node.ts", "runtimes.d.ts"]
    .concat("worker.ts");
  assertEquals(known.sort(), entries);
});

for (const runtime of runtimes()) {
  Deno.test(`deno task ${TASKS[runtime]} says in one line that the port is in use`, async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const folder = await Deno.makeTempDir();
    const PORT = String((taken.addr as Deno.NetAddr).port);
    const env = { PORT, DATABASE: `${folder}/data.sqlite` };
    try {
      const { code, output } = await runTask(runtime, env);
      const lines = output.trim().split("\n")
        // Node says that node:sqlite is experimental.
        .filter((line) => !/^No Redis|^\(node:|^\(Use `node/.test(line));
      assertEquals(lines, [`Port ${PORT} is in use: set PORT to another one`]);
      assertEquals(code, 1);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

const servers = [
  { settings: {}, isLocal: true },
  { settings: { BASE_URL: "http://127.0.0.1:8000" }, isLocal: true },
  { settings: { BASE_URL: "https://board.example" }, isLocal: false },
  { settings: { HOST: "0.0.0.0" }, isLocal: false },
];

for (const { settings, isLocal } of servers) {
  const effect = isLocal ? "keeps" : "forgets";
  Deno.test({
    name: `with ${
      JSON.stringify(settings)
    } the application ${effect} the passwords of demo accounts`,
    // An application prepares a hash in the background when it starts.
    sanitizeOps: false,
    fn: async () => {
      using database = overSQLite(new DatabaseSync(":memory:"));
      const local = readSettings(() => undefined);
      await openNoticeboard({ settings: local, database });
      const variables: Record<string, string | undefined> = settings;

      const app = await openNoticeboard({
        settings: readSettings((name) => variables[name]),
        database,
      });

      const rows = await database("SELECT password FROM demo_accounts", []);
      assertEquals(rows.length, isLocal ? 2 : 0);
      const info = { remoteAddr: { hostname: "127.0.0.1" } };
      const request = new Request("http://localhost:8000/login");
      const response = await app.fetch(request, info);
      const page = await response.text();
      assertEquals(page.includes("Demo accounts"), isLocal);
    },
  });
}

Deno.test("a demo account whose password was changed is not shown", async () => {
  using database = overSQLite(new DatabaseSync(":memory:"));
  await createTables(database);
  const demo = new DemoAccounts(database);
  await demo.remember(await seed(database));
  const users = new Users(database);
  await users.resetPassword((await users.find(1))!, "another hash");
  assertEquals((await demo.list()).map(({ role }) => role), ["editor"]);
});

for (const value of ["yes", "-1", "1.5", "", "999"]) {
  Deno.test(`TRUSTED_PROXIES="${value}" is invalid`, () => {
    const get = (name: string) =>
      name === "TRUSTED_PROXIES" ? value : undefined;
    assertThrows(
      () => readSettings(get),
      RangeError,
      `Cannot start: TRUSTED_PROXIES "${value}"`,
    );
  });
}

Deno.test("an invalid setting prevents the start", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", main.href],
    env: { TRUSTED_PROXIES: "yes", DATABASE: ":memory:", NO_COLOR: "1" },
    stdout: "null",
  }).output();
  assertEquals(success, false);
  const output = new TextDecoder().decode(stderr);
  assertStringIncludes(output, 'Cannot start: TRUSTED_PROXIES "yes"');
});

/** Serves the application. Logs the admin in if there is no cookie. */
async function run(
  runtime: Runtime,
  env: Record<string, string>,
  cookie?: string,
) {
  await using app = await startApp(runtime, env);
  const { fetch, cookies } = createTestClient(overHTTP, {
    origin: app.baseURL,
  });
  const login = await (await fetch("/login")).text();
  if (cookie === undefined) {
    const body = new URLSearchParams({ ...app.admin });
    const response = await fetch("/login", { method: "POST", body });
    await response.body?.cancel();
  }
  const sent = cookie ?? [...cookies].map((pair) => pair.join("=")).join("; ");
  const home = await (await fetch("/", { headers: { Cookie: sent } })).text();
  return { output: app.output(), admin: app.admin, login, home, cookie: sent };
}

/** Runs the task of a runtime until it ends. */
async function runTask(runtime: Runtime, env: Record<string, string>) {
  const args = config.tasks[TASKS[runtime]].command
    .split(" && ").at(-1)!.split(" ").slice(1);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [args[0], "--no-check", ...args.slice(1)],
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1", ...env },
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: decode(stdout) + decode(stderr) };
}

async function* sources(root: URL, folder = ""): AsyncGenerator<string> {
  const entries = Deno.readDir(new URL(folder, root));
  for await (const { name, isDirectory } of entries) {
    if (isDirectory) yield* sources(root, `${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}
