import {
  type Check,
  create,
  expect,
  indexCheck,
  newKey,
  newName,
  numbers,
  ttl,
  versionOf,
  withShortTtl,
} from "./checks.ts";

/** Keys that are invalid. */
const MALFORMED = ["", "\0", "a\nb", "é", "\ud800", "x".repeat(100_000)];

/** The contract of a store: one check for each rule. */
export const storeChecks: readonly Check[] = [
  ["get() returns null for a key that was never put", async (store) => {
    expect("get", await store.get(newKey()), null);
  }],
  ["get() and delete() ignore a malformed key", async (store) => {
    const [key, name] = [newKey(), newName()];
    await create(store, key, "one", { index: [name] });
    const encoded = encodeURIComponent(name);
    for (const bad of [`index:${name}`, `index:${encoded}`, ...MALFORMED]) {
      expect("get", await store.get(bad), null);
      await store.delete(bad);
    }
    expect("value", (await store.get(key))?.value, "one");
    expect("keys", await store.byIndex?.(name) ?? [key], [key]);
  }],
  ["put() stores a value under a new key", async (store) => {
    const key = newKey();
    expect("put", await create(store, key, "one"), true);
    expect("value", (await store.get(key))?.value, "one");
  }],
  [
    "put() does not overwrite a value when it should create one",
    async (store) => {
      const key = newKey();
      await create(store, key, "one");
      expect("put", await create(store, key, "two"), false);
      expect("value", (await store.get(key))?.value, "one");
    },
  ],
  ["put() replaces a value if the version is current", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const ifVersion = await versionOf(store, key);
    expect("put", await store.put(key, "two", { ttl, ifVersion }), true);
    expect("value", (await store.get(key))?.value, "two");
  }],
  ["put() rejects an old version", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const ifVersion = await versionOf(store, key);
    await store.put(key, "two", { ttl, ifVersion });
    expect("put", await store.put(key, "three", { ttl, ifVersion }), false);
    expect("value", (await store.get(key))?.value, "two");
  }],
  ["put() changes the version even if the value is the same", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const ifVersion = await versionOf(store, key);
    await store.put(key, "one", { ttl, ifVersion });
    expect("same", await versionOf(store, key) === ifVersion, false);
  }],
  ["put() does not restore a deleted value", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const ifVersion = await versionOf(store, key);
    await store.delete(key);
    expect("put", await store.put(key, "two", { ttl, ifVersion }), false);
    expect("get", await store.get(key), null);
  }],
  ["put() never reuses a version", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const ifVersion = await versionOf(store, key);
    await store.delete(key);
    await create(store, key, "one");
    expect("put", await store.put(key, "two", { ttl, ifVersion }), false);
    expect("value", (await store.get(key))?.value, "one");
  }],
  ["put() rejects a version that was never used", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const versions = ["", "0", "1", "undefined", "null", "x"];
    for (const ifVersion of versions) {
      expect(
        `put with version "${ifVersion}"`,
        ifVersion !== await versionOf(store, key) &&
          await store.put(key, "two", { ttl, ifVersion }),
        false,
      );
    }
  }],
  ["delete() removes a value and ignores a missing one", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    await store.delete(key);
    await store.delete(key);
    expect("get", await store.get(key), null);
  }],
  [
    "get() returns null after the lifetime",
    (store) =>
      withShortTtl(async (ttl, waitForExpiry) => {
        const key = newKey();
        await create(store, key, "one", { ttl });
        expect("value before", (await store.get(key))?.value, "one");
        await waitForExpiry();
        expect("get after", await store.get(key), null);
      }),
  ],
  [
    "put() creates a value in place of an expired one",
    (store) =>
      withShortTtl(async (ttl, waitForExpiry) => {
        const key = newKey();
        await create(store, key, "one", { ttl });
        const ifVersion = await versionOf(store, key);
        await waitForExpiry();
        const update = { ttl: 60_000, ifVersion };
        expect("update", await store.put(key, "two", update), false);
        expect("create", await create(store, key, "three"), true);
        expect("value", (await store.get(key))?.value, "three");
      }),
  ],
  [
    "put() restarts the lifetime",
    (store) =>
      withShortTtl(async (ttl, waitForExpiry) => {
        const key = newKey();
        await create(store, key, "one", { ttl });
        const update = { ttl: 60_000, ifVersion: await versionOf(store, key) };
        expect("put", await store.put(key, "two", update), true);
        await waitForExpiry();
        expect("value", (await store.get(key))?.value, "two");
      }),
  ],
  ["put() keeps every character of a value", async (store) => {
    const values = ["", "\x01\n\r\t\"'\\$1?:%", "é 漢 🏰 \u2028", '{"a":[1]}'];
    for (const value of values) {
      const key = newKey();
      await create(store, key, value);
      expect("value", (await store.get(key))?.value, value);
    }
  }],
  ["put() stores 32 kB", async (store) => {
    for (const value of ["x".repeat(32_768), "é".repeat(16_384)]) {
      const key = newKey();
      await create(store, key, value);
      expect("same", (await store.get(key))?.value === value, true);
    }
  }],
  ["put() lets one of many concurrent writers create a key", async (store) => {
    const key = newKey();
    const created = await Promise.all(
      numbers(20).map((n) => create(store, key, String(n))),
    );
    expect("created", created.filter(Boolean).length, 1);
    const winner = String(created.indexOf(true));
    expect("value", (await store.get(key))?.value, winner);
  }],
  [
    "put() lets one of many concurrent writers replace a value",
    async (store) => {
      const key = newKey();
      await create(store, key, "one");
      const ifVersion = await versionOf(store, key);
      const replaced = await Promise.all(
        numbers(20).map(async (n) =>
          await store.put(key, String(n), { ttl, ifVersion })
        ),
      );
      expect("replaced", replaced.filter(Boolean).length, 1);
      const winner = String(replaced.indexOf(true));
      expect("value", (await store.get(key))?.value, winner);
    },
  ],
  ["put() does not restore a value during a delete()", async (store) => {
    const key = newKey();
    await create(store, key, "one");
    const ifVersion = await versionOf(store, key);
    await Promise.all([
      store.delete(key),
      ...numbers(5).map((n) => store.put(key, String(n), { ttl, ifVersion })),
    ]);
    expect("get", await store.get(key), null);
  }],
  ...[
    indexCheck("finds the keys of a name", async (store, byIndex) => {
      const name = newName();
      const keys = [newKey(), newKey()];
      for (const key of keys) {
        await create(store, key, "one", { index: [name] });
      }
      await create(store, newKey(), "one", { index: [newName()] });
      await create(store, newKey(), "one");
      expect("keys", (await byIndex(name)).toSorted(), keys.toSorted());
      expect("keys of an unused name", await byIndex(newName()), []);
    }),
    indexCheck("finds a key by each of four names", async (store, byIndex) => {
      const key = newKey();
      const index = [
        newName(),
        `sub:https://issuer.example|${newKey()} é"'`,
        `sid:a\nb|${newKey()}`,
        `user:${newKey()}%_*?`,
      ];
      await create(store, key, "one", { index });
      for (const name of index) expect(name, await byIndex(name), [key]);
    }),
    indexCheck(
      "returns the right keys after a put and a delete",
      async (store, byIndex) => {
        const key = newKey();
        const [before, after] = [newName(), newName()];
        await create(store, key, "one", { index: [before] });
        let ifVersion = await versionOf(store, key);
        await store.put(key, "two", { ttl, ifVersion, index: [after] });
        expect("name before", await byIndex(before), []);
        expect("name after", await byIndex(after), [key]);
        ifVersion = await versionOf(store, key);
        await store.put(key, "three", { ttl, ifVersion });
        expect("without a name", await byIndex(after), []);
        ifVersion = await versionOf(store, key);
        await store.put(key, "four", { ttl, ifVersion, index: [after] });
        await store.delete(key);
        expect("deleted", await byIndex(after), []);
      },
    ),
    indexCheck("ignores a put that failed", async (store, byIndex) => {
      const key = newKey();
      const [name, unused] = [newName(), newName()];
      await create(store, key, "one", { index: [name] });
      await create(store, key, "two", { index: [unused] });
      expect("name", await byIndex(name), [key]);
      expect("unused name", await byIndex(unused), []);
    }),
    indexCheck(
      "leaves out expired values",
      (store, byIndex) =>
        withShortTtl(async (ttl, waitForExpiry) => {
          const name = newName();
          const [brief, lasting] = [newKey(), newKey()];
          await create(store, brief, "one", { ttl, index: [name] });
          await create(store, lasting, "one", { index: [name] });
          await waitForExpiry();
          expect("keys", await byIndex(name), [lasting]);
        }),
    ),
    indexCheck("finds many keys", async (store, byIndex) => {
      const name = newName();
      const keys = numbers(150).map(() => newKey());
      for (const key of keys) {
        await create(store, key, "one", { index: [name] });
      }
      expect("keys", (await byIndex(name)).toSorted(), keys.toSorted());
    }),
  ],
  ["getMany() returns the values in the order of the keys", async (store) => {
    if (store.getMany === undefined) return;
    const keys = numbers(500).map(() => newKey());
    for (const key of keys.slice(250)) await create(store, key, `of ${key}`);
    const found = await store.getMany([...keys, ...MALFORMED]);
    expect("length", found.length, keys.length + MALFORMED.length);
    const values = keys.map((key, n) => n < 250 ? null : `of ${key}`);
    expect(
      "values",
      found.map((stored) => stored?.value ?? null),
      [...values, ...MALFORMED.map(() => null)],
    );
    const versions = await Promise.all(
      keys.slice(250).map((key) => versionOf(store, key)),
    );
    expect(
      "versions",
      found.slice(250, 500).map((stored) => stored?.version),
      versions,
    );
    expect("nothing", await store.getMany([]), []);
  }],
  [
    "getMany() leaves out expired values",
    (store) =>
      withShortTtl(async (ttl, waitForExpiry) => {
        if (store.getMany === undefined) return;
        const [brief, lasting] = [newKey(), newKey()];
        await create(store, brief, "one", { ttl });
        await create(store, lasting, "two");
        await waitForExpiry();
        const found = await store.getMany([brief, lasting]);
        expect("values", found.map((stored) => stored?.value ?? null), [
          null,
          "two",
        ]);
      }),
  ],
  [
    "replaceMany() replaces only the values that still have their version",
    async (store) => {
      if (store.replaceMany === undefined) return;
      const name = newName();
      const keys = numbers(100).map(() => newKey());
      for (const key of keys) {
        await create(store, key, "old", { index: [name] });
      }
      const entries = await Promise.all(
        keys.map(async (key) => ({
          key,
          version: await versionOf(store, key),
        })),
      );
      const [changed, deleted, ...others] = keys;
      const ifVersion = entries[0]!.version;
      const update = { ttl, ifVersion, index: [name] };
      await store.put(changed!, "changed", update);
      await store.delete(deleted!);
      const missing = { key: newKey(), version: ifVersion };
      const replaced = await store.replaceMany(
        [...entries, missing],
        "é\"'\n",
        ttl,
      );
      expect("replaced", replaced.toSorted(), others.toSorted());
      expect("changed", (await store.get(changed!))?.value, "changed");
      expect("deleted", await store.get(deleted!), null);
      expect("missing", await store.get(missing.key), null);
      for (const key of others) {
        expect("value", (await store.get(key))?.value, "é\"'\n");
      }
      if (store.byIndex !== undefined) {
        expect("keys", await store.byIndex(name), [changed]);
      }
      expect("again", await store.replaceMany(entries, "again", ttl), []);
      expect("nothing", await store.replaceMany([], "none", ttl), []);
    },
  ],
  ["replaceMany() loses no concurrent write", async (store) => {
    if (store.replaceMany === undefined) return;
    const keys = numbers(50).map(() => newKey());
    for (const key of keys) await create(store, key, "old");
    const entries = await Promise.all(
      keys.map(async (key) => ({ key, version: await versionOf(store, key) })),
    );
    const writes = entries.map(async ({ key, version: ifVersion }) =>
      await store.put(key, "put", { ttl, ifVersion }) ? [key] : []
    );
    const [replaced, written] = await Promise.all([
      store.replaceMany(entries, "replaced", ttl),
      Promise.all(writes),
    ]);
    const all = [...replaced, ...written.flat()];
    expect("each once", all.toSorted(), keys.toSorted());
    for (const key of keys) {
      const value = replaced.includes(key) ? "replaced" : "put";
      expect("value", (await store.get(key))?.value, value);
    }
  }],
  [
    "replaceMany() gives the values a new lifetime",
    (store) =>
      withShortTtl(async (ttl, waitForExpiry) => {
        if (store.replaceMany === undefined) return;
        const key = newKey();
        await create(store, key, "one");
        const version = await versionOf(store, key);
        expect(
          "replaced",
          await store.replaceMany([{ key, version }], "x", ttl),
          [key],
        );
        await waitForExpiry();
        expect("get after", await store.get(key), null);
        expect("create", await create(store, key, "two"), true);
      }),
  ],
  [
    "sweep() removes only expired values",
    (store) =>
      withShortTtl(async (ttl, waitForExpiry) => {
        const [brief, lasting] = [newKey(), newKey()];
        await create(store, brief, "one", { ttl });
        await create(store, lasting, "one");
        await waitForExpiry();
        await store.sweep?.(Date.now());
        expect("expired", await store.get(brief), null);
        expect("value", (await store.get(lasting))?.value, "one");
      }),
  ],
];
