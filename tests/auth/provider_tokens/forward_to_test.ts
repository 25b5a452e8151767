// Requests that `forwardTo` passes to an API with the token of the user.
import { createDPoPKey } from "@gatehouse/web/auth/access-tokens";
import {
  type ForwardOptions,
  forwardTo,
  type TokenResult,
} from "@gatehouse/web/auth/provider-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ForwardApp, TOKEN } from "../_forward.ts";

const again = "second-token-of-ada-0123456789";

Deno.test("forwardTo() adds the token and returns the API's response", async () => {
  const app = new ForwardApp();
  const response = await app.send("/notes/7?tag=a%20b&tag=c");
  assertEquals(response.status, 200);
  assertEquals(await response.json(), { done: true });
  const [{ headers, method, redirect, url }] = app.received;
  assertEquals(url, "https://api.example/v1/notes/7?tag=a%20b&tag=c");
  assertEquals([method, redirect], ["GET", "manual"]);
  assertEquals(headers.get("Authorization"), `Bearer ${TOKEN}`);
});

Deno.test("forwardTo() passes the method, the body and its type", async () => {
  const app = new ForwardApp();
  app.answer = () =>
    new Response("{}", {
      status: 201,
      headers: { "Content-Type": "application/vnd.note+json", ETag: '"1"' },
    });
  const response = await app.send("/notes", {
    method: "POST",
    headers: { "Content-Type": "application/json", "If-Match": '"0"' },
    body: '{"text":"é"}',
  });
  assertEquals(response.status, 201);
  assertEquals(
    response.headers.get("Content-Type"),
    "application/vnd.note+json",
  );
  assertEquals(response.headers.get("ETag"), '"1"');
  assertEquals(await response.text(), "{}");
  const [{ body, headers, method }] = app.received;
  assertEquals([method, body], ["POST", '{"text":"é"}']);
  assertEquals(headers.get("Content-Type"), "application/json");
  assertEquals(headers.get("If-Match"), '"0"');
});

Deno.test("forwardTo() answers HEAD of a path with GET", async () => {
  const app = new ForwardApp();
  app.answer = () => new Response(null, { headers: { ETag: '"1"' } });
  const response = await app.send("/notes/7", { method: "HEAD" });
  assertEquals([response.status, await response.text()], [200, ""]);
  assertEquals(response.headers.get("ETag"), '"1"');
  assertEquals(app.received[0].method, "HEAD");
});

Deno.test("forwardTo() allows the listed paths and methods only", async () => {
  const app = new ForwardApp();
  const rows = [
    ["GET", "", 404],
    ["GET", "/", 404],
    ["GET", "/notes/", 404],
    ["GET", "/Notes", 404],
    ["GET", "/notes/7/8", 404],
    ["GET", "/users", 404],
    ["DELETE", "/notes", 405],
    ["PATCH", "/notes/7", 405],
    ["PROPFIND", "/notes/7", 405],
    ["POST", "/files/a", 405],
  ] as const;
  for (const [method, path, status] of rows) {
    const response = await app.send(path, { method });
    await response.body?.cancel();
    assertEquals(response.status, status, `${method} ${path}`);
  }
  const options = await app.send("/notes/7", { method: "OPTIONS" });
  assertEquals(options.headers.get("Allow"), "DELETE, GET, HEAD, PUT");
  assertEquals(app.received, []);
});

Deno.test("forwardTo() sends an overridden method only if the path allows it", async () => {
  const app = new ForwardApp();
  const router = createRouter({
    middleware: [(context, next) => {
      context.method = "DELETE";
      return next();
    }],
  });
  router.mount("/outer", app.router);
  const send = async (path: string) => {
    const response = await router.fetch(
      `https://app.example/outer/api${path}`,
      {
        method: "POST",
        headers: { "X-Requested-With": "fetch" },
      },
    );
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await send("/notes/7"), await send("/notes")], [200, 405]);
  assertEquals(app.received.map(({ method }) => method), ["DELETE"]);
});

Deno.test("forwardTo() answers 401 without a token, and 503 while the provider is unavailable", async () => {
  const rows = [
    [{ ok: false, reason: "none" }, 401, null],
    [{ ok: false, reason: "ended" }, 401, null],
    [{ ok: false, reason: "unavailable", retryAfter: 7 }, 503, "7"],
  ] as const;
  for (const [result, status, retryAfter] of rows) {
    const app = new ForwardApp();
    app.results = [result];
    const headers = { Accept: "application/json" };
    const response = await app.send("/notes", { headers });
    assertEquals(response.status, status);
    assertEquals(response.headers.get("Retry-After"), retryAfter);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    const { title } = await response.json();
    assertEquals(
      title,
      status === 401 ? "Unauthorized" : "Service Unavailable",
    );
    assertEquals(app.received, []);
  }
});

Deno.test("forwardTo() refreshes a rejected token once and repeats the request", async () => {
  for (const body of [undefined, "{}", "x".repeat(65_536)]) {
    const app = new ForwardApp();
    app.results.push({ ok: true, accessToken: again });
    app.answer = ({ headers }) =>
      headers.get("Authorization") === `Bearer ${again}`
        ? new Response("fresh")
        : new Response("stale", { status: 401 });
    const response = await app.send("/notes", {
      method: body === undefined ? "GET" : "POST",
      headers: body ? { "Content-Length": String(body.length) } : {},
      body,
    });
    assertEquals([response.status, await response.text()], [200, "fresh"]);
    assertEquals(app.received.map(({ body }) => body), [
      body ?? "",
      body ?? "",
    ]);
    assertEquals(app.gets.map(({ rejected }) => rejected), [undefined, TOKEN]);
  }
});

Deno.test("forwardTo() cancels the body of a 401 before it repeats or gives up the request", async () => {
  const second: TokenResult[] = [
    { ok: true, accessToken: "second-token-of-ada-0123456789" },
    { ok: false, reason: "ended" },
  ];
  for (const result of second) {
    const app = new ForwardApp();
    app.results = [{ ok: true, accessToken: TOKEN }, result];
    let canceled = 0;
    const body = () => new ReadableStream({ cancel: () => void canceled++ });
    app.answer = (_, count) =>
      count === 1 ? new Response(body(), { status: 401 }) : new Response("ok");
    const response = await app.send("/notes");
    await response.text();
    assertEquals([response.status, canceled], [result.ok ? 200 : 401, 1]);
  }
});

Deno.test("forwardTo() passes a second 401 on", async () => {
  const app = new ForwardApp();
  app.results.push({ ok: true, accessToken: again });
  app.answer = () => new Response("no", { status: 401 });
  const response = await app.send("/notes");
  assertEquals([response.status, await response.text()], [401, "no"]);
  assertEquals([app.received.length, app.gets.length], [2, 2]);
});

Deno.test("forwardTo() passes a 401 on if the token is still the same", async () => {
  const app = new ForwardApp();
  app.answer = () => new Response("no", { status: 401 });
  const response = await app.send("/notes");
  assertEquals([response.status, await response.text()], [401, "no"]);
  assertEquals([app.received.length, app.gets.length], [1, 2]);
});

Deno.test("forwardTo() answers 503 or 401 if a rejected token can't be refreshed", async () => {
  for (
    const [result, status] of [
      [{ ok: false, reason: "unavailable", retryAfter: 1 }, 503],
      [{ ok: false, reason: "ended" }, 401],
    ] as const
  ) {
    const app = new ForwardApp();
    app.results.push(result);
    app.answer = () => new Response("secret detail", { status: 401 });
    const response = await app.send("/notes");
    assertEquals(response.status, status);
    assert(!(await response.text()).includes("secret"));
  }
});

Deno.test("forwardTo() does not repeat a streamed body", async () => {
  const app = new ForwardApp();
  app.results.push({ ok: true, accessToken: again });
  app.answer = () => new Response("no", { status: 401 });
  const init = {
    method: "POST",
    body: ReadableStream.from([new TextEncoder().encode("part")]),
    duplex: "half",
  };
  const response = await app.send("/notes", init);
  assertEquals([response.status, await response.text()], [401, "no"]);
  assertEquals(app.received.map(({ body }) => body), ["part"]);
  // The next request has a new token.
  assertEquals(app.gets.length, 2);
});

Deno.test("forwardTo() answers 413 to a body beyond the limit", async () => {
  const app = new ForwardApp({ maxRequestBytes: 10 });
  const declared = await app.send("/notes", {
    method: "POST",
    headers: { "Content-Length": "11" },
    body: "x".repeat(11),
  });
  assertEquals(declared.status, 413);
  const init = {
    method: "POST",
    body: ReadableStream.from([new Uint8Array(6), new Uint8Array(6)]),
    duplex: "half",
  };
  const streamed = await app.send("/notes", init);
  assertEquals(streamed.status, 413);
  assertEquals(app.received, []);
});

Deno.test("forwardTo() sends DPoP proofs for bound tokens, with the API's nonce (RFC 9449, section 9)", async () => {
  const app = new ForwardApp();
  const dpopKey = await createDPoPKey();
  app.results = [{ ok: true, accessToken: TOKEN, dpopKey }];
  app.answer = (_received, count) =>
    count === 1
      ? new Response(null, {
        status: 401,
        headers: {
          "WWW-Authenticate": 'DPoP error="use_dpop_nonce"',
          "DPoP-Nonce": "n-1",
        },
      })
      : Response.json({ count });
  const first = await app.send("/notes?q=1");
  assertEquals(await first.json(), { count: 2 });
  assertEquals(first.headers.get("DPoP-Nonce"), null);
  await (await app.send("/notes/7", { method: "DELETE" })).body?.cancel();

  const proofs = app.received.map(({ headers }) =>
    JSON.parse(
      atob(
        headers.get("DPoP")!.split(".")[1]!.replaceAll("-", "+").replaceAll(
          "_",
          "/",
        ),
      ),
    )
  );
  assertEquals(
    proofs.map(({ htm, htu, nonce }) => [htm, htu, nonce]),
    [
      ["GET", "https://api.example/v1/notes", undefined],
      ["GET", "https://api.example/v1/notes", "n-1"],
      ["DELETE", "https://api.example/v1/notes/7", "n-1"],
    ],
  );
  assertEquals(new Set(proofs.map(({ jti }) => jti)).size, 3);
  for (const { headers } of app.received) {
    assertEquals(headers.get("Authorization"), `DPoP ${TOKEN}`);
  }
});

Deno.test("forwardTo() asks a second time for a nonce only if it changes", async () => {
  const app = new ForwardApp();
  app.results = [{
    ok: true,
    accessToken: TOKEN,
    dpopKey: await createDPoPKey(),
  }];
  app.answer = () =>
    new Response(null, {
      status: 401,
      headers: {
        "WWW-Authenticate": 'DPoP error="use_dpop_nonce"',
        "DPoP-Nonce": "n-1",
      },
    });
  assertEquals((await app.send("/notes")).status, 401);
  assertEquals(app.received.length, 2);
  assertEquals((await app.send("/notes")).status, 401);
  assertEquals(app.received.length, 3);
});

Deno.test("forwardTo() sends a streamed body once, even if the API asks for a nonce", async () => {
  const app = new ForwardApp();
  const dpopKey = await createDPoPKey();
  app.results = [{ ok: true, accessToken: TOKEN, dpopKey }];
  app.answer = (_received, count) =>
    new Response(null, {
      status: count === 1 ? 401 : 201,
      headers: {
        "WWW-Authenticate": 'DPoP error="use_dpop_nonce"',
        "DPoP-Nonce": "n-1",
      },
    });
  const post = () => {
    const body = new Blob(["a note"]).stream();
    const init = { method: "POST", body, duplex: "half" };
    return app.send("/notes", init as RequestInit);
  };
  assertEquals((await post()).status, 401);
  assertEquals(app.received.map(({ body }) => body), ["a note"]);
  // The next request has the nonce.
  assertEquals((await post()).status, 201);
});

Deno.test("forwardTo() rejects targets, paths, methods, headers and limits that are invalid", () => {
  const options: ForwardOptions = {
    tokens: { get: () => Promise.reject(new Error("unused")) },
    paths: { "/notes": ["GET"] },
  };
  for (
    const target of [
      "",
      "/v1",
      "api.example",
      "http://api.example/v1",
      "ftp://api.example/",
      "https://user@api.example/v1",
      "https://user:pass@api.example/v1",
      "https://api.example/v1?a=1",
      "https://api.example/v1?",
      "https://api.example/v1#a",
      "https://api.example/v1/../v2",
      "https://api.example/v1/%2e%2e",
      "https:\\\\api.example",
      "https://API.example",
      " https://api.example",
      "http://localhost.evil.example/",
      "http://127.0.0.1.evil.example/",
    ]
  ) {
    assertThrows(() => forwardTo(target, options), TypeError, "Cannot forward");
  }
  for (
    const target of [
      "https://api.example",
      "https://api.example/",
      "https://api.example:8443/v1/",
      "http://localhost:8000",
      "http://127.0.0.1:8000/v1",
      "http://[::1]:8000/v1",
    ]
  ) {
    forwardTo(target, options);
  }
  const invalid: [Record<string, unknown>, typeof Error][] = [
    [{ paths: {} }, TypeError],
    [{ paths: { "/notes": [] } }, TypeError],
    [{ paths: { "notes": ["GET"] } }, TypeError],
    [{ paths: { "https://evil.example/*": ["GET"] } }, TypeError],
    [{ paths: { "/:": ["GET"] } }, TypeError],
    [{ paths: { "/notes": ["get"] } }, TypeError],
    [{ paths: { "/notes": ["ANY"] } }, TypeError],
    [{ paths: { "/notes": ["OPTIONS"] } }, TypeError],
    [{ paths: { "/notes": ["CONNECT"] } }, TypeError],
    [{ requestHeaders: ["Cookie"] }, TypeError],
    [{ requestHeaders: ["X-Forwarded-For"] }, TypeError],
    [{ requestHeaders: ["X-HTTP-Method-Override"] }, TypeError],
    [{ requestHeaders: ["a b"] }, TypeError],
    [{ responseHeaders: ["set-cookie"] }, TypeError],
    [{ responseHeaders: ["Location"] }, TypeError],
    [{ responseHeaders: ["Access-Control-Allow-Origin"] }, TypeError],
    [{ maxRequestBytes: -1 }, RangeError],
    [{ maxResponseBytes: 0 }, RangeError],
    [{ responseTimeout: 0 }, RangeError],
    [{ idleTimeout: NaN }, RangeError],
    [{ totalTimeout: Infinity }, RangeError],
  ];
  for (const [wrong, type] of invalid) {
    const all = { ...options, ...wrong };
    assertThrows(() => forwardTo("https://api.example", all), type, "Cannot");
  }
});
