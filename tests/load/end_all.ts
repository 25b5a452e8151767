import { createRouter } from "@gatehouse/web/fetch-router";
import {
  Session,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { type Effort, milliseconds, onEachStore } from "./_report.ts";

/** The bars: for `endAll`, and for the wait of other code of the process. */
const MAX_END = 1_000;
const MAX_WAIT = 50;

/**
 * Ends the 10,000 sessions of one user. Prints the times of a login, of the first
 * page of the list and of `endAll`, and the longest wait of other code.
 */
export async function endAll(effort: Effort): Promise<boolean> {
  const count = effort.quick ? 600 : 10_000;
  const head = ["login", "first page", "`endAll`", "longest wait"];
  return await onEachStore(head, effort, async ({ isRemote, store }, name) => {
    if (isRemote) return null;
    const times = await measure(store, count);
    const [, , end, wait] = times as [number, number, number, number];
    const broken: string[] = [];
    const isServer = ["PostgreSQL", "Redis"].includes(name);
    if (!effort.quick) {
      if (isServer && end > MAX_END) broken.push(`endAll takes ${end} ms`);
      if (wait > MAX_WAIT) broken.push(`other code waits for ${wait} ms`);
    }
    return { cells: times.map(milliseconds), broken };
  });
}

async function measure(
  store: SessionStore,
  count: number,
): Promise<number[]> {
  const router = createRouter({ middleware: [session({ store })] });
  router.post("/login", (context) => {
    context.get(Session).set("userId", 7);
    return new Response();
  });
  router.get(
    "/list",
    async (context) =>
      Response.json((await userSessions(context).list(7)).length),
  );
  router.post(
    "/end",
    async (context) =>
      Response.json(await userSessions(context).endAll({ userId: 7 })),
  );
  const send = async (method: string, path: string) => {
    const url = `https://example.com${path}`;
    return await (await router.fetch(new Request(url, { method }))).text();
  };
  for (let made = 0; made < count; made += 50) {
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
  if (Number(ended) !== count + 1) throw new Error(`${ended} sessions ended`);
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
