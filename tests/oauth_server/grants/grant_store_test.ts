import { assertEquals } from "@std/assert";
import { hashToken } from "@gatehouse/web/auth";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  authorizePath,
  browserOf,
  callAPI,
  CALLBACK,
  changedStore,
  connect,
  exchange,
  getCode,
  post,
  refresh,
  slowStore,
  startServer,
  targetOf,
  type TokenBody,
  VERIFIER,
} from "../_server.ts";

Deno.test("a user has at most 100 grants, with any number of clients", async () => {
  const app = startServer({
    clients: (id) => ({ id, name: id, redirectUris: [CALLBACK] }),
  });
  const browser = await browserOf(app);
  const tokens: string[] = [];
  for (let count = 0; count < 103; count++) {
    const client_id = `client${count % 10}`;
    const code = await getCode(browser, { client_id });
    const response = await exchange(app, code, { client_id });
    const { access_token }: TokenBody = await response.json();
    tokens.push(access_token);
    app.clock.now += 1_000;
  }
  assertEquals((await app.server.grants("1")).length, 100);
  const oldest = await Promise.all(
    tokens.slice(0, 4).map((token) => callAPI(app, token)),
  );
  assertEquals(oldest, [401, 401, 401, 200]);
  assertEquals(await app.server.revoke("1", { client: "client5" }), 10);
  assertEquals(await app.server.revoke("1"), 90);
});

Deno.test("revoke() ends codes that no client has exchanged", async () => {
  const app = startServer();
  const code = await getCode(await browserOf(app));
  assertEquals(await app.server.grants("1"), []);
  assertEquals(await app.server.revoke("1"), 1);
  assertEquals((await exchange(app, code)).status, 400);
});

Deno.test("a code needs its redirect URI only if the request has one", async () => {
  const app = startServer();
  const code = await getCode(await browserOf(app));
  const response = await post(app, "/token", {
    grant_type: "authorization_code",
    client_id: "web",
    code_verifier: VERIFIER,
    code,
  });
  assertEquals(response.status, 200);
});

/** Values that no version of the server has stored. */
const BROKEN = [
  "",
  "used",
  "null",
  "[]",
  "{}",
  '"text"',
  '{"userId":1}',
  '{"userId":"1","scopes":"notes:read"}',
  '{"userId":"1","scopes":[],"client":null}',
  '{"userId":"1","scopes":[],"client":{"id":"web"},"generation":"1"}',
];

Deno.test("a broken row is not a grant, and breaks no other one", async () => {
  const store = createMemorySessionStore();
  const puts: [key: string, index: readonly string[]][] = [];
  const app = startServer({
    store: {
      get: (key) => store.get(key),
      put: (key, value, options) => {
        puts.push([key, options.index ?? []]);
        return store.put(key, value, options);
      },
      delete: (key) => store.delete(key),
      byIndex: (name) => store.byIndex!(name),
    },
  });
  const { access_token, refresh_token } = await connect(app);
  const [key, index] = puts[0]!;
  const other = await connect(app);
  for (const value of BROKEN) {
    await store.delete(key);
    await store.put(key, value, { ttl: 60_000, ifVersion: null, index });
    assertEquals(await callAPI(app, access_token), 401, value);
    assertEquals((await refresh(app, refresh_token)).status, 400, value);
    assertEquals((await app.server.grants("1")).length, 1, value);
  }
  assertEquals(await callAPI(app, other.access_token), 200);
});

for (const state of ["code", "grant"] as const) {
  Deno.test(`the row of a ${state} without a member, or with one of another type, causes no error of the server`, async () => {
    const store = createMemorySessionStore();
    const rows: [key: string, value: string][] = [];
    const app = startServer({
      store: {
        get: (key) => store.get(key),
        put: (key, value, options) => {
          if (key.endsWith("~grant")) rows.push([key, value]);
          return store.put(key, value, options);
        },
        delete: (key) => store.delete(key),
        byIndex: (name) => store.byIndex!(name),
      },
    });
    const code = await getCode(await browserOf(app));
    const response = state === "grant" ? await exchange(app, code) : null;
    const tokens: TokenBody | undefined = await response?.json();
    const [key, value] = rows.at(-1)!;
    const row = JSON.parse(value);
    for (const name of Object.keys(row)) {
      for (const wrong of [undefined, null, 1, "x", [], {}]) {
        const broken = JSON.stringify({ ...row, [name]: wrong });
        const put = async () => {
          await store.delete(key);
          await store.put(key, broken, { ttl: 60_000, ifVersion: null });
        };
        await put();
        const statuses = [(await exchange(app, code)).status];
        if (tokens !== undefined) {
          await put();
          statuses.push(await callAPI(app, tokens.access_token));
          statuses.push((await refresh(app, tokens.refresh_token)).status);
        }
        assertEquals(statuses.filter((one) => one >= 500), [], broken);
      }
    }
  });
}

/** The members that all grants have, and a value of another type for each. */
const MEMBERS: Record<string, unknown> = {
  userId: 1,
  scopes: "notes:read",
  challenge: 1,
  generation: "1",
  createdAt: "1800000000000",
  rotatedAt: "1800000000000",
};

Deno.test("a row without a member that all grants have is not a grant", async () => {
  let change: (row: Record<string, unknown>) => object = (row) => row;
  const store = changedStore((inner) => ({
    async get(key) {
      const found = await inner.get(key);
      if (found === null || !key.endsWith("~grant")) return found;
      const value = JSON.stringify(change(JSON.parse(found.value)));
      return { ...found, value };
    },
  }));
  const app = startServer({ store });
  const { access_token } = await connect(app);
  for (const [name, other] of Object.entries(MEMBERS)) {
    for (const wrong of [undefined, null, {}, other]) {
      change = (row) => ({ ...row, [name]: wrong });
      const message = `${name} ${wrong}`;
      assertEquals(await callAPI(app, access_token), 401, message);
      assertEquals(await app.server.grants("1"), [], message);
    }
  }
  change = (row) => row;
  assertEquals(await callAPI(app, access_token), 200);
});

Deno.test("two processes with other first secrets accept each other's tokens", async () => {
  const store = createMemorySessionStore();
  const sessions = createMemorySessionStore();
  const old = "M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n";
  const next = "z8Yb1eVxqT7oZ2cKp4wRh6sLd8fGj0nQ";
  const apps = [[old, next], [next, old]].map((secrets) =>
    startServer({ store, sessions, secrets })
  );
  const { refresh_token } = await connect(apps[0]!);
  const responses = await Promise.all(
    apps.map((app) => refresh(app, refresh_token)),
  );
  const bodies: TokenBody[] = await Promise.all(
    responses.map((one) => one.json()),
  );
  for (const tokens of bodies) {
    for (const app of apps) {
      assertEquals(await callAPI(app, tokens.access_token), 200);
    }
  }
  // Both successors have the same generation, so the second one repeats the first.
  for (const [index, tokens] of bodies.entries()) {
    const response = await refresh(apps[1 - index]!, tokens.refresh_token);
    assertEquals(response.status, 200);
  }
});

Deno.test("nothing is fetched for a visitor, and one document for a user", async () => {
  const urls: string[] = [];
  const app = startServer({
    cimd: {
      fetch: (url) => {
        urls.push(url);
        return Promise.resolve(new Response(null, { status: 404 }));
      },
      onError: () => {},
    },
  });
  const client_id = "https://tools.example/client.json";
  const path = authorizePath({ client_id });
  const { router } = app;
  await router.fetch(`https://test.example${path}`);
  await router.fetch(`https://test.example${path}&prompt=none`);
  await exchange(app, "oac_", { client_id });
  await refresh(app, "oar_", { client_id });
  assertEquals(urls, []);
  const browser = await browserOf(app);
  assertEquals((await browser.fetch(path)).status, 400);
  assertEquals(urls, [client_id]);
});

Deno.test("a trusted client has at most 20 grants of a user, and its codes end none", async () => {
  const secret = "partner secret";
  const { open, store } = slowStore();
  const app = startServer({
    store,
    clients: [{
      id: "web",
      name: "Own",
      redirectUris: [CALLBACK],
      authentication: { secretHashes: [await hashToken(secret)] },
      trusted: true,
    }],
  });
  const browser = await browserOf(app);
  const tokens: string[] = [];
  for (let count = 0; count < 22; count++) {
    const response = await browser.fetch(authorizePath());
    assertEquals(open.calls, 0);
    const code = targetOf(response).searchParams.get("code")!;
    const request = new Request("https://test.example/token", {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`web:${secret}`)}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code_verifier: VERIFIER,
        code,
      }),
    });
    const body: TokenBody = await (await app.router.fetch(request)).json();
    tokens.push(body.access_token);
    app.clock.now += 1_000;
  }
  // Another site opens the page, and no client exchanges the codes.
  for (let count = 0; count < 30; count++) {
    await browser.fetch(authorizePath());
  }
  const statuses = await Promise.all(
    tokens.map((token) => callAPI(app, token)),
  );
  assertEquals(statuses.filter((status) => status === 200).length, 19);
  assertEquals(await app.server.revoke("1"), 49);
});

Deno.test("revoke() ends all grants of a user, however many the index has", async () => {
  const inner = createMemorySessionStore();
  let index: readonly string[] = [];
  const calls: number[] = [];
  const app = startServer({
    store: {
      get: (key) => inner.get(key),
      put: (key, value, options) => {
        index = options.index ?? [];
        return inner.put(key, value, options);
      },
      delete: (key) => inner.delete(key),
      byIndex: (name) => inner.byIndex!(name),
      getMany: (keys) => {
        calls.push(keys.length);
        return Promise.all(keys.map(async (key) => await inner.get(key)));
      },
    },
  });
  await connect(app);
  const [key] = await inner.byIndex!(index[0]!);
  const { value } = (await inner.get(key!))!;
  for (let count = 0; count < 600; count++) {
    const copy = `${String(count).padStart(22, "A")}~grant`;
    await inner.put(copy, value, { ttl: 60_000, ifVersion: null, index });
  }
  calls.length = 0;
  assertEquals(await app.server.revoke("1"), 601);
  assertEquals(calls, [500, 101]);
  assertEquals(await app.server.revoke("1"), 0);
});
