import { assertEquals } from "@std/assert";

Deno.test("createMemorySessionStore() frees the memory of removed sessions", async () => {
  // Stores 100 MB of names in total in a smaller heap.
  const script = `
    import { createMemorySessionStore } from "@gatehouse/web/session";
    const store = createMemorySessionStore({ maxRecords: 100 });
    for (let n = 0; n < 50_000; n++) {
      const index = ["one-time:" + n + "x".repeat(2_000)];
      await store.put("key" + n, "value", { ttl: 60_000, ifVersion: null, index });
      if (n % 2 === 0) await store.delete("key" + n);
    }
    console.log("done");`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--v8-flags=--max-old-space-size=64", script],
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals(decoder.decode(stdout), "done\n", decoder.decode(stderr));
});
