import { createDurableObjectSessionStore } from "@gatehouse/web/session/cloudflare";
import { assert, assertEquals } from "@std/assert";
import { until } from "../../_wait.ts";
import { Namespace } from "./_objects.ts";

Deno.test("SessionObject sets its alarm to the first expiry", async () => {
  const namespace = new Namespace();
  const store = createDurableObjectSessionStore(namespace);
  const begun = Date.now();
  const index = ["user:7"];
  await store.put("a", "one", { ttl: 60_000, ifVersion: null, index });
  await store.put("b", "one", { ttl: 1_000, ifVersion: null, index });
  await store.put("c", "one", { ttl: 30_000, ifVersion: null, index });
  const { alarm } = namespace.storage("index:user:7");
  const ended = Date.now();
  assert(alarm! >= begun + 1_000 && alarm! <= ended + 1_000, String(alarm));

  const { version } = (await store.get("a"))!;
  await store.put("a", "two", { ttl: 1_000, ifVersion: version });
  const value = namespace.storage("value:a").alarm;
  const now = Date.now();
  assert(value! >= begun + 1_000 && value! <= now + 1_000, String(value));
});

Deno.test("SessionObject returns nothing but the value and its version", async () => {
  const store = createDurableObjectSessionStore(new Namespace());
  const index = ["user:7"];
  await store.put("a", "one", { ttl: 60_000, ifVersion: null, index });
  const found = await store.get("a");
  assertEquals(Object.keys(found!).sort(), ["value", "version"]);
});

Deno.test("SessionObject.alarm() removes only expired values and sets the next alarm", async () => {
  const namespace = new Namespace();
  const store = createDurableObjectSessionStore(namespace);
  const options = { ifVersion: null, index: ["user:7"] };
  // More than a runtime removes in one call.
  for (let n = 0; n < 150; n++) {
    await store.put(`brief${n}`, "one", { ...options, ttl: 1 });
  }
  const begun = Date.now();
  await store.put("lasting", "one", { ...options, ttl: 60_000 });
  await until(async () => await store.get("brief149") === null);
  const index = namespace.storage("index:user:7");
  await namespace.wake("index:user:7");
  assertEquals([...index.entries.keys()], ["key:lasting"]);
  assert(index.alarm! >= begun + 60_000, String(index.alarm));
  assertEquals(await store.byIndex!("user:7"), ["lasting"]);

  // An early alarm removes nothing.
  await namespace.wake("value:lasting");
  assertEquals((await store.get("lasting"))?.value, "one");
  assert(namespace.storage("value:lasting").alarm! >= begun + 60_000);

  await namespace.wake("value:brief0");
  assertEquals(namespace.storage("value:brief0").entries.size, 0);
});
