/** A code of a second factor and an emailed link work once, on every store. */
import { assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { useCodeAtOnce } from "../auth/_use_code_at_once.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { deno } from "../deno/_programs.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";

const redis = findProgram("redis-server", "second factors on Redis");
const postgres = findProgram("postgres", "second factors on PostgreSQL");

const HELPER = new URL("../auth/_use_code_at_once.ts", import.meta.url).href;
const NAME = "one of 100 concurrent requests with a code or a link logs in";

Deno.test(`${NAME}, in memory`, async () => {
  const store = createMemorySessionStore();
  assertEquals(await useCodeAtOnce(store), [1, 1, 1]);
});

for (const [kind, program] of [["redis", redis], ["postgres", postgres]]) {
  Deno.test({
    name: `${NAME}, on ${kind}`,
    ignore: program === null,
    // Clients keep their sockets for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const start = kind === "redis" ? startRedis : startPostgres;
      const server = await start(program!);
      const { store, close } = await openStore(kind!, server.port);
      try {
        assertEquals(await useCodeAtOnce(store), [1, 1, 1]);
      } finally {
        await close();
        await server.stop();
      }
    },
  });
}

Deno.test(`${NAME}, on SQLite`, async () => {
  const { store, close } = await openStore("sqlite", ":memory:");
  assertEquals(await useCodeAtOnce(store), [1, 1, 1]);
  close();
});

Deno.test(`${NAME}, on Deno KV`, async () => {
  await deno([
    ...["eval", "--unstable-kv", "--ext=ts"],
    `import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
    import { useCodeAtOnce } from "${HELPER}";
    const kv = await Deno.openKv(":memory:");
    const store = createDenoKVSessionStore(kv);
    const logins = JSON.stringify(await useCodeAtOnce(store));
    if (logins !== "[1,1,1]") throw new Error("The logins are " + logins);
    kv.close();`,
  ]);
});

Deno.test(`${NAME}, on Durable Objects`, async () => {
  const contents = await bundle(`
    import { createDurableObjectSessionStore, SessionObject }
      from "@gatehouse/web/session/cloudflare";
    import { useCodeAtOnce } from "${HELPER}";
    export { SessionObject };
    export default {
      async fetch(_request, env) {
        const store = createDurableObjectSessionStore(env.SESSIONS);
        return Response.json(await useCodeAtOnce(store));
      },
    };`);
  await using worker = await startWorker({
    modules: [{ type: "ESModule", path: "main.js", contents }],
    durableObjects: {
      SESSIONS: { className: "SessionObject", useSQLite: true },
    },
  });
  const response = await fetch(worker.url);
  assertEquals(await response.text(), "[1,1,1]");
});
