import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { testSessionStore } from "@gatehouse/web/testing";
import {
  assert,
  assertEquals,
  assertLess,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import { seededRandom } from "../../runtimes/random.ts";
import { Browser, Clock, Server } from "../_browser.ts";

const kit = testSessionStore(() => createMemorySessionStore());
for (const { name, run } of kit) {
  Deno.test(`createMemorySessionStore() ${name}`, run);
}

Deno.test("createMemorySessionStore() keeps all logins during a flood of 20,000 anonymous sessions", async () => {
  const store = createMemorySessionStore({ maxRecords: 5_000 });
  for (let n = 0; n < 1_000; n++) {
    await put(store, `login${n}`, "a login", [`user:${n}`]);
  }
  for (let n = 0; n < 20_000; n++) {
    await put(store, `anonymous${n}`, "x".repeat(100));
  }
  for (let n = 0; n < 1_000; n++) {
    assertNotEquals(await store.get(`login${n}`), null);
    assertEquals(await store.byIndex!(`user:${n}`), [`login${n}`]);
  }
  let left = 0;
  for (let n = 0; n < 20_000; n++) {
    if (await store.get(`anonymous${n}`) !== null) left++;
  }
  assertEquals(left, 4_000);
  assertEquals(await store.get("anonymous15999"), null);
  assertNotEquals(await store.get("anonymous16000"), null);
});

const floods: Record<string, (n: number) => string[]> = {
  "anonymous sessions": () => [],
  "one-time tokens": (n) => [`one-time:a${n}`],
  "one-time tokens of one account": () => ["one-time:a"],
};

for (const [kind, indexOf] of Object.entries(floods)) {
  Deno.test(`createMemorySessionStore() keeps all logins during a flood of 20,000 ${kind}`, async () => {
    const store = createMemorySessionStore({ maxRecords: 2_000 });
    for (let n = 0; n < 1_000; n++) {
      await put(store, `login${n}`, "a login", [`sid:i|${n}`, `user:${n}`]);
    }
    for (let n = 0; n < 20_000; n++) {
      await put(store, `flood${n}`, "x".repeat(100), indexOf(n));
    }
    for (let n = 0; n < 1_000; n++) {
      assertNotEquals(await store.get(`login${n}`), null);
    }
    assertNotEquals(await store.get("flood19999"), null);
    let left = 0;
    for (let n = 0; n < 20_000; n++) {
      if (await store.get(`flood${n}`) !== null) left++;
    }
    assertEquals(left, 1_000);
  });
}

Deno.test("createMemorySessionStore() keeps half of the records for one-time tokens or anonymous sessions during a flood of the other", async () => {
  for (const [flooded, kept] of [["a", "b"], ["b", "a"]]) {
    const store = createMemorySessionStore({ maxRecords: 100 });
    const index = (sort: string) => sort === "a" ? [] : ["one-time:x"];
    for (let n = 0; n < 50; n++) {
      await put(store, kept + n, "kept", index(kept));
    }
    for (let n = 0; n < 1_000; n++) {
      await put(store, flooded + n, "flood", index(flooded));
    }
    for (let n = 0; n < 50; n++) {
      assertNotEquals(await store.get(kept + n), null);
    }
  }
});

Deno.test("createMemorySessionStore() keeps half of the bytes for one-time tokens or anonymous sessions during a flood of large values of the other", async () => {
  for (const [flooded, kept] of [["a", "b"], ["b", "a"]]) {
    const store = createMemorySessionStore({ maxBytes: 1_000_000 });
    const index = (sort: string) => sort === "a" ? [] : ["one-time:x"];
    await put(store, "login", "a login", ["user:7"]);
    for (let n = 0; n < 500; n++) {
      await put(store, kept + n, "kept", index(kept));
    }
    for (let n = 0; n < 1_000; n++) {
      await put(store, flooded + n, "x".repeat(20_000), index(flooded));
    }
    for (let n = 0; n < 500; n++) {
      assertNotEquals(await store.get(kept + n), null);
    }
    assertNotEquals(await store.get("login"), null);
    assertNotEquals(await store.get(`${flooded}999`), null);

    // Deleted values do not count any more: now the same in reverse.
    for (let n = 0; n < 1_000; n++) await store.delete(flooded + n);
    await put(store, `${flooded} small`, "kept", index(flooded));
    for (let n = 500; n < 1_000; n++) {
      await put(store, kept + n, "x".repeat(20_000), index(kept));
    }
    assertNotEquals(await store.get(`${flooded} small`), null);
  }
});

Deno.test("createMemorySessionStore() full of logins keeps the last used ones and stores no anonymous session", async () => {
  const store = createMemorySessionStore({ maxRecords: 100 });
  for (let n = 0; n < 150; n++) {
    await put(store, `login${n}`, "a login", [`user:${n}`]);
  }
  assertEquals(await store.get("login49"), null);
  for (let n = 50; n < 150; n++) {
    assertNotEquals(await store.get(`login${n}`), null);
  }
  await put(store, "anonymous", "one");
  await put(store, "one-time:1", "one", ["one-time:1"]);
  assertEquals(await store.get("anonymous"), null);
  assertEquals(await store.get("one-time:1"), null);
  assertNotEquals(await store.get("login50"), null);
});

Deno.test("createMemorySessionStore() evicts the value that was stored longest ago, after any order of changes", async () => {
  const random = seededRandom(7);
  const store = createMemorySessionStore({ maxRecords: 1_200 });
  // The expected keys, oldest first.
  const expected = new Set<string>();
  for (let step = 0; step < 30_000; step++) {
    const key = `key${Math.floor(random() * 2_000)}`;
    const stored = await store.get(key);
    assertEquals(stored !== null, expected.has(key), `${key}, step ${step}`);
    expected.delete(key);
    if (random() < 0.1) {
      await store.delete(key);
      continue;
    }
    const ifVersion = stored?.version ?? null;
    await store.put(key, "value", { ttl: 60_000, ifVersion });
    expected.add(key);
    const [oldest] = expected;
    if (expected.size > 1_200) expected.delete(oldest!);
  }
});

Deno.test("createMemorySessionStore() counts the bytes of index names", async () => {
  const store = createMemorySessionStore({ maxBytes: 100_000 });
  const name = (n: number) => `user:${n}${"x".repeat(1_000)}`;
  for (let n = 0; n < 100; n++) await put(store, `a${n}`, "", [name(n)]);
  let left = 0;
  for (let n = 0; n < 100; n++) if (await store.get(`a${n}`) !== null) left++;
  assertLess(left, 50);
});

Deno.test("session() keeps a login during a flood of requests without a cookie", async () => {
  const store = createMemorySessionStore({ maxRecords: 200 });
  const server = new Server({ store });
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  for (let n = 0; n < 2_000; n++) {
    await server.request((session) => session.set("a", n));
  }
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("createMemorySessionStore() respects maxBytes", async () => {
  const store = createMemorySessionStore({ maxBytes: 1_000_000 });
  for (let n = 0; n < 1_000; n++) {
    await put(store, `key${n}`, "x".repeat(10_000));
  }
  let bytes = 0;
  for (let n = 0; n < 1_000; n++) {
    bytes += 2 * ((await store.get(`key${n}`))?.value.length ?? 0);
  }
  assertLess(bytes, 1_000_000);
  assert(bytes > 900_000);
});

Deno.test("createMemorySessionStore() does not count the bytes of replaced and deleted values", async () => {
  const store = createMemorySessionStore({ maxBytes: 100_000 });
  await put(store, "kept", "x".repeat(1_000));
  for (let n = 0; n < 1_000; n++) {
    const ifVersion = (await store.get("kept"))!.version;
    const options = { ttl: 60_000, ifVersion };
    assert(await store.put("kept", "y".repeat(1_000), options));
    await put(store, "other", "x".repeat(10_000));
    await store.delete("other");
  }
  assertEquals((await store.get("kept"))?.value, "y".repeat(1_000));
});

Deno.test("createMemorySessionStore() evicts the least recently changed value first", async () => {
  const store = createMemorySessionStore({ maxRecords: 3 });
  for (const key of ["a", "b", "c"]) await put(store, key, "one");
  const ifVersion = (await store.get("a"))!.version;
  await store.put("a", "two", { ttl: 60_000, ifVersion });
  await put(store, "d", "one");
  const keys = ["a", "b", "c", "d"];
  const found = await Promise.all(
    keys.map(async (key) => await store.get(key)),
  );
  assertEquals(found.map((value) => value !== null), [true, false, true, true]);
});

Deno.test("createMemorySessionStore() evicts logins only for logins", async () => {
  const store = createMemorySessionStore({ maxRecords: 2 });
  for (const key of ["a", "b", "c"]) await put(store, key, "one", ["user:1"]);
  assertEquals(await store.byIndex!("user:1"), ["b", "c"]);
  await put(store, "anonymous", "one");
  assertEquals(await store.get("anonymous"), null);
  assertEquals(await store.byIndex!("user:1"), ["b", "c"]);
});

Deno.test("createMemorySessionStore() evicts only the same user's sessions during one user's flood of logins", async () => {
  const store = createMemorySessionStore({ maxRecords: 500 });
  for (let n = 0; n < 200; n++) {
    await put(store, `other${n}`, "one", [`user:${n}`]);
  }
  for (let n = 0; n < 2_000; n++) {
    await put(store, `flood${n}`, "one", ["user:flood"]);
  }
  for (let n = 0; n < 200; n++) {
    assertNotEquals(await store.get(`other${n}`), null);
  }
  assertEquals((await store.byIndex!("user:flood")).length, 300);
  assertNotEquals(await store.get("flood1999"), null);
});

Deno.test("createMemorySessionStore() keeps room for others during one user's flood of logins", async () => {
  const store = createMemorySessionStore({ maxRecords: 500 });
  const kept = ["anonymous", "counter", "one-time:1"];
  for (const key of kept) {
    await put(store, key, "kept", key.includes(":") ? [key] : []);
  }
  for (let n = 0; n < 2_000; n++) {
    await put(store, `flood${n}`, "one", ["user:flood"]);
  }
  for (const key of kept) assertNotEquals(await store.get(key), null);

  // A new user still has room.
  for (let n = 0; n < 390; n++) await put(store, `visitor${n}`, "one");
  for (const key of [...kept, "visitor0"]) {
    assertNotEquals(await store.get(key), null);
  }
  const left = await store.byIndex!("user:flood");
  assertEquals(left.length, 107);
  assertEquals(left.at(-1), "flood1999");
});

Deno.test("createMemorySessionStore() evicts each user's sessions if two users have many logins", async () => {
  const store = createMemorySessionStore({ maxRecords: 400 });
  for (let n = 0; n < 200; n++) {
    for (const name of ["a", "b"]) {
      await put(store, name + n, "one", [`user:${name}`]);
    }
  }
  for (let n = 200; n < 300; n++) await put(store, `b${n}`, "one", ["user:b"]);
  assertEquals((await store.byIndex!("user:a")).length, 200);
  assertEquals((await store.byIndex!("user:b")).length, 200);
  assertEquals(await store.get("b99"), null);
});

Deno.test("createMemorySessionStore() does not evict sessions of a user who has a hundred, or had more", async () => {
  const store = createMemorySessionStore({ maxRecords: 300 });
  const log = async (name: string, count: number) => {
    for (let n = 0; n < count; n++) {
      await put(store, name + n, "one", [`user:${name}`]);
    }
  };
  await log("a", 100);
  await log("b", 101);
  await log("c", 101);
  await store.delete("b0");
  for (let n = 0; n < 101; n++) await store.delete(`c${n}`);

  for (let n = 0; n < 500; n++) await put(store, `visitor${n}`, "one");
  assertEquals((await store.byIndex!("user:a")).length, 100);
  assertEquals((await store.byIndex!("user:b")).length, 100);
  assertNotEquals(await store.get("visitor499"), null);
});

Deno.test("createMemorySessionStore() evicts only the same account's tokens during a flood of one-time tokens", async () => {
  const store = createMemorySessionStore({ maxRecords: 300 });
  await put(store, "first", "one", ["one-time:other"]);
  for (let n = 0; n < 1_000; n++) {
    await put(store, `flood${n}`, "one", ["one-time:flood"]);
  }
  assertNotEquals(await store.get("first"), null);
});

Deno.test("createMemorySessionStore() deletes a value with a repeated index name", async () => {
  const store = createMemorySessionStore();
  await put(store, "key", "one", ["user:7", "user:7"]);
  await store.delete("key");
  assertEquals(await store.byIndex!("user:7"), []);
});

Deno.test("createMemorySessionStore() throws if it has no room for a value", async () => {
  const store = createMemorySessionStore({ maxRecords: 100 });
  for (let n = 0; n < 100; n++) {
    await put(store, `login${n}`, "a login", [`user:${n}`]);
  }
  const options = { ttl: 60_000, ifVersion: null };
  assertEquals(await store.put("anonymous", "one", options), false);
  assertEquals(await store.get("anonymous"), null);
  const index = ["user:new"];
  assertEquals(await store.put("login", "one", { ...options, index }), true);
});

Deno.test("createMemorySessionStore() full of logins evicts the oldest one for a user with few sessions", async () => {
  const store = createMemorySessionStore({ maxRecords: 100 });
  for (let n = 0; n < 50; n++) await put(store, `old${n}`, "one", ["user:old"]);
  for (let n = 0; n < 55; n++) await put(store, `new${n}`, "one", ["user:new"]);
  assertEquals((await store.byIndex!("user:new")).length, 55);
  assertEquals((await store.byIndex!("user:old")).length, 45);
  assertEquals(await store.get("old4"), null);
});

Deno.test("createMemorySessionStore() has limits by default", async () => {
  for (const [count, length] of [[100_001, 0], [2_000, 20_000]]) {
    const store = createMemorySessionStore();
    const value = "x".repeat(length);
    for (let n = 0; n < count; n++) await put(store, `key${n}`, value);
    assertEquals(await store.get("key0"), null);
    assertNotEquals(await store.get("key1000"), null);
  }
});

Deno.test("createMemorySessionStore() does not scan all values for each put()", async () => {
  // To scan them would take minutes.
  const store = createMemorySessionStore({ maxRecords: 200_000 });
  for (let n = 0; n < 200_000; n++) await put(store, `key${n}`, "one");
});

Deno.test("createMemorySessionStore() removes expired values", async () => {
  const clock = new Clock();
  const store = createMemorySessionStore({ now: clock.now, maxRecords: 10 });
  for (let n = 0; n < 10; n++) {
    await put(store, `login${n}`, "one", ["user:1"]);
  }
  clock.time += 120_000;
  for (let n = 0; n < 10; n++) await put(store, `anonymous${n}`, "one");
  for (let n = 0; n < 10; n++) {
    assertNotEquals(await store.get(`anonymous${n}`), null);
  }
});

for (const name of ["maxRecords", "maxBytes"]) {
  for (const value of [0, -1, NaN]) {
    Deno.test(`createMemorySessionStore() rejects ${name} of ${value}`, () => {
      assertThrows(
        () => createMemorySessionStore({ [name]: value }),
        RangeError,
        name,
      );
    });
  }
}

async function put(
  store: SessionStore,
  key: string,
  value: string,
  index?: string[],
): Promise<void> {
  await store.put(key, value, { ttl: 60_000, ifVersion: null, index });
}
