/** Sessions in PostgreSQL behind PgBouncer, with each client of the guide. */
import { assertEquals } from "@std/assert";
import pg from "npm:pg@8.16.3";
import postgres from "npm:postgres@3.4.7";
import { createSQLSessionStore, type SQLRow } from "@gatehouse/web/session/sql";
import { findProgram, startPostgres } from "../deno/_servers.ts";
import { freePort, listening } from "../deno/_programs.ts";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";

const server = findProgram("postgres", "sessions behind PgBouncer");
const bouncer = findProgram("pgbouncer", "sessions behind PgBouncer");

/** Concurrent requests, of which several share a connection to the database. */
const REQUESTS = 200;

type Query = (sql: string, params: unknown[]) => Promise<SQLRow[]>;

/** Opens a client as in docs/choose_a_session_store.md. */
const clients: Record<
  string,
  (url: string) => { query: Query; close(): Promise<void> }
> = {
  "npm:postgres": (url) => {
    const db = postgres(url, { max: 3, onnotice() {} });
    return {
      query: async (sql, params) => [...await db.unsafe(sql, params as never)],
      close: () => db.end(),
    };
  },
  "npm:pg": (url) => {
    const db = new pg.Pool({ connectionString: url });
    return {
      query: async (sql, params) => (await db.query(sql, params)).rows,
      close: () => db.end(),
    };
  },
};

for (const [name, open] of Object.entries(clients)) {
  // `postgres` sends one statement in two steps. In transaction mode, PgBouncer
  // 1.18 passes them to different connections, and the client waits forever.
  const mode = name === "npm:postgres" ? "session" : "transaction";
  testBehindPgBouncer(name, mode, async (url) => {
    const { query, close } = open(url);
    const store = createSQLSessionStore(query, { dialect: "postgres" });
    const outcomes = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        const key = `key${index}`;
        const options = { ttl: 60_000, ifVersion: null };
        const isPut = await store.put(key, `value${index}`, options);
        return isPut && (await store.get(key))?.value === `value${index}`;
      }),
    );
    await close();
    return outcomes.filter(Boolean).length;
  });
}

testBehindPgBouncer(
  "Bun's SQL with prepare: false",
  "transaction",
  (url) => runOnBun(url, "{ prepare: false }"),
);

/** Runs the same requests on Bun. Returns the number of successful ones. */
async function runOnBun(url: string, options: string): Promise<number> {
  const entry = new URL("../../session/stores/sql.ts", import.meta.url).href;
  const script = await bundle(`
    import { createSQLSessionStore } from "${entry}";
    const db = new Bun.SQL("${url}", ${options});
    const store = createSQLSessionStore(
      (sql, params) => db.unsafe(sql, params),
      { dialect: "postgres" },
    );
    const outcomes = await Promise.all(
      Array.from({ length: ${REQUESTS} }, async (_, index) => {
        const options = { ttl: 60_000, ifVersion: null };
        try {
          const isPut = await store.put("key" + index, "value" + index, options);
          return isPut &&
            (await store.get("key" + index))?.value === "value" + index;
        } catch (error) {
          console.error(String(error));
          return false;
        }
      }),
    );
    console.log(outcomes.filter(Boolean).length);
    process.exit();`);
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.mjs`, script);
  const { stdout, stderr } = await new Deno.Command(bunPath(), {
    args: [`${folder}/main.mjs`],
  }).output();
  await Deno.remove(folder, { recursive: true });
  const [errors] = new TextDecoder().decode(stderr).split("\n");
  const count = Number(new TextDecoder().decode(stdout));
  if (errors) console.log(`${count} of ${REQUESTS}: ${errors}`);
  return count;
}

function testBehindPgBouncer(
  client: string,
  mode: "session" | "transaction",
  run: (url: string) => Promise<number>,
): void {
  Deno.test({
    name:
      `createSQLSessionStore() works behind PgBouncer in ${mode} mode with ${client}`,
    ignore: server === null || bouncer === null,
    // Clients close their sockets a moment later.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const database = await startPostgres(server!);
      const pool = await startPgBouncer(database.port, mode);
      try {
        const url = `postgres://test@127.0.0.1:${pool.port}/postgres`;
        assertEquals(await run(url), REQUESTS);
      } finally {
        await pool.stop();
        await database.stop();
      }
    },
  });
}

/** Starts PgBouncer with three connections to a database. */
async function startPgBouncer(port: number, mode: string) {
  const folder = await Deno.makeTempDir();
  const own = freePort();
  await Deno.writeTextFile(`${folder}/users.txt`, '"test" ""\n');
  await Deno.writeTextFile(
    `${folder}/pgbouncer.ini`,
    `[databases]
postgres = host=127.0.0.1 port=${port} dbname=postgres user=test
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = ${mode}
default_pool_size = 3
ignore_startup_parameters = extra_float_digits
`,
  );
  // It refuses to run as root.
  const user = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : {};
  await Deno.chmod(folder, 0o755);
  const child = new Deno.Command(bouncer!, {
    args: [`${folder}/pgbouncer.ini`],
    stdout: "null",
    stderr: "null",
    ...user,
  }).spawn();
  await listening(own);
  return {
    port: own,
    stop: async () => {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
