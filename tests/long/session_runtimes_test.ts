import { assertEquals, assertGreater } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";
import { startWorker } from "../runtimes/workers.ts";
import { findProgram, startRedis } from "../deno/_servers.ts";

const ROOT = new URL("../../", import.meta.url);

/** Runs the kit on `store` and puts the failures into `results`. */
const RUN_KIT = `
const results = { passed: 0, failed: [] };
for (const { name, run } of testSessionStore(() => store)) {
  try {
    await run();
    results.passed++;
  } catch (error) {
    results.failed.push(name + ": " + error);
  }
}`;

for (const place of [":memory:", "file"]) {
  Deno.test(`createDenoKVSessionStore() passes the kit on a database in ${place}`, async () => {
    const folder = await makeDataFolder();
    const path = place === "file" ? `${folder}/kv` : place;
    // Type-checked too, once: the store accepts the real Deno.Kv.
    const check = place === "file" ? "--no-check" : "--check";
    const output = await run(Deno.execPath(), [
      ...["eval", check, "--unstable-kv", "--ext=ts"],
      `import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
      import { testSessionStore } from "@gatehouse/web/testing";
      const kv = await Deno.openKv(${JSON.stringify(path)});
      const store = createDenoKVSessionStore(kv);
      ${RUN_KIT.replace("[]", "[] as string[]")}
      kv.close();
      console.log(JSON.stringify(results));`,
    ]);
    await Deno.remove(folder, { recursive: true });
    allPassed(JSON.parse(output));
  });
}

Deno.test("createSQLSessionStore() passes the kit on bun:sqlite in Bun", async () => {
  const results = await runInBun(`
    import { Database } from "bun:sqlite";
    const db = new Database(":memory:");
    const store = createSQLSessionStore((sql, params) =>
      db.query(sql).all(...params)
    );`);
  allPassed(results);
});

const redis = findProgram("redis-server", "session stores on Bun's Redis");

Deno.test({
  name: "createRedisSessionStore() passes the kit with Bun's Redis client",
  ignore: redis === null,
  fn: async () => {
    const server = await startRedis(redis!);
    try {
      const results = await runInBun(`
        import { RedisClient } from "bun";
        const client = new RedisClient("redis://127.0.0.1:${server.port}");
        const store = createRedisSessionStore((command, args) =>
          client.send(command, args)
        );`);
      allPassed(results);
    } finally {
      await server.stop();
    }
  },
});

Deno.test("session() keeps the type and length of a string response with its cookie in Bun", async () => {
  const script = await bundle(`
    import { createRouter } from "${ROOT.href}router/mod.ts";
    import { Session } from "${ROOT.href}session/mod.ts";
    import { session } from "${ROOT.href}session/middleware.ts";
    const router = createRouter({ middleware: [session()] });
    router.get("/", (context) => {
      context.get(Session).set("a", 1);
      return new Response("page");
    });
    const server = Bun.serve({ port: 0, fetch: (request) => router.fetch(request) });
    const response = await fetch(server.url);
    const { headers } = response;
    console.log(JSON.stringify([
      headers.getSetCookie().length,
      headers.get("Content-Type").toLowerCase(),
      headers.get("Content-Length"),
      await response.text(),
    ]));
    process.exit(0);`);
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(file, script);
    const answer = JSON.parse(await run(bunPath(), [file]));
    assertEquals(answer, [1, "text/plain;charset=utf-8", "4", "page"]);
  } finally {
    await Deno.remove(file);
  }
});

for (
  const [what, store] of [
    [
      "createSQLSessionStore() passes the kit on D1",
      `createSQLSessionStore(async (sql, params) =>
        (await env.DB.prepare(sql).bind(...params).all()).results)`,
    ],
    [
      "createDurableObjectSessionStore() passes the kit in workerd",
      "createDurableObjectSessionStore(env.SESSIONS)",
    ],
  ]
) {
  Deno.test(what, async () => {
    const response = await fetchFromWorker(`
      const store = ${store};
      ${RUN_KIT}
      return Response.json(results);`);
    allPassed(await response.json());
  });
}

Deno.test("SessionObject removes expired sessions with its alarm", async () => {
  const response = await fetchFromWorker(`
    const store = createDurableObjectSessionStore(env.SESSIONS);
    const brief = { ttl: 2_000, ifVersion: null, index: ["user:1"] };
    await store.put("a", "one", brief);
    await store.put("b", "two", { ...brief, ttl: 60_000 });
    const size = async (name) => {
      const object = env.SESSIONS.get(env.SESSIONS.idFromName(name));
      return (await (await object.fetch("https://x/size")).json()).length;
    };
    const all = ["value:a", "value:b", "index:user:1"];
    const measure = () => Promise.all(all.map(size));
    const sizes = [await measure(), []];
    // The alarms come when it is time, or a little later.
    for (let wait = 0; wait < 100 && String(sizes[1]) !== "0,1,1"; wait++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      sizes[1] = await measure();
    }
    return Response.json(sizes);`);
  assertEquals(await response.json(), [[1, 1, 2], [0, 1, 1]]);
});

Deno.test("createKVCache() keeps entries in Workers KV until they expire", async () => {
  const response = await fetchFromWorker(`
    let now = Date.now();
    const cache = createKVCache(env.CACHE, { now: () => now });
    await cache.set("keys", { keys: [1] }, { ttl: 5_000 });
    const before = await cache.get("keys");
    now += 5_001;
    const after = await cache.get("keys");
    const missing = await cache.get("other");
    return Response.json({ before, after, missing });`);
  assertEquals(await response.json(), { before: { keys: [1] } });
});

interface Results {
  readonly passed: number;
  readonly failed: readonly string[];
}

function allPassed({ passed, failed }: Results): void {
  assertEquals(failed, []);
  assertGreater(passed, 20);
}

async function runInBun(createStore: string): Promise<Results> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/session.js`, await library());
    await Deno.writeTextFile(
      `${folder}/main.js`,
      `import { createRedisSessionStore, createSQLSessionStore,
        testSessionStore } from "./session.js";
      ${createStore}
      ${RUN_KIT}
      console.log(JSON.stringify(results));
      process.exit(0);`,
    );
    return JSON.parse(await run(bunPath(), [`${folder}/main.js`]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function fetchFromWorker(body: string): Promise<Response> {
  await using worker = await startWorker({
    modules: [
      { type: "ESModule", path: "main.js", contents: workerSource(body) },
      {
        type: "ESModule",
        path: "session.js",
        contents: await library(),
      },
    ],
    d1Databases: ["DB"],
    kvNamespaces: ["CACHE"],
    durableObjects: {
      SESSIONS: { className: "Inspected", useSQLite: true },
    },
  });
  const response = await fetch(worker.url);
  // Read before the runtime ends.
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return new Response(text);
}

function workerSource(body: string): string {
  return `
    import { createDurableObjectSessionStore, createKVCache,
      createSQLSessionStore, SessionObject, testSessionStore,
    } from "./session.js";
    export class Inspected extends SessionObject {
      constructor(state) { super(state); this.storage = state.storage; }
      async fetch(request) {
        if (!request.url.endsWith("/size")) return super.fetch(request);
        return Response.json([...(await this.storage.list()).keys()]);
      }
    }
    export default { async fetch(_request, env) { ${body} } };`;
}

let bundled: Promise<string> | undefined;

/** Bundles the stores and the kit as one module. */
function library(): Promise<string> {
  const files = [
    "stores/cloudflare.ts",
    "stores/redis.ts",
    "stores/sql.ts",
    "testing.ts",
  ];
  const source = files
    .map((file) => `export * from "${ROOT.href}session/${file}";`);
  return bundled ??= bundle(source.join("\n"));
}

async function run(program: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  return decoder.decode(stdout);
}
