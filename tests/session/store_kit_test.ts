import {
  assert,
  assertEquals,
  assertRejects,
  assertThrows,
  fail,
} from "@std/assert";
import {
  createMemorySessionStore,
  type PutOptions,
  type SessionStore,
} from "@gatehouse/web/session";
import { createDurableObjectSessionStore } from "@gatehouse/web/session/cloudflare";
import { createDenoKVSessionStore } from "@gatehouse/web/session/deno-kv";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { testSessionStore } from "@gatehouse/web/session/testing";

/** Faults of a store, and the tests of the kit that detect them. */
const faults: [fault: string, detectedBy: string, change: Change][] = [
  ["the last write wins", "put() rejects an old version", {
    put: async (store, key, value, options) => {
      const ifVersion = (await store.get(key))?.version ?? null;
      return await store.put(key, value, { ...options, ifVersion });
    },
  }],
  ["put() restores deleted values", "put() does not restore a deleted value", {
    put: async (store, key, value, options) => {
      if (await store.put(key, value, options)) return true;
      if (await store.get(key) !== null) return false;
      return await store.put(key, value, { ...options, ifVersion: null });
    },
  }],
  ["put() overwrites existing values", "put() does not overwrite", {
    put: async (store, key, value, options) => {
      const { ifVersion = null } = options;
      const version = ifVersion ?? (await store.get(key))?.version ?? null;
      return await store.put(key, value, { ...options, ifVersion: version });
    },
  }],
  ["values never expire", "get() returns null after the lifetime", {
    put: (store, key, value, options) =>
      store.put(key, value, { ...options, ttl: 60_000 }),
  }],
  ["put() returns true on failure", "put() lets one of many", {
    put: async (store, key, value, options) => {
      await store.put(key, value, options);
      return true;
    },
  }],
  ["put() is not atomic", "put() lets one of many concurrent writers create", {
    put: async (store, key, value, options) => {
      const version = (await store.get(key))?.version ?? null;
      if (version !== options.ifVersion) return false;
      await new Promise((resolve) => setTimeout(resolve, 1));
      const ifVersion = (await store.get(key))?.version ?? null;
      return await store.put(key, value, { ...options, ifVersion });
    },
  }],
  ["versions are hashes of the value", "put() changes the version", {
    get: async (store, key) => {
      const found = await store.get(key);
      return found && { ...found, version: `v${found.value}` };
    },
    put: async (store, key, value, options) => {
      const found = await store.get(key);
      const version = found && `v${found.value}`;
      if (version !== options.ifVersion) return false;
      const ifVersion = found?.version ?? null;
      return await store.put(key, value, { ...options, ifVersion });
    },
  }],
  ["put() changes characters", "put() keeps every character", {
    put: (store, key, value, options) =>
      store.put(key, value.replace("\u2028", " "), options),
  }],
  ["byIndex() returns nothing", "byIndex() finds the keys of a name", {
    byIndex: () => [],
  }],
  ["byIndex() returns old keys", "byIndex() returns the right keys after", {
    put: (store, key, value, options) =>
      store.put(key, value, {
        ...options,
        index: options.index ?? names.get(key),
      }),
  }],
  ["sweep() removes everything", "sweep() removes only expired values", {
    sweep: async (store) => {
      for (const key of keys) await store.delete(key);
    },
  }],
];

interface Change {
  get?: (store: SessionStore, key: string) => ReturnType<SessionStore["get"]>;
  put?: (
    store: SessionStore,
    key: string,
    value: string,
    options: PutOptions,
  ) => boolean | Promise<boolean>;
  byIndex?: () => string[];
  sweep?: (store: SessionStore) => Promise<void>;
}

const keys = new Set<string>();
const names = new Map<string, readonly string[]>();

for (const [fault, detectedBy, change] of faults) {
  Deno.test(`testSessionStore() detects a store in which ${fault}`, async () => {
    const tests = testSessionStore(() => broken(change));
    const suspects = tests.filter(({ name }) => name.startsWith(detectedBy));
    assert(suspects.length > 0, detectedBy);
    const failed = await Promise.all(suspects.map(async ({ run }) => {
      try {
        await run();
        return false;
      } catch {
        return true;
      }
    }));
    assert(failed.includes(true));
  });
}

Deno.test("testSessionStore() accepts a store that is slower than its shortest lifetime", async () => {
  const memory = createMemorySessionStore();
  let reads = 0;
  const slow: SessionStore = {
    async get(key) {
      // Only the first read is slow, so that the check runs few times.
      if (reads++ === 0) await new Promise((go) => setTimeout(go, 160));
      return memory.get(key);
    },
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const [check] = testSessionStore(() => slow)
    .filter(({ name }) =>
      name === "put() creates a value in place of an expired one"
    );
  await check.run();
  assert(reads > 2);
});

Deno.test("testSessionStore() gives each test a different name", () => {
  const names = testSessionStore(createMemorySessionStore)
    .map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
});

const stores: Record<string, SessionStore> = {
  createMemorySessionStore: createMemorySessionStore(),
  createRedisSessionStore: createRedisSessionStore(() => 1),
  createSQLSessionStore: createSQLSessionStore(() => [{ id: "key" }]),
  createDenoKVSessionStore: createDenoKVSessionStore({
    get: (key) => Promise.resolve({ key, value: null, versionstamp: null }),
    atomic: () => fail("put() wrote to the store"),
    async *list() {},
  }),
  createDurableObjectSessionStore: createDurableObjectSessionStore({
    idFromName: (name) => name,
    get: () => fail("put() wrote to the store"),
  }),
};

for (const [name, store] of Object.entries(stores)) {
  Deno.test(`${name}() rejects more than four index names`, async () => {
    const index = ["a", "b", "c", "d", "e"];
    await assertRejects(
      async () =>
        await store.put("key", "value", { ttl: 1, ifVersion: null, index }),
      RangeError,
      "at most 4",
    );
  });
}

for (const table of ["", "a b", 'a"b', "a;b", "1a", "é", "a".repeat(41)]) {
  Deno.test(`createSQLSessionStore() rejects the table "${table}"`, () => {
    assertThrows(
      () => createSQLSessionStore(() => [], { table }),
      TypeError,
      "plain name",
    );
  });
}

Deno.test("createRedisSessionStore() accepts any string as an index name", async () => {
  const sent: string[][] = [];
  const store = createRedisSessionStore((_command, args) => {
    sent.push(args);
    return args.length > 3 ? 1 : [];
  });
  // A provider chooses the subject; a lone surrogate must not throw.
  const index = ["sub:https://issuer.example|\ud800 x"];
  assert(await store.put("key", "value", { ttl: 1, ifVersion: null, index }));
  await store.byIndex!(index[0]);
  const [stored, found] = [sent[0].at(-1)!, sent[1].at(-1)!];
  assertEquals(stored.includes(" "), false);
  assert(found.endsWith(stored));
});

Deno.test("createSQLSessionStore() creates its table again after a failure", async () => {
  let isDown = true;
  const statements: string[] = [];
  const store = createSQLSessionStore((sql) => {
    if (isDown) throw new Error("The database is unavailable");
    statements.push(sql);
    return [];
  });
  await Promise.resolve(store.get("a")).then(
    () => assert(false),
    (error) => assertEquals(error.message, "The database is unavailable"),
  );
  isDown = false;
  await store.get("a");
  assert(statements[0].startsWith("CREATE TABLE IF NOT EXISTS"));
  const count = statements.length;
  await store.get("a");
  assertEquals(statements.length, count + 1);
});

Deno.test("createSQLSessionStore() works if its first statement never settles", async () => {
  let count = 0;
  const store = createSQLSessionStore(() =>
    ++count === 1 ? new Promise(() => {}) : []
  );
  const first = Promise.resolve(store.get("a")).then(() => "first");
  const second = Promise.resolve(store.get("a")).then(() => "second");
  const late = new Promise((resolve) => setTimeout(resolve, 100, "none"));
  assertEquals(await Promise.race([first, second, late]), "second");
  await late;
});

Deno.test("createSQLSessionStore() writes whole milliseconds if the clock returns fractions", async () => {
  const times: unknown[] = [];
  const store = createSQLSessionStore((_sql, params) => {
    times.push(...params.filter((param) => typeof param === "number"));
    return [];
  }, { now: () => 1_000.7, createTable: false });
  await store.get("key");
  await store.byIndex!("user:1");
  for (const ifVersion of [null, "1"]) {
    await store.put("key", "value", { ttl: 0.5, ifVersion });
  }
  assertEquals(times, [1_000, 1_000, 1_001, 1_000, 1_001, 1_000]);
});

Deno.test("createSQLSessionStore() creates no table with createTable: false", async () => {
  const statements: string[] = [];
  const query = (sql: string) => {
    statements.push(sql);
    return [];
  };
  const options = { createTable: false, dialect: "postgres" } as const;
  await createSQLSessionStore(query, options).get("a");
  assertEquals(statements, [
    "SELECT value, version FROM gatehouse_sessions WHERE id = $1 AND expires_at > $2",
  ]);
});

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

/** Creates a memory store with one fault. */
function broken(change: Change): SessionStore {
  const memory = createMemorySessionStore();
  return {
    get: (key) => change.get?.(memory, key) ?? memory.get(key),
    put: (key, value, options) => {
      keys.add(key);
      if (options.index) names.set(key, options.index);
      return change.put?.(memory, key, value, options) ??
        memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
    byIndex: (name) => change.byIndex?.() ?? memory.byIndex!(name),
    sweep: (now) => change.sweep?.(memory) ?? memory.sweep!(now),
  };
}
