import {
  createOneTimeToken,
  readOneTimeToken,
  revokeOneTimeTokens,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import {
  createMemorySessionStore,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { slow } from "../_slow_store.ts";

const purpose = "password-reset";

Deno.test("takeOneTimeToken() returns the data of the token (ASVS 6.4.1, 6.5.1)", async () => {
  for (const account of [7, "7", "ada@example.com", 0]) {
    for (const data of [undefined, "", "new@example.com"]) {
      const store = createMemorySessionStore();
      const version = data === undefined ? undefined : 3;
      const contents = { account, data, version };
      const options = { purpose, ...contents };
      const token = await createOneTimeToken(store, options);
      const grant = await takeOneTimeToken(store, { purpose, token });
      assertEquals(grant, contents);
    }
  }
});

Deno.test("takeOneTimeToken() returns the data once (ASVS 6.5.1)", async () => {
  const store = createMemorySessionStore();
  const token = await createOneTimeToken(store, { purpose, account: 7 });
  assert(await takeOneTimeToken(store, { purpose, token }) !== null);
  assertEquals(await takeOneTimeToken(store, { purpose, token }), null);
});

Deno.test("takeOneTimeToken() returns the data to one of fifty concurrent requests (ASVS 6.5.1)", async () => {
  for (let round = 0; round < 10; round++) {
    const store = slow(createMemorySessionStore());
    const token = await createOneTimeToken(store, { purpose, account: 7 });
    const grants = await Promise.all(
      Array.from(
        { length: 50 },
        () => takeOneTimeToken(store, { purpose, token }),
      ),
    );
    assertEquals(grants.filter((grant) => grant !== null).length, 1);
  }
});

Deno.test("takeOneTimeToken() accepts one of several concurrent tokens of an account (ASVS 6.5.1)", async () => {
  for (let round = 0; round < 10; round++) {
    const store = slow(createMemorySessionStore());
    const options = { purpose, account: 7 };
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => createOneTimeToken(store, options)),
    );
    const grants = await Promise.all(
      tokens.map((token) => takeOneTimeToken(store, { purpose, token })),
    );
    assertEquals(grants.filter((grant) => grant !== null).length, 1);
    const token = await createOneTimeToken(store, options);
    assert(await takeOneTimeToken(store, { purpose, token }) !== null);
  }
});

Deno.test("takeOneTimeToken() returns the data once, even if a request waits for the lock (ASVS 6.5.1)", async () => {
  const memory = createMemorySessionStore();
  const token = await createOneTimeToken(memory, { purpose, account: 7 });
  const found = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const late: SessionStore = {
    get: (key) => memory.get(key),
    async put(key, value, options) {
      found.resolve();
      await gate.promise;
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const second = takeOneTimeToken(late, { purpose, token });
  await found.promise;
  assert(await takeOneTimeToken(memory, { purpose, token }) !== null);
  gate.resolve();
  assertEquals(await second, null);
});

Deno.test("takeOneTimeToken() does not wait for other accounts and purposes", async () => {
  const store = slow(createMemorySessionStore());
  const uses = await Promise.all(
    ["password-reset", "login"].flatMap((purpose) =>
      [1, 2, 3].map(async (account) => {
        const token = await createOneTimeToken(store, { purpose, account });
        return { purpose, token };
      })
    ),
  );
  const grants = await Promise.all(
    uses.map((use) => takeOneTimeToken(store, use)),
  );
  assertEquals(grants.map((grant) => grant?.account), [1, 2, 3, 1, 2, 3]);
});

Deno.test("takeOneTimeToken() leaves nothing in the store", async () => {
  const keys = new Set<string>();
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put(key, value, options) {
      keys.add(key);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const token = await createOneTimeToken(store, { purpose, account: 7 });
  assert(await takeOneTimeToken(store, { purpose, token }) !== null);
  assertEquals(keys.size, 2, "the token and its lock");
  for (const key of keys) assertEquals(await memory.get(key), null);
});

Deno.test("takeOneTimeToken() can be tried again after the store failed", async () => {
  const memory = createMemorySessionStore();
  const token = await createOneTimeToken(memory, { purpose, account: 7 });
  let puts = 0;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) => {
      if (++puts > 1) throw new Error("The store is unavailable");
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  await assertRejects(() => takeOneTimeToken(store, { purpose, token }));
  assert(await takeOneTimeToken(memory, { purpose, token }) !== null);
});

Deno.test("createOneTimeToken() creates tokens with 128 random bits (ASVS 11.5.1)", async () => {
  const store = createMemorySessionStore();
  const tokens = new Set<string>();
  for (let index = 0; index < 200; index++) {
    const token = await createOneTimeToken(store, { purpose, account: 7 });
    assertMatch(token, /^[\w-]{22}$/);
    tokens.add(token);
  }
  assertEquals(tokens.size, 200);
});

Deno.test("createOneTimeToken() stores only hashes of the token and the account", async () => {
  const seen: string[] = [];
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put(key, value, options) {
      seen.push(key, value, ...options.index ?? []);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const token = await createOneTimeToken(store, { purpose, account: "ada" });
  assertEquals(seen.length, 3);
  for (const text of seen) assertEquals(text.includes(token), false);
  assertMatch(seen[0], /^one-time:[\w-]{43}$/);
  assertMatch(seen[2], /^one-time:[\w-]{43}$/);
});

Deno.test("takeOneTimeToken() returns null for another purpose and keeps the token (ASVS 6.5.1)", async () => {
  const store = createMemorySessionStore();
  const token = await createOneTimeToken(store, { purpose, account: 7 });
  const other = "verify-email";
  assertEquals(await takeOneTimeToken(store, { purpose: other, token }), null);
  assert(await takeOneTimeToken(store, { purpose, token }) !== null);
});

const times: [after: number, ttl: number | undefined, right: boolean][] = [
  [0, undefined, true],
  [599_999, undefined, true],
  [600_000, undefined, false],
  [59_999, 60_000, true],
  [60_000, 60_000, false],
  [-1, undefined, true],
];

for (const [after, ttl, right] of times) {
  Deno.test(`takeOneTimeToken() ${right ? "accepts" : "rejects"} a token of ${ttl ?? "default"} ms after ${after} ms (ASVS 6.5.5)`, async () => {
    // A store that does not expire values.
    const store = createMemorySessionStore({ now: () => 0 });
    const token = await createOneTimeToken(store, {
      purpose,
      account: 7,
      ttl,
      now: () => 1000,
    });
    const now = () => 1000 + after;
    const use = { purpose, token, now };
    assertEquals(await readOneTimeToken(store, use) !== null, right);
    assertEquals(await takeOneTimeToken(store, use) !== null, right);
  });
}

Deno.test("takeOneTimeToken() revokes other tokens of the purpose and account", async () => {
  const store = createMemorySessionStore();
  const make = (purpose: string, account: string | number) =>
    createOneTimeToken(store, { purpose, account });
  const first = await make(purpose, 7);
  const second = await make(purpose, 7);
  const ofOther = await make(purpose, 8);
  const forOther = await make("verify-email", 7);

  await takeOneTimeToken(store, { purpose, token: second });
  const read = (purpose: string, token: string) =>
    readOneTimeToken(store, { purpose, token });
  assertEquals(await read(purpose, first), null);
  assert(await read(purpose, ofOther) !== null);
  assert(await read("verify-email", forOther) !== null);
});

Deno.test("readOneTimeToken() does not use up the token", async () => {
  const store = createMemorySessionStore();
  const token = await createOneTimeToken(store, { purpose, account: 7 });
  for (let time = 0; time < 3; time++) {
    const grant = await readOneTimeToken(store, { purpose, token });
    assertEquals(grant?.account, 7);
  }
  assert(await takeOneTimeToken(store, { purpose, token }) !== null);
  assertEquals(await readOneTimeToken(store, { purpose, token }), null);
});

Deno.test("revokeOneTimeTokens() treats a number and its string as the same account", async () => {
  const store = createMemorySessionStore();
  const token = await createOneTimeToken(store, { purpose, account: 7 });
  await revokeOneTimeTokens(store, { purpose, account: "7" });
  assertEquals(await readOneTimeToken(store, { purpose, token }), null);
});

Deno.test("revokeOneTimeTokens() does nothing in a store without an index", async () => {
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) => memory.put(key, value, options),
    delete: (key) => memory.delete(key),
  };
  const token = await createOneTimeToken(store, { purpose, account: 7 });
  await revokeOneTimeTokens(store, { purpose, account: 7 });
  assert(await takeOneTimeToken(store, { purpose, token }) !== null);
});

const expiresAt = Number.MAX_SAFE_INTEGER;
const malformed = [
  "",
  "{",
  "null",
  "7",
  "[]",
  "{}",
  JSON.stringify({ account: 7 }),
  JSON.stringify({ account: 7, expiresAt: "never" }),
  JSON.stringify({ expiresAt }),
  JSON.stringify({ account: null, expiresAt }),
  JSON.stringify({ account: "", expiresAt }),
  JSON.stringify({ account: { id: 7 }, expiresAt }),
  JSON.stringify({ account: 7, expiresAt, data: {} }),
  JSON.stringify({ account: 7, expiresAt, version: "1" }),
];

for (const value of malformed) {
  Deno.test(`takeOneTimeToken() returns null for the stored value ${value}`, async () => {
    const memory = createMemorySessionStore();
    const token = await createOneTimeToken(memory, { purpose, account: 7 });
    const store: SessionStore = {
      ...memory,
      get: async (key) => {
        const found = await memory.get(key);
        return found && { ...found, value };
      },
    };
    assertEquals(await readOneTimeToken(store, { purpose, token }), null);
    assertEquals(await takeOneTimeToken(store, { purpose, token }), null);
  });
}

const hostile: unknown[] = [
  undefined,
  null,
  "",
  "a",
  "a".repeat(21),
  "a".repeat(22),
  "a".repeat(23),
  "a".repeat(1_000_000),
  "\u00e9".repeat(22),
  `${"a".repeat(22)}\n`,
  "../../../../etc/passwd",
  "__proto__",
  {},
  [],
  ["a".repeat(22)],
  42,
  new File([], "a"),
];

for (const token of hostile) {
  const shown = String(token).slice(0, 24);
  Deno.test(`takeOneTimeToken() returns null for ${JSON.stringify(shown)} of a ${typeof token}`, async () => {
    const memory = createMemorySessionStore();
    await createOneTimeToken(memory, { purpose, account: 7 });
    let reads = 0;
    const store: SessionStore = {
      ...memory,
      get(key) {
        reads++;
        return memory.get(key);
      },
    };
    assertEquals(await takeOneTimeToken(store, { purpose, token }), null);
    assertEquals(await readOneTimeToken(store, { purpose, token }), null);
    // An invalid token causes no lookup.
    assertEquals(reads, token === "a".repeat(22) ? 2 : 0);
  });
}

Deno.test("createOneTimeToken() rejects invalid options", async () => {
  const store = createMemorySessionStore();
  const good = { purpose, account: 7 };
  for (const ttl of [0, -1, NaN, Infinity, 7 * 86_400_000 + 1]) {
    await assertRejects(
      () => createOneTimeToken(store, { ...good, ttl }),
      RangeError,
      "is not from 1 ms to 7 days",
    );
  }
  const missing = [undefined, null, {}, NaN, Infinity, ""];
  for (
    const wrong of [
      { purpose: "" },
      { purpose: undefined },
      ...missing.map((account) => ({ account })),
    ]
  ) {
    await assertRejects(
      () => createOneTimeToken(store, { ...good, ...wrong as typeof good }),
      TypeError,
      "it needs a purpose and an account",
    );
  }
});

Deno.test("createOneTimeToken() rejects a store without strong consistency", async () => {
  const store: SessionStore = {
    get: () => null,
    put: () => true,
    delete: () => {},
    consistency: "eventual",
  };
  await assertRejects(
    () => createOneTimeToken(store, { purpose, account: 7 }),
    TypeError,
    "can't tell who takes it first",
  );
});

const calls: Record<
  string,
  (store: SessionStore, storeTimeout: number) => Promise<unknown>
> = {
  createOneTimeToken: (store, storeTimeout) =>
    createOneTimeToken(store, { purpose, account: 7, storeTimeout }),
  readOneTimeToken: (store, storeTimeout) =>
    readOneTimeToken(store, { purpose, token: "a".repeat(22), storeTimeout }),
  takeOneTimeToken: (store, storeTimeout) =>
    takeOneTimeToken(store, { purpose, token: "a".repeat(22), storeTimeout }),
  revokeOneTimeTokens: (store, storeTimeout) =>
    revokeOneTimeTokens(store, { purpose, account: 7, storeTimeout }),
};

const failures: Record<string, () => Promise<never>> = {
  hangs: () => new Promise<never>(() => {}),
  fails: () => Promise.reject(new Error("away")),
};

for (const [name, call] of Object.entries(calls)) {
  for (const [how, answer] of Object.entries(failures)) {
    Deno.test(`${name}() throws a SessionStoreError if the store ${how}`, async () => {
      const store: SessionStore = {
        get: answer,
        put: answer,
        delete: answer,
        byIndex: answer,
      };
      await assertRejects(() => call(store, 20), SessionStoreError);
    });
  }

  Deno.test(`${name}() throws for a storeTimeout that is not positive`, async () => {
    await assertRejects(
      () => call(createMemorySessionStore(), 0),
      RangeError,
      'storeTimeout "0"',
    );
  });
}
