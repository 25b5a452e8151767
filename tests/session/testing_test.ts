import {
  createMemorySessionStore,
  type PutOptions,
  type SessionStore,
} from "@gatehouse/web/session";
import { testSessionStore } from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";
import { afterTimers, turns } from "../_wait.ts";

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
      await turns();
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
    const tests = testSessionStore(() => faultyStore(change));
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
      if (reads++ === 0) await afterTimers(160);
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

/** Creates a memory store with one fault. */
function faultyStore(change: Change): SessionStore {
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
