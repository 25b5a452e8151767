import {
  createMemoryPasskeyStore,
  testPasskeyStore,
} from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";

Deno.test("testPasskeyStore() fails for a store that refuses the lower counter of a synced passkey", async () => {
  const memory = createMemoryPasskeyStore();
  const store: typeof memory = {
    ...memory,
    update: (id, use, ifCounter) =>
      use.counter >= ifCounter && memory.update(id, use, ifCounter),
  };
  const failed: string[] = [];
  for (
    const { name, run } of testPasskeyStore(() => store, { version: null })
  ) {
    await run().catch(() => failed.push(name));
  }
  assertEquals(failed, ["update() accepts a lower counter"]);
});
