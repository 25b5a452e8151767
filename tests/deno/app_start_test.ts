import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestClient } from "@gatehouse/web/fetch-router/testing";
import { createTables } from "../../examples/app/data/database.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import { Users } from "../../examples/app/data/users.ts";
import { type Runtime, startApp, TASKS } from "./_app_servers.ts";
import { freePort, overHTTP } from "./_programs.ts";

/** Code that exists on one runtime only. */
const RUNTIMES = /\b(?:Deno|Bun|process|env)\.|"(?:node|bun|cloudflare)\b/;

const main = new URL("../../examples/app/main.ts", import.meta.url);

for (const runtime of Object.keys(TASKS) as Runtime[]) {
  Deno.test(`deno task ${TASKS[runtime]} serves the application with nothing configured`, async () => {
    const folder = await Deno.makeTempDir();
    const env = {
      DATABASE: `${folder}/data.sqlite`,
      REDIS_URL: `redis://:s3cret@127.0.0.1:${freePort()}`,
    };
    try {
      const first = await run(runtime, env);
      const again = await run(runtime, env, first.cookie);

      assertStringIncludes(first.login, "Log in with Demo provider");
      assertStringIncludes(first.home, "Welcome back, Alma Admin");
      // The application prints accounts only if the database is new.
      assertStringIncludes(again.home, "Welcome to the noticeboard");
      assert(!again.output.includes("admin@example.com"), again.output);
      // The session survives the restart.
      assertStringIncludes(again.home, "Log out");
      const isAway = first.output.includes("No Redis at 127.0.0.1:");
      assertEquals(isAway, runtime === "Bun");
      assert(!first.output.includes("s3cret"), first.output);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("a database of an older version gets the columns that it lacks", async () => {
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

Deno.test("only the entry files of the application know a runtime", async () => {
  const known: string[] = [];
  for await (const file of sources(new URL("./", main))) {
    const source = await Deno.readTextFile(new URL(file, main));
    const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
    if (RUNTIMES.test(code)) known.push(file);
  }
  const entries = ["main.ts", "main_bun.ts", "runtimes.d.ts", "worker.ts"];
  assertEquals(known.sort(), entries);
});

for (const value of ["yes", "-1", "1.5", "", "999"]) {
  Deno.test(`TRUSTED_PROXIES="${value}" stops the start`, async () => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "-A", main.href],
      env: { TRUSTED_PROXIES: value, DATABASE: ":memory:", NO_COLOR: "1" },
      stdout: "null",
    }).output();
    assertEquals(success, false);
    const output = new TextDecoder().decode(stderr);
    assertStringIncludes(output, `Cannot start: TRUSTED_PROXIES "${value}"`);
  });
}

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
  return { output: app.output(), login, home, cookie: sent };
}

async function* sources(root: URL, folder = ""): AsyncGenerator<string> {
  const entries = Deno.readDir(new URL(folder, root));
  for await (const { name, isDirectory } of entries) {
    if (isDirectory) yield* sources(root, `${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}
