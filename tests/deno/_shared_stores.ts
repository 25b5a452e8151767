import type { SessionStore } from "@gatehouse/web/session";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { findProgram, startPostgres, startRedis } from "./_servers.ts";
import { type OpenStore, openStore } from "./_session_stores.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

/** Connects to the store like another machine. Databases have names. */
export type ConnectStore = (database?: string) => Promise<SessionStore>;

/**
 * Runs a test on SQLite, PostgreSQL, Redis and Valkey. Skips those that are not
 * installed.
 *
 * @param subject The subject of the tests, for the line about skipped ones.
 * @param nameOn Returns the name of the test on a store.
 */
export function testOnSharedStores(
  subject: string,
  nameOn: (kind: string) => string,
  test: (connect: ConnectStore) => Promise<void>,
): void {
  const redis = findProgram("redis-server", `${subject} on Redis`);
  const postgres = findProgram("postgres", `${subject} on PostgreSQL`);
  const programs = { sqlite: "", postgres, redis, valkey: redis };
  for (const [kind, program] of Object.entries(programs)) {
    Deno.test({
      name: nameOn(kind),
      ignore: program === null,
      // Clients keep their sockets for a moment.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () => runOnStore(kind, program!, test),
    });
  }
}

async function runOnStore(
  kind: string,
  program: string,
  test: (connect: ConnectStore) => Promise<void>,
): Promise<void> {
  const folder = await makeDataFolder();
  const server = kind === "sqlite"
    ? null
    : await (kind === "postgres" ? startPostgres : startRedis)(program);
  const opened: OpenStore[] = [];
  try {
    await test(async (database = "sessions") => {
      const open = await openStore(
        kind,
        server?.port ?? `${folder}/${database}.db`,
      );
      opened.push(open);
      return open.store;
    });
  } finally {
    for (const { close } of opened) await close();
    await server?.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The stores of a Worker, as expressions for `startStoreWorker`. */
export const WORKER_STORES: readonly [name: string, expression: string][] = [
  [
    "D1",
    `createSQLSessionStore(async (sql, params) =>
      (await env.DB.prepare(sql).bind(...params).all()).results)`,
  ],
  ["a Durable Object", "createDurableObjectSessionStore(env.SESSIONS)"],
];

/** Starts a Worker whose script may create one of the `WORKER_STORES`. */
export async function startStoreWorker(
  script: string,
): ReturnType<typeof startWorker> {
  return await startWorker({
    script: await bundle(`
      import { createDurableObjectSessionStore, SessionObject }
        from "@gatehouse/web/session/cloudflare";
      import { createSQLSessionStore } from "@gatehouse/web/session/sql";
      export { SessionObject };
      ${script}`),
    d1Databases: ["DB"],
    durableObjects: {
      SESSIONS: { className: "SessionObject", useSQLite: true },
    },
  });
}
