/** The stores of docs/choose_a_session_store.md, each on its runtime. */
import { assert, assertEquals } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { startWorker } from "../runtimes/workers.ts";
import { DOCS, programs } from "../deno/_guide.ts";
import { codeBlocks } from "../deno/_markdown.ts";
import {
  bundleProgram,
  type ProgramFile,
  programFile,
} from "../deno/_programs.ts";
import {
  findProgram,
  type Server,
  startPostgres,
  startRedis,
  startRedisCluster,
} from "../deno/_servers.ts";
import { CLIENTS, SQLITE_PRAGMAS } from "../deno/_session_stores.ts";

const PAGE = "choose_a_session_store.md";

/** Uses a store as an application does, and prints the result. */
const APPLICATION = `
import { completeAuth } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session, userSessions } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { store } from "./store.ts";
export * from "./store.ts";

const router = createRouter({ middleware: [session({ store })] });
router.get("/", (context) => {
  const session = context.get(Session);
  session.update("visits", (visits) => Number(visits ?? 0) + 1);
  return new Response("Visit " + session.get("visits"));
});
router.post("/login", async (context) => {
  await completeAuth(context, crypto.randomUUID());
  if ("kind" in store) return new Response("1");
  return Response.json((await userSessions(context).list()).length);
});

export async function run() {
  const { fetch } = createTestClient(router);
  const texts = [];
  for (const path of ["/", "/login", "/"]) {
    const method = path === "/" ? "GET" : "POST";
    texts.push(await (await fetch(path, { method })).text());
  }
  return texts.join(", ");
}
`;

const DONE = "Visit 1, 1, Visit 2";

const secrets = `${crypto.randomUUID()} ${crypto.randomUUID()}`;

for (
  const [name, flags, env] of [
    ["sqlite.ts", [], {}],
    // The location selects the default database.
    ["deno_kv.ts", ["--unstable-kv", "--location=https://guide.test"], {}],
    ["cookies.ts", [], { SESSION_SECRETS: secrets }],
  ] as const
) {
  Deno.test(`${PAGE}: ${name} keeps sessions on Deno`, async () => {
    await using file = await application(name);
    assertEquals(await runInDeno(file, flags, env), DONE);
  });
}

Deno.test(`${PAGE} uses the clients and the settings of the tests`, async () => {
  const pages = await programs(PAGE);
  for (const name of ["sqlite.ts", "bun_sqlite.ts"]) {
    assert(pages[name].includes(`db.exec("${SQLITE_PRAGMAS}")`), name);
  }
  const module = new URL("../deno/_session_stores.ts", import.meta.url);
  const source = await Deno.readTextFile(module);
  const [postgres, redis] = [pages["postgres.ts"], pages["redis.ts"]];
  for (const text of [`${postgres}${redis}`, source]) {
    for (const client of CLIENTS) assert(text.includes(`from "${client}"`));
    assert(text.includes("disableOfflineQueue: true"));
  }
});

Deno.test(`${PAGE}: sweep.ts removes expired sessions at night`, async () => {
  const { "sqlite.ts": store, "sweep.ts": sweep } = await programs(PAGE);
  await using file = await programFile(`
    import { DatabaseSync } from "node:sqlite";
    import { store } from "./sqlite.ts";
    import { jobs } from "./sweep.ts";
    await store.put("key", "value", { ttl: 1, ifVersion: null });
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const { job } of jobs) await job();
    const db = new DatabaseSync("sessions.sqlite");
    const rows = db.prepare("SELECT * FROM gatehouse_sessions").all();
    console.log(jobs[0].schedule, rows.length);
  `);
  await Deno.writeTextFile(`${file.folder}/sqlite.ts`, store);
  // The real one waits until four o'clock.
  const cron = `
    export const jobs: { schedule: string; job: () => unknown }[] = [];
    const Deno = {
      cron: (_name: string, schedule: string, job: () => unknown) =>
        jobs.push({ schedule, job }),
    };
  `;
  await Deno.writeTextFile(`${file.folder}/sweep.ts`, cron + sweep);
  const args = ["run", "-A", "--no-check", file.path];
  const line = await lastLine(Deno.execPath(), args, file.folder, {});
  assertEquals(line, "0 4 * * * 0");
});

const redis = findProgram("redis-server", `${PAGE}, redis.ts`);
if (redis !== null) {
  Deno.test(`${PAGE}: redis.ts and bun_redis.ts keep sessions`, async () => {
    await withServer(await startRedis(redis), async (port) => {
      const env = { REDIS_URL: `redis://127.0.0.1:${port}` };
      await using onDeno = await application("redis.ts");
      assertEquals(await runInDeno(onDeno, [], env), DONE);
      await using onBun = await application("bun_redis.ts");
      assertEquals(await runInBun(onBun, env), DONE);
    });
  });
}

if (redis !== null) {
  Deno.test(`${PAGE}: redis_cluster.ts keeps sessions`, async () => {
    await withServer(await startRedisCluster(redis), async (port) => {
      const env = { REDIS_URL: `redis://127.0.0.1:${port}` };
      await using file = await application("redis_cluster.ts");
      assertEquals(await runInDeno(file, [], env), DONE);
    });
  });
}

const postgres = findProgram("postgres", `${PAGE}, postgres.ts`);
if (postgres !== null) {
  Deno.test(`${PAGE}: postgres.ts and pg.ts keep sessions`, async () => {
    await withServer(await startPostgres(postgres), async (port) => {
      const url = `postgres://test@127.0.0.1:${port}/postgres`;
      for (const name of ["postgres.ts", "pg.ts"]) {
        await using file = await application(name);
        assertEquals(await runInDeno(file, [], { DATABASE_URL: url }), DONE);
      }
    });
  });
}

Deno.test(`${PAGE}: bun_sqlite.ts keeps sessions on Bun`, async () => {
  await using file = await application("bun_sqlite.ts");
  assertEquals(await runInBun(file, {}), DONE);
});

Deno.test(`${PAGE}: d1.ts keeps sessions on workerd`, async () => {
  await using file = await application("d1.ts");
  const bindings = { d1Databases: ["SESSIONS"] };
  assertEquals(await runInWorker(file, bindings), DONE);
});

Deno.test(`${PAGE}: durable_objects.ts keeps sessions on workerd`, async () => {
  await using file = await application("durable_objects.ts");
  const [{ name, class_name }] = (await wrangler()).durable_objects.bindings;
  const durableObjects = { [name]: { className: class_name, useSQLite: true } };
  assertEquals(await runInWorker(file, { durableObjects }), DONE);
});

Deno.test(`${PAGE}: sweep_worker.ts removes expired sessions on workerd`, async () => {
  const { "d1.ts": store, "sweep_worker.ts": sweep } = await programs(PAGE);
  await using file = await programFile(`
    import { env } from "cloudflare:workers";
    import { store } from "./d1.ts";
    import worker from "./sweep_worker.ts";
    export default {
      scheduled: worker.scheduled,
      async fetch({ url }) {
        if (url.endsWith("/fill")) {
          await store.put("long", "value", { ttl: 60_000, ifVersion: null });
          await store.put("short", "value", { ttl: 1, ifVersion: null });
        }
        const { results } = await env.SESSIONS
          .prepare("SELECT id FROM gatehouse_sessions").all();
        return Response.json(results.map(({ id }) => id));
      },
    };
  `);
  await Deno.writeTextFile(`${file.folder}/d1.ts`, store);
  await Deno.writeTextFile(`${file.folder}/sweep_worker.ts`, sweep);
  const script = await bundleProgram(file, `${file.folder}/main.ts`);
  await using worker = await startWorker({
    script,
    d1Databases: ["SESSIONS"],
    unsafeTriggerHandlers: true,
  });
  const rows = async (path: string) =>
    await (await fetch(new URL(path, worker.url))).json();
  assertEquals(await rows("/fill"), ["long", "short"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const trigger = new URL("/cdn-cgi/handler/scheduled", worker.url);
  assertEquals(await (await fetch(trigger)).text(), "ok");
  assertEquals(await rows("/rows"), ["long"]);
  assertEquals((await wrangler("triggers")).triggers.crons.length, 1);
});

/** Reads the contents of `wrangler.json` with a key from the page. */
async function wrangler(key = "durable_objects") {
  const text = await Deno.readTextFile(new URL(PAGE, DOCS));
  const block = codeBlocks(text).find(({ language, text }) =>
    language === "json" && key in JSON.parse(text)
  );
  return JSON.parse(block!.text);
}

/** Writes the application with a store to a file. */
async function application(name: string): Promise<ProgramFile> {
  const file = await programFile(APPLICATION);
  const { [name]: store } = await programs(PAGE);
  await Deno.writeTextFile(`${file.folder}/store.ts`, store);
  return file;
}

async function runInDeno(
  { folder }: ProgramFile,
  flags: readonly string[],
  env: Record<string, string>,
): Promise<string> {
  const main = `${folder}/run.ts`;
  await Deno.writeTextFile(main, RUN.replace("EXIT", "Deno.exit()"));
  const args = ["run", "-A", "--no-check", ...flags, main];
  return await lastLine(Deno.execPath(), args, folder, env);
}

const RUN = `import { run } from "./main.ts";
console.log(await run());
EXIT;
`;

async function runInBun(
  file: ProgramFile,
  env: Record<string, string>,
): Promise<string> {
  const { folder } = file;
  const main = `${folder}/run.ts`;
  await Deno.writeTextFile(main, RUN.replace("EXIT", "process.exit()"));
  await bundleProgram(file, main);
  return await lastLine(bunPath(), ["bundle.js"], folder, env);
}

async function runInWorker(
  file: ProgramFile,
  bindings: Readonly<Record<string, unknown>>,
): Promise<string> {
  const main = `${file.folder}/worker.ts`;
  await Deno.writeTextFile(
    main,
    `export * from "./main.ts";
import { run } from "./main.ts";
export default { fetch: async () => new Response(await run()) };`,
  );
  const script = await bundleProgram(file, main);
  await using worker = await startWorker({ script, ...bindings });
  return await (await fetch(worker.url)).text();
}

async function lastLine(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env,
  }).output();
  const decoder = new TextDecoder();
  const line = decoder.decode(stdout).trim().split("\n").at(-1);
  return line || decoder.decode(stderr);
}

async function withServer(
  server: Server,
  use: (port: number) => Promise<void>,
): Promise<void> {
  try {
    await use(server.port);
  } finally {
    await server.stop();
  }
}
