import { createDurableObjectSessionStore } from "@gatehouse/web/session/cloudflare";
import { testSessionStore } from "@gatehouse/web/testing";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { until } from "../../_wait.ts";
import { Namespace } from "./_objects.ts";

const kit = testSessionStore(() =>
  createDurableObjectSessionStore(new Namespace())
);

for (const { name, run } of kit) {
  Deno.test(`createDurableObjectSessionStore() without alarms: ${name}`, run);
}

Deno.test("createDurableObjectSessionStore() finds a key until it expires, also after a failed put()", async () => {
  const store = createDurableObjectSessionStore(new Namespace());
  const options = { ifVersion: null, index: ["user:7"] };
  assert(await store.put("a", "one", { ...options, ttl: 60_000 }));
  assertEquals(await store.put("a", "two", { ...options, ttl: 1 }), false);
  // The failed one would expire.
  const failed = Date.now();
  await until(() => Date.now() > failed + 1);
  assertEquals(await store.byIndex!("user:7"), ["a"]);
});

Deno.test("createDurableObjectSessionStore() rejects if an object fails", async () => {
  const store = createDurableObjectSessionStore({
    idFromName: (name) => name,
    get: () => ({
      fetch: () => Promise.resolve(Response.json(null, { status: 500 })),
    }),
  });
  await assertRejects(async () => await store.get("a"), Error, "500");
  await assertRejects(async () => await store.delete("a"), Error, "500");
});
