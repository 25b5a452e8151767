import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { assertEquals } from "@std/assert";
import { createBoundApp, Device, LIFETIME } from "../_bound_app.ts";

Deno.test("a refresh takes two calls of the store", async () => {
  const calls: string[] = [];
  const store = createMemorySessionStore();
  const counting: SessionStore = {
    get: (id) => (calls.push("get"), store.get(id)),
    put: (id, value, options) => {
      calls.push("put");
      return store.put(id, value, options);
    },
    delete: (id) => (calls.push("delete"), store.delete(id)),
    byIndex: (name) => (calls.push("byIndex"), store.byIndex!(name)),
  };
  const { clock, router } = createBoundApp({ session: { store: counting } });
  const device = await new Device(router).bind();
  device.challenge = "";
  clock.time += LIFETIME;
  calls.length = 0;
  await device.refresh();
  assertEquals(calls, ["get"]);
  calls.length = 0;
  assertEquals((await device.refresh()).status, 200);
  assertEquals(calls, ["get", "put"]);
  clock.time += LIFETIME;
  calls.length = 0;
  assertEquals((await device.refresh()).status, 200);
  assertEquals(calls, ["get", "put"]);
});

Deno.test("one of 20 concurrent refreshes uses a challenge", async () => {
  const { clock, router } = createBoundApp();
  const device = await new Device(router).bind();
  device.challenge = "";
  clock.time += LIFETIME;
  await device.refresh();
  const headers = {
    "Cookie": device.jar,
    "Sec-Secure-Session-Id": device.id,
    "Secure-Session-Response": await device.refreshProof(),
  };
  const responses = await Promise.all(
    Array.from(
      { length: 20 },
      () =>
        router.fetch("https://example.com/device-session/refresh", {
          method: "POST",
          headers,
        }),
    ),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assertEquals(statuses, [200, ...Array(19).fill(403)]);
});
