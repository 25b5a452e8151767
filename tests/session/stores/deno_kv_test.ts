import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
import { assert } from "@std/assert";

Deno.test("createDenoKVSessionStore() deletes a value that another writer changes at the same time", async () => {
  let version = 1;
  let isDeleted = false;
  const value = { value: "text", expiresAt: Date.now() + 60_000, index: [] };
  const store = createDenoKVSessionStore({
    get: (key) =>
      Promise.resolve({ key, value, versionstamp: String(version) }),
    atomic: () => ({
      check(entry) {
        // Another writer changes the value before the first two attempts.
        if (version < 3) version++;
        isDeleted = entry.versionstamp === String(version);
      },
      set() {},
      delete() {},
      commit: () => Promise.resolve({ ok: isDeleted }),
    }),
    async *list() {},
  });
  await store.delete("key");
  assert(isDeleted);
});
