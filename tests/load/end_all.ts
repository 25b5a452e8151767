/**
 * Ends the 10,000 sessions of one user, on each store:
 *
 *     deno task load end_all
 *
 * It prints the time of a login, of the first page of the list and of `endAll`,
 * and the longest time for which other code of the process had to wait.
 *
 * @module
 */
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  sessions,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";

const SESSIONS = 10_000;

interface Opened {
  readonly store: SessionStore;
  close(): unknown;
}

const redis = findProgram("redis-server", "Redis");
const postgres = findProgram("postgres", "PostgreSQL");

const stores: Record<string, () => Promise<Opened | null>> = {
  memory: () =>
    Promise.resolve({ store: createMemorySessionStore(), close() {} }),
  SQLite: async () => {
    const folder = await Deno.makeTempDir();
    const { close, store } = await openStore("sqlite", `${folder}/sessions`);
    return {
      store,
      close: async () => {
        await close();
        await Deno.remove(folder, { recursive: true });
      },
    };
  },
  PostgreSQL: async () => {
    if (postgres === null) return null;
    return await served("postgres", await startPostgres(postgres));
  },
  Redis: async () => {
    if (redis === null) return null;
    return await served("redis", await startRedis(redis));
  },
};

console.log("| store | login | first page | `endAll` | longest wait |");
console.log("| --- | ---: | ---: | ---: | ---: |");
for (const [name, open] of Object.entries(stores)) {
  const opened = await open();
  if (opened === null) continue;
  try {
    const times = await measure(opened.store);
    const cells = times.map((time) => `${time.toFixed(0)} ms`);
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  } finally {
    await opened.close();
  }
}
Deno.exit();

async function served(
  kind: string,
  server: Awaited<ReturnType<typeof startRedis>>,
): Promise<Opened> {
  const { close, store } = await openStore(kind, server.port);
  return {
    store,
    close: async () => {
      await close();
      await server.stop();
    },
  };
}

async function measure(store: SessionStore): Promise<number[]> {
  const router = createRouter({ middleware: [session({ store })] });
  router.post("/login", (context) => {
    context.get(Session).set("userId", 7);
    return new Response();
  });
  router.get(
    "/list",
    async (context) => Response.json((await sessions(context).list(7)).length),
  );
  router.post(
    "/end",
    async (context) =>
      Response.json(await sessions(context).endAll({ userId: 7 })),
  );
  const send = async (method: string, path: string) => {
    const url = `https://example.com${path}`;
    return await (await router.fetch(new Request(url, { method }))).text();
  };
  for (let count = 0; count < SESSIONS; count += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => send("POST", "/login")),
    );
  }
  const login = await timeOf(() => send("POST", "/login"));
  const page = await timeOf(() => send("GET", "/list"));
  const wait = longestWait();
  let ended = "";
  const end = await timeOf(async () => ended = await send("POST", "/end"));
  const longest = wait.stop();
  if (Number(ended) !== SESSIONS + 1) {
    throw new Error(`${ended} sessions ended`);
  }
  const left = await store.byIndex!("user:7");
  if (left.length > 0) throw new Error(`${left.length} sessions are left`);
  return [login, page, end, longest];
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

/** Measures the longest time between two turns of the event loop. */
function longestWait(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.max(longest, performance.now() - last);
    },
  };
}
