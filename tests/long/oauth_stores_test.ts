/**
 * Of concurrent requests at two processes, one gets the tokens of a code, and all get
 * the same successor of a refresh token, on every store. Bound tokens keep their keys.
 */
import { assertEquals } from "@std/assert";
import {
  appAt,
  type Processes,
  startProcesses,
} from "../deno/_oauth_processes.ts";
import { freePort } from "../deno/_programs.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";
import {
  RACES,
  refreshAtOnce,
  walkRaces,
} from "../oauth_server/_race_table.ts";
import {
  startServer,
  type TestApp,
  WITH_DEVICES,
} from "../oauth_server/_server.ts";
import { walkDPoPRaces } from "../oauth_server/dpop/_dpop_races.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

const redis = findProgram("redis-server", "an authorization server on Redis");
const postgres = findProgram(
  "postgres",
  "an authorization server on PostgreSQL",
);

/** With 200 requests each, the rounds of the three stores are 19,200 refreshes. */
const ROUNDS = 32;
const REQUESTS = 200;

const NAME = "two processes create one successor of each refresh token";

/** Clients keep sockets for a moment. */
const LEAKS = { sanitizeOps: false, sanitizeResources: false };

Deno.test(`${NAME}, on SQLite`, async () => {
  const folder = await makeDataFolder();
  const files = [1, 2].map(() => openStore("sqlite", `${folder}/db`));
  const stores = await Promise.all(files);
  const apps = stores.map(({ store }) =>
    startServer({ ...WITH_DEVICES, store, sessions: store })
  );
  assertEquals(await walkRaces(apps), RACES);
  for (const { close } of stores) close();
  await Deno.remove(folder, { recursive: true });
});

for (const [kind, program] of [["redis", redis], ["postgres", postgres]]) {
  Deno.test({
    name: `${NAME}, on ${kind}`,
    ignore: program === null,
    ...LEAKS,
    fn: async () => {
      const start = kind === "redis" ? startRedis : startPostgres;
      const server = await start(program!);
      await using processes = await startProcesses(kind!, server.port);
      await race(processes.apps);
      await server.stop();
    },
  });
}

Deno.test({
  name: `${NAME}, on Durable Objects`,
  ...LEAKS,
  fn: async () => {
    await using workers = await startWorkers();
    await race(workers.apps);
  },
});

async function race(apps: readonly TestApp[]): Promise<void> {
  assertEquals(await walkRaces(apps), RACES);
  for (let round = 1; round <= ROUNDS; round++) {
    assertEquals(
      await refreshAtOnce(apps, REQUESTS),
      `${REQUESTS} × 200, one successor; it works`,
      `round ${round}`,
    );
  }
  await walkDPoPRaces(apps);
}

/** Starts two Workers with the same Durable Objects. */
async function startWorkers(): Promise<Processes> {
  const helper = new URL("../oauth_server/_server.ts", import.meta.url).href;
  const contents = await bundle(`
    import { createDurableObjectSessionStore, SessionObject }
      from "@gatehouse/web/session/cloudflare";
    import { dpopTokens } from "@gatehouse/web/oauth-server";
    import { ORIGIN, startServer, WITH_DEVICES } from "${helper}";
    const settings = { ...WITH_DEVICES, dpop: dpopTokens() };
    export { SessionObject };
    let app;
    export default {
      async fetch(request, env, ctx) {
        const { hostname, pathname, search } = new URL(request.url);
        // The second Worker is below another host.
        if (env.SECOND && hostname === "127.0.0.1") {
          return await env.SECOND.fetch(request);
        }
        const store = createDurableObjectSessionStore(env.SESSIONS);
        app ??= startServer({ ...settings, store, sessions: store });
        const url = ORIGIN + pathname + search;
        return await app.router.fetch(new Request(url, request), env, ctx);
      },
    };`);
  const common = {
    modules: [{ type: "ESModule" as const, path: "main.js", contents }],
    compatibilityDate: "2026-07-01",
  };
  const className = "SessionObject";
  const port = freePort();
  const worker = await startWorker({
    port,
    host: "127.0.0.1",
    workers: [
      {
        ...common,
        name: "first",
        durableObjects: { SESSIONS: { className, useSQLite: true } },
        serviceBindings: { SECOND: "second" },
      },
      {
        ...common,
        name: "second",
        durableObjects: {
          SESSIONS: { className, scriptName: "first", useSQLite: true },
        },
      },
    ],
  });
  return {
    apps: [`http://localhost:${port}`, `http://127.0.0.1:${port}`].map(appAt),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
