/** 100 parallel refreshes with one proof, on real stores and several machines. */
import { assertEquals } from "@std/assert";
import { createBoundApp, IN_FLIGHT } from "../auth/_bound_app.ts";
import {
  assertOneCounts,
  type Fetch,
  MACHINES,
} from "../auth/_bound_machines.ts";
import { deno } from "../deno/_programs.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { type OpenStore, openStore } from "../deno/_session_stores.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";

const ROOT = new URL("../../", import.meta.url);

const redis = findProgram("redis-server", "device-bound sessions on Redis");
const postgres = findProgram("postgres", "device-bound sessions on PostgreSQL");

const kinds: [kind: string, program: string | null][] = [
  ["sqlite", ""],
  ["postgres", postgres],
  ["redis", redis],
  ["valkey", redis],
];

for (const [kind, program] of kinds) {
  Deno.test({
    name:
      `one of 100 parallel refreshes uses a challenge on ${kind}, from ${MACHINES} machines`,
    ignore: program === null,
    // Clients keep their sockets for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const folder = await Deno.makeTempDir();
      const server = program === ""
        ? { port: 0, stop: () => Promise.resolve() }
        : await (kind === "postgres" ? startPostgres : startRedis)(program!);
      const opened: OpenStore[] = [];
      try {
        const clock = { time: Date.now() };
        const machines: Fetch[] = [];
        for (let index = 0; index < MACHINES; index++) {
          const address = program === "" ? `${folder}/app.db` : server.port;
          const open = await openStore(kind, address);
          opened.push(open);
          const options = { clock, session: { store: open.store } };
          const { router } = createBoundApp(options);
          machines.push((request) => router.fetch(request));
        }
        const device = await assertOneCounts(machines, "https://example.com");
        clock.time += IN_FLIGHT;
        const headers = { Cookie: device.jar.replace(/; __Host-bound=.*/, "") };
        const request = new Request("https://example.com/", { headers });
        const copied = await machines[0]!(request);
        assertEquals(await copied.json(), null);
      } finally {
        for (const { close } of opened) await close();
        await server.stop();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

Deno.test(`one of 100 parallel refreshes uses a challenge on Deno KV, from ${MACHINES} machines`, async () => {
  const from = (path: string) => new URL(path, import.meta.url).href;
  await deno([
    ...["eval", "--unstable-kv", "--ext=ts"],
    `import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
    import { createBoundApp } from "${from("../auth/_bound_app.ts")}";
    import { assertOneCounts } from "${from("../auth/_bound_machines.ts")}";
    const clock = { time: Date.now() };
    const kv = await Deno.openKv(":memory:");
    const machines = Array.from({ length: ${MACHINES} }, () => {
      const store = createDenoKVSessionStore(kv);
      const { router } = createBoundApp({ clock, session: { store } });
      return (request) => router.fetch(request);
    });
    await assertOneCounts(machines, "https://example.com");
    kv.close();`,
  ]);
});

const stores = [
  [
    "D1",
    `createSQLSessionStore(async (sql, params) =>
      (await env.DB.prepare(sql).bind(...params).all()).results)`,
  ],
  ["a Durable Object", "createDurableObjectSessionStore(env.SESSIONS)"],
];

for (const [name, store] of stores) {
  Deno.test(`one of 100 parallel refreshes uses a challenge on ${name}`, async () => {
    const script = await bundle(`
      import { createBoundApp } from "${ROOT.href}tests/auth/_bound_app.ts";
      import { createDurableObjectSessionStore } from "${ROOT.href}session/stores/cloudflare.ts";
      import { createSQLSessionStore } from "${ROOT.href}session/stores/sql.ts";
      export { SessionObject } from "${ROOT.href}session/stores/cloudflare.ts";
      export default {
        fetch(request, env, context) {
          // A new application for each request shares nothing but the store.
          const clock = { time: Date.now() };
          const session = { store: ${store} };
          const { router } = createBoundApp({ clock, session });
          return router.fetch(request, env, context);
        },
      };`);
    await using worker = await startWorker({
      script,
      d1Databases: ["DB"],
      durableObjects: {
        SESSIONS: { className: "SessionObject", useSQLite: true },
      },
    });
    const send = async (request: Request) => {
      const response = await fetch(request);
      return new Response(await response.arrayBuffer(), response);
    };
    await assertOneCounts([send], worker.url.origin);
  });
}
