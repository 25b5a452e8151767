/** 100 parallel refreshes with one proof, on real stores and several machines. */
import { assertEquals } from "@std/assert";
import { createBoundApp, IN_FLIGHT } from "../auth/_bound_app.ts";
import {
  assertOneCounts,
  type Fetch,
  MACHINES,
} from "../auth/_bound_machines.ts";
import { deno } from "../deno/_programs.ts";
import {
  startStoreWorker,
  testOnSharedStores,
  WORKER_STORES,
} from "../deno/_shared_stores.ts";

const NAME = "one of 100 parallel refreshes uses a challenge";

testOnSharedStores(
  "device-bound sessions",
  (kind) => `${NAME} on ${kind}, from ${MACHINES} machines`,
  async (connect) => {
    const clock = { time: Date.now() };
    const machines: Fetch[] = [];
    for (let index = 0; index < MACHINES; index++) {
      const session = { store: await connect() };
      const { router } = createBoundApp({ clock, session });
      machines.push((request) => router.fetch(request));
    }
    const device = await assertOneCounts(machines, "https://example.com");
    clock.time += IN_FLIGHT;
    const headers = { Cookie: device.jar.replace(/; __Host-bound=.*/, "") };
    const request = new Request("https://example.com/", { headers });
    const copied = await machines[0]!(request);
    assertEquals(await copied.json(), null);
  },
);

Deno.test(`${NAME} on Deno KV, from ${MACHINES} machines`, async () => {
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

for (const [name, store] of WORKER_STORES) {
  Deno.test(`${NAME} on ${name}`, async () => {
    const app = new URL("../auth/_bound_app.ts", import.meta.url);
    await using worker = await startStoreWorker(`
      import { createBoundApp } from "${app.href}";
      export default {
        fetch(request, env, context) {
          // A new application for each request shares nothing but the store.
          const clock = { time: Date.now() };
          const session = { store: ${store} };
          const { router } = createBoundApp({ clock, session });
          return router.fetch(request, env, context);
        },
      };`);
    const send = async (request: Request) => {
      const response = await fetch(request);
      return new Response(await response.arrayBuffer(), response);
    };
    await assertOneCounts([send], worker.url.origin);
  });
}
