import type { ExternalAuthCache } from "@gatehouse/web/auth";
import { assertEquals, assertGreater } from "@std/assert";
import { Login, logIn } from "../_login.ts";
import { TestProvider, USER } from "../_test_provider.ts";
import { WELL_KNOWN, withoutDocuments } from "./_documents.ts";

for (const userinfo of [true, false]) {
  Deno.test(`a complete login with cached metadata and keys needs one token request${userinfo ? " and one for userinfo" : ""}`, async () => {
    const provider = await TestProvider.create();
    const login = new Login(provider, { userinfo });
    await login.run();
    provider.requests.length = 0;
    assertEquals((await login.run()).profile, USER);
    assertEquals(
      provider.requests.map(({ path }) => path),
      userinfo ? ["/token", "/userinfo"] : ["/token"],
    );
  });
}

Deno.test("metadata expires after an hour, keys after ten minutes", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  await login.run();
  time += 599_000;
  await login.run();
  assertEquals([provider.count(WELL_KNOWN), provider.count("/keys")], [1, 1]);
  time += 1_000;
  await login.run();
  assertEquals([provider.count(WELL_KNOWN), provider.count("/keys")], [1, 2]);
  time += 3_000_000;
  await login.run();
  assertEquals([provider.count(WELL_KNOWN), provider.count("/keys")], [2, 3]);
});

Deno.test("discovery does not cache failures", async () => {
  const provider = await TestProvider.create();
  provider.faults = { respond: () => new Response(null, { status: 503 }) };
  const login = new Login(provider);
  assertEquals((await login.visit("/login")).status, 502);
  provider.faults = {};
  assertEquals((await login.run()).profile, USER);
});

Deno.test("the cache has metadata and keys for a new process", async () => {
  const provider = await TestProvider.create();
  const cache = memoryCache();
  assertEquals((await logIn(provider, { cache })).profile, USER);
  assertEquals((await logIn(provider, { cache })).profile, USER);
  assertEquals([provider.count(WELL_KNOWN), provider.count("/keys")], [1, 1]);
  const [ttl] = cache.ttls;
  assertGreater(ttl, 0);
});

Deno.test("the cache does not prevent the renewal of keys", async () => {
  const provider = await TestProvider.create();
  const cache = memoryCache();
  await logIn(provider, { cache });
  await provider.rotate();
  assertEquals((await logIn(provider, { cache })).profile, USER);
  assertEquals((await logIn(provider, { cache })).profile, USER);
  assertEquals(provider.count("/keys"), 2);
});

const brokenCaches: [string, ExternalAuthCache][] = [
  ["throws", { get: fails, set: fails }],
  ["holds nonsense", {
    get: () => ({ at: Date.now(), body: { issuer: 1, keys: 2 } }),
    set: () => {},
  }],
  ["holds a text", { get: () => "text", set: () => {} }],
];

for (const [name, cache] of brokenCaches) {
  Deno.test(`a cache that ${name} causes more requests, but logins work`, async () => {
    const provider = await TestProvider.create();
    assertEquals((await logIn(provider, { cache })).profile, USER);
    assertEquals([provider.count(WELL_KNOWN), provider.count("/keys")], [1, 1]);
  });
}

Deno.test("a cache that never responds delays logins, but they work", async () => {
  const provider = await TestProvider.create();
  const never = () => new Promise<never>(() => {});
  const cache = { get: never, set: never };
  const metadata = provider.metadata() as never;
  assertEquals((await logIn(provider, { cache, metadata })).profile, USER);
  assertEquals(provider.count("/keys"), 1);
});

Deno.test("a cache entry from the future is as stale as an expired one", async () => {
  const provider = await TestProvider.create();
  const cache = memoryCache();
  let time = Date.now() + 1e9;
  provider.now = () => time;
  assertEquals((await logIn(provider, { cache })).profile, USER);
  time -= 1e9;
  assertEquals((await logIn(provider, { cache })).profile, USER);
  assertEquals([provider.count(WELL_KNOWN), provider.count("/keys")], [2, 2]);
});

Deno.test("the cache keeps the metadata of providers apart", async () => {
  const cache = memoryCache();
  const one = await TestProvider.create("https://one.example");
  const two = await TestProvider.create("https://two.example");
  await two.rotate();
  assertEquals((await logIn(one, { cache })).profile, USER);
  assertEquals((await logIn(two, { cache })).profile, USER);
});

function memoryCache() {
  const map = new Map<string, string>();
  const ttls: number[] = [];
  return {
    ttls,
    get: (key: string) => JSON.parse(map.get(key) ?? "null"),
    set: (key: string, value: unknown, { ttl }: { ttl: number }) => {
      ttls.push(ttl);
      map.set(key, JSON.stringify(value));
    },
  };
}

function fails(): never {
  throw new Error("The cache is unavailable");
}

Deno.test("stale metadata is used for at most a day", async () => {
  const { login, pass } = await withoutDocuments(() =>
    Promise.reject(new TypeError("refused"))
  );
  pass(86_399_000);
  assertEquals((await login.visit("/login")).status, 302);
  pass(2_000);
  assertEquals((await login.visit("/login")).status, 502);
});
