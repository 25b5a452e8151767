import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import {
  createRouter,
  type Middleware,
  redirect,
} from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";
import {
  rateLimit,
  type RateLimitOptions,
} from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { createLimited, HOUR, send, statuses } from "./_limited.ts";

const store = createMemorySessionStore();

Deno.test("rateLimit() lets the limit pass at once, then one request per interval (GCRA)", async () => {
  const { clock, router } = createLimited();
  assertEquals(await statuses(router, 5), [200, 200, 200, 429, 429]);
  const interval = HOUR / 3;
  clock.time += interval - 1;
  assertEquals(await statuses(router, 1), [429]);
  clock.time += 1;
  assertEquals(await statuses(router, 2), [200, 429]);
  clock.time += 2 * interval;
  assertEquals(await statuses(router, 3), [200, 200, 429]);
  clock.time += 100 * HOUR;
  assertEquals(await statuses(router, 4), [200, 200, 200, 429]);
});

for (const [limit, window] of [[3, 1_000], [7, 100], [1, 1], [999, 777]]) {
  Deno.test(`rateLimit() counts exactly ${limit} requests in ${window} ms`, async () => {
    const { router } = createLimited({ limit, window });
    const found = await statuses(router, limit + 2);
    assertEquals(found.filter((status) => status === 200).length, limit);
    assertEquals(found.slice(-2), [429, 429]);
  });
}

// 60,000 / (60,000 / 29) is a little less than 29.
for (const [limit, window] of [[29, 60_000], [55, 60_000], [3, 1_000]]) {
  Deno.test(`rateLimit() counts ${limit} requests again after ${window} ms`, async () => {
    const { clock, router } = createLimited({ limit, window });
    for (let round = 0; round < 3; round++) {
      const { headers } = await send(router);
      const [, available] = headers.get("RateLimit")!.split(";");
      assertEquals(available, `r=${limit - 1}`);
      const found = await statuses(router, limit);
      assertEquals(found.indexOf(429), limit - 1);
      clock.time += window;
    }
  });
}

Deno.test("rateLimit() sets RateLimit and RateLimit-Policy, also on errors, redirects and 404s (draft 11)", async () => {
  const store = createMemorySessionStore();
  const now = () => 1_700_000_000_000;
  const options = { store, now, limit: 4, window: 60_000, name: "api" };
  const router = createRouter({
    middleware: [rateLimit(options)],
    onError: () => new Response(null, { status: 500 }),
  });
  router.get("/bug", () => {
    throw new Error("bug");
  });
  router.get("/moved", () => Response.redirect("https://example.com/"));
  router.get("/own", () => redirect("/"));
  const rows = [
    ["/bug", 500, '"api";r=3;t=15'],
    ["/moved", 302, '"api";r=2;t=15'],
    ["/own", 302, '"api";r=1;t=15'],
    ["/nowhere", 404, '"api";r=0;t=15'],
    ["/nowhere", 429, '"api";r=0;t=15'],
  ] as const;
  for (const [path, status, field] of rows) {
    const response = await send(router, "192.0.2.1", {}, path);
    assertEquals(response.status, status);
    assertEquals(response.headers.get("RateLimit"), field);
    assertEquals(response.headers.get("RateLimit-Policy"), '"api";q=4;w=60');
  }
});

Deno.test("rateLimit() answers with a problem, a text or the application's page (draft 11, 5.1)", async () => {
  const { router, store } = createLimited({ limit: 1, name: "api" });
  await send(router);
  const problem = await send(router, "192.0.2.1", {
    Accept: "application/json",
  });
  assertEquals(problem.status, 429);
  assertEquals(problem.headers.get("Retry-After"), "3600");
  assertEquals(problem.headers.get("Cache-Control"), "no-store");
  assertEquals(await problem.json(), {
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Too Many Requests",
    status: 429,
    "violated-policies": ["api"],
  });
  const text = await send(router);
  assertEquals(await text.text(), "Too Many Requests");

  const now = () => 1_700_000_000_000;
  const pages = createRouter({
    middleware: [
      rateLimit({ store, now, limit: 1, window: HOUR, name: "api" }),
    ],
    errorResponse: ({ status }) => new Response("<h1>Wait</h1>", { status }),
  });
  const page = await send(pages);
  assertEquals([page.status, await page.text()], [429, "<h1>Wait</h1>"]);
  assertEquals(page.headers.get("Retry-After"), "3600");
  assertEquals(page.headers.get("RateLimit"), '"api";r=0;t=3600');
});

const addresses: readonly [one: string, other: string, isOne: boolean][] = [
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["192.0.2.1", "::ffff:192.0.2.1", true],
  ["2001:db8::1", "2001:db8:0:0:ffff::9", true],
  ["2001:DB8::1", "2001:db8:0:0::2%eth0", true],
  ["2001:db8::1", "2001:db8:0:1::1", false],
  ["2001:db8::1", "192.0.2.1", false],
  ["x".repeat(1_000), "x".repeat(1_001), true],
];

for (const [one, other, isOne] of addresses) {
  Deno.test(`rateLimit() counts ${one.slice(0, 20)} and ${other.slice(0, 21)} ${isOne ? "together" : "separately"}`, async () => {
    const { router } = createLimited({ limit: 1 });
    assertEquals(await statuses(router, 1, one), [200]);
    assertEquals(await statuses(router, 1, other), [isOne ? 429 : 200]);
  });
}

Deno.test("rateLimit() counts requests without an address together", async () => {
  const { router } = createLimited({ limit: 1 });
  const fetch = () => router.fetch("https://example.com/");
  assertEquals((await fetch()).status, 200);
  assertEquals((await fetch()).status, 429);
});

Deno.test("rateLimit() counts by the key, and by address without one", async () => {
  const { router } = createLimited({
    limit: 1,
    key: ({ headers }) => headers.get("X-User"),
  });
  const by = (user: string, address?: string) =>
    statuses(router, 1, address, { "X-User": user });
  assertEquals(await by("1"), [200]);
  assertEquals(await by("2"), [200]);
  assertEquals(await by("1", "198.51.100.1"), [429]);
  // A key that looks like an address is another count.
  assertEquals(await by("192.0.2.1"), [200]);
  assertEquals(await statuses(router, 2), [200, 429]);
  assertEquals(await by(""), [200]);
  assertEquals(await by(""), [429]);
});

const keys = [
  0,
  -1,
  12n,
  "",
  "__proto__",
  "ü€😀",
  "\ud800",
  "a\r\nb\0",
  "index:user:1",
  "x".repeat(100_000),
];

for (const key of keys) {
  Deno.test(`rateLimit() counts by the key ${String(key).slice(0, 20)}`, async () => {
    const { router } = createLimited({ limit: 1, key: () => key });
    assertEquals(await statuses(router, 2), [200, 429]);
  });
}

Deno.test("rateLimit() stores neither the address nor the key", async () => {
  const { store, puts } = recordPuts(createMemorySessionStore());
  const { router } = createLimited({
    store,
    key: ({ headers }) => headers.get("X-User"),
  });
  await statuses(router, 1, "192.0.2.77", {});
  await statuses(router, 1, "192.0.2.77", { "X-User": "secret-key" });
  assertEquals(puts.length, 2);
  for (const put of puts) {
    assert(/^rate-limit:[\w-]{43} /.test(put), put);
    assertFalse(/192\.0|secret-key/.test(put));
  }
});

Deno.test("rateLimit() counts a request as its cost", async () => {
  const { router } = createLimited({
    limit: 10,
    cost: ({ headers }) => Number(headers.get("X-Cost")),
  });
  const cost = async (cost: number) => {
    const response = await send(router, "192.0.2.1", { "X-Cost": `${cost}` });
    const { headers, status } = response;
    return [status, headers.get("RateLimit"), headers.get("Retry-After")];
  };
  const field = (left: number) => `"default";r=${left};t=360`;
  assertEquals(await cost(7), [200, field(3), null]);
  // Three are left: the other two are there after twice the interval.
  assertEquals(await cost(5), [429, field(3), "720"]);
  assertEquals(await cost(0), [200, null, null]);
  assertEquals(await cost(3), [200, field(0), null]);
  assertEquals(await cost(1), [429, field(0), "360"]);
  assertEquals(await cost(10), [429, field(0), "3600"]);
});

for (const cost of [-1, 1.5, 4, NaN, Infinity, "1", null, {}]) {
  Deno.test(`rateLimit() throws for the cost ${JSON.stringify(cost)}, and no request passes`, async () => {
    const { errors, router } = createLimited({ cost: () => cost as number });
    const expected = cost === null ? 200 : 500;
    assertEquals(await statuses(router, 1), [expected]);
    assertEquals(errors[0] instanceof RangeError, expected === 500);
  });
}

Deno.test("rateLimit() sets its fields on an error response that takes time", async () => {
  const limit = rateLimit({
    store: createMemorySessionStore(),
    limit: 1,
    window: HOUR,
  });
  const router = createRouter({
    middleware: [limit],
    errorResponse: async ({ status }) => {
      await Promise.resolve();
      return new Response("Later", { status });
    },
  });
  router.get("/", () => new Response("reached"));
  await send(router);
  const refused = await send(router);
  assertEquals([refused.status, await refused.text()], [429, "Later"]);
  assertEquals(refused.headers.get("RateLimit-Policy"), '"default";q=1;w=3600');
  assertEquals(refused.headers.get("Cache-Control"), "no-store");
});

Deno.test("rateLimit() can be combined, the strictest wins, and both fields are lists", async () => {
  const store = createMemorySessionStore();
  const now = () => 1_700_000_000_000;
  const limits: Middleware[] = [
    rateLimit({ store, now, name: "hour", limit: 5, window: HOUR }),
    rateLimit({ store, now, name: "second", limit: 2, window: 1_000 }),
  ];
  const router = createRouter({ middleware: limits });
  router.get("/", () => new Response());
  const { headers } = await send(router);
  assertEquals(headers.get("RateLimit"), '"second";r=1;t=1, "hour";r=4;t=720');
  assertEquals(
    headers.get("RateLimit-Policy"),
    '"second";q=2;w=1, "hour";q=5;w=3600',
  );
  assertEquals(await statuses(router, 2), [200, 429]);
});

Deno.test("rateLimit() limits one route, a mounted router and HEAD", async () => {
  const store = createMemorySessionStore();
  const inner = createRouter();
  const limit = rateLimit({ store, limit: 2, window: HOUR });
  inner.get("/slow", limit, () => new Response("slow"));
  inner.get("/fast", () => new Response("fast"));
  const router = createRouter();
  router.mount("/in", inner);
  const client = createTestClient(router, { remoteAddress: "192.0.2.1" });
  const status = async (path: string, method = "GET") =>
    (await client.fetch(path, { method })).status;
  assertEquals(await status("/in/slow"), 200);
  assertEquals(await status("/in/slow", "HEAD"), 200);
  assertEquals(await status("/in/slow", "HEAD"), 429);
  assertEquals(await status("/in/slow"), 429);
  assertEquals(await status("/in/fast"), 200);
});

function recordPuts(store: SessionStore) {
  const puts: string[] = [];
  const recording: SessionStore = {
    get: (key) => store.get(key),
    put(key, value, options) {
      puts.push(`${key} ${value}`);
      return store.put(key, value, options);
    },
    delete: (key) => store.delete(key),
  };
  return { store: recording, puts };
}

const down = new Error("connect ECONNREFUSED redis://:hunter2@db");

const failures: [string, () => never | Promise<never>][] = [
  ["throws", () => {
    throw down;
  }],
  ["rejects", () => Promise.reject(down)],
  ["does not answer", () => new Promise<never>(() => {})],
];

for (const [name, get] of failures) {
  const store: SessionStore = { get, put: () => true, delete: () => {} };
  const options = { store, storeTimeout: 20 };

  Deno.test(`rateLimit() fails closed if the store ${name}, without onStoreError`, async () => {
    const { errors, router } = createLimited(options);
    assertEquals(await statuses(router, 2), [500, 500]);
    assert(errors[0] instanceof SessionStoreError);
    assertFalse(String(errors[0].cause?.message).includes("hunter2"));
  });

  Deno.test(`rateLimit() fails open if the store ${name}, with onStoreError`, async () => {
    const seen: unknown[] = [];
    const { errors, router } = createLimited({
      ...options,
      onStoreError: (error) => void seen.push(error),
    });
    assertEquals(await statuses(router, 2), [200, 200]);
    assertEquals([seen.length, errors.length], [2, 0]);
    assert(seen[0] instanceof SessionStoreError);
  });

  Deno.test(`rateLimit() sends the response of onStoreError if the store ${name}`, async () => {
    const { router } = createLimited({
      ...options,
      onStoreError: () => new Response("busy", { status: 503 }),
    });
    assertEquals(await statuses(router, 1), [503]);
  });
}

Deno.test("rateLimit() works again after the store has failed", async () => {
  const memory = createMemorySessionStore();
  let isDown = true;
  const store: SessionStore = {
    get: (key) => isDown ? Promise.reject(down) : memory.get(key),
    put: (key, value, options) => memory.put(key, value, options),
    delete: (key) => memory.delete(key),
  };
  const { router } = createLimited({ store });
  const parallel = await Promise.all([1, 2, 3].map(() => send(router)));
  assertEquals(parallel.map(({ status }) => status), [500, 500, 500]);
  isDown = false;
  assertEquals(await statuses(router, 4), [200, 200, 200, 429]);
});

const invalid: [Partial<RateLimitOptions>, ErrorConstructor][] = [
  [{ limit: 0 }, RangeError],
  [{ limit: -1 }, RangeError],
  [{ limit: 1.5 }, RangeError],
  [{ limit: Infinity }, RangeError],
  [{ limit: "5" as never }, RangeError],
  [{ window: 0 }, RangeError],
  [{ window: NaN }, RangeError],
  [{ window: Infinity }, RangeError],
  [{ storeTimeout: 0 }, RangeError],
  [{ storeTimeout: Infinity }, RangeError],
  [{ name: "" }, TypeError],
  [{ name: 'a";q=9' }, TypeError],
  [{ name: "a b" }, TypeError],
  [{ name: "ü" }, TypeError],
];

for (const [options, type] of invalid) {
  Deno.test(`rateLimit() throws when it is created with ${Object.keys(options)} "${Object.values(options)}"`, () => {
    assertThrows(
      () => rateLimit({ store, limit: 1, window: 1_000, ...options }),
      type,
    );
  });
}

Deno.test("rateLimit() lets requests pass again within a window after a clock was set back by a year", async () => {
  const store = { time: 1_700_000_000_000 };
  const shared = createMemorySessionStore({ now: () => store.time });
  const { clock, router } = createLimited({ store: shared });
  clock.time = store.time + 365 * 24 * HOUR;
  assertEquals(await statuses(router, 4), [200, 200, 200, 429]);
  clock.time = store.time += 1_000;
  assertEquals(await statuses(router, 1), [429]);
  clock.time = store.time += HOUR;
  assertEquals(await statuses(router, 4), [200, 200, 200, 429]);
});
