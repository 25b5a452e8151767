/** Sessions on Workers, where a request that ends takes its timers with it. */
import { assertEquals } from "@std/assert";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { until } from "../_wait.ts";

/** A path has the milliseconds that the next write of the store takes. */
const WORKER = `
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";

const memory = createMemorySessionStore();
let pause = 0;
let running = 0;
const store = {
  get: (key) => memory.get(key),
  async put(...args) {
    const time = pause;
    pause = 0;
    if (time > 0) await new Promise((end) => setTimeout(end, time));
    return memory.put(...args);
  },
  delete: (key) => memory.delete(key),
};
const router = createRouter();
router.get("/running", () => new Response(String(running)));
router.get("/visit/:pause", session({ store }), (context) => {
  running++;
  pause = Math.max(pause, Number(context.params.pause));
  context.get(Session).update("count", (count) => Number(count ?? 0) + 1);
  return new Response("saved");
});
export default { fetch: router.fetch };
`;

Deno.test(
  "session() saves on Workers after clients have left the queue of a session",
  async () => {
    await using worker = await startWorker({ script: await bundle(WORKER) });
    const first = await fetch(new URL("/visit/0", worker.url));
    await first.text();
    const [Cookie] = first.headers.getSetCookie()[0].split(";");
    const visit = async (pause: number, signal?: AbortSignal) => {
      const url = new URL(`/visit/${pause}`, worker.url);
      const options = { headers: { Cookie }, ...signal && { signal } };
      return await (await fetch(url, options)).text();
    };
    const running = async (count: number) => {
      const url = new URL("/running", worker.url);
      await until(async () =>
        await (await fetch(url)).text() === String(count)
      );
    };

    // The first request saves while two others wait. The client of one leaves.
    const slow = visit(900);
    await running(2);
    const clients = new AbortController();
    const gone = [visit(0, clients.signal).catch(() => "gone")];
    await running(3);
    const waiting = [visit(0)];
    await running(4);
    clients.abort();
    assertEquals(await Promise.all(gone), ["gone"]);
    assertEquals(await slow, "saved");

    // The first request has ended, so these two need timers.
    waiting.push(visit(0));
    assertEquals(await Promise.all(waiting), ["saved", "saved"]);
  },
);
