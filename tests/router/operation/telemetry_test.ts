import { completeAuth } from "@gatehouse/web/auth";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { telemetry } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { createRecorder, traceId } from "../_open_telemetry.ts";

const origin = "https://example.com";

Deno.test("telemetry() names a span after the route, with the attributes of the conventions", async () => {
  const { api, durations, spans } = createRecorder();
  const router = createRouter({ middleware: [telemetry({ api })] });
  router.get("/users/:id", () => new Response("Ada"));
  await router.fetch(`${origin}:8443/users/7?token=s3cret`);

  assertEquals(spans, [{
    name: "GET /users/:id",
    attributes: {
      "http.request.method": "GET",
      "url.scheme": "https",
      "url.path": "/users/7",
      "server.address": "example.com",
      "server.port": 8443,
      "http.route": "/users/:id",
      "http.response.status_code": 200,
    },
    events: [],
    parentId: undefined,
    spanId: "0000000000000001",
    status: 0,
    isEnded: true,
  }]);
  assertEquals(durations, [{
    "http.request.method": "GET",
    "url.scheme": "https",
    "http.route": "/users/:id",
    "http.response.status_code": 200,
  }]);
});

Deno.test("telemetry() names spans of mounted routers with their prefix", async () => {
  const { api, spans } = createRecorder();
  const inner = createRouter({ middleware: [telemetry({ api })] });
  inner.get("/", () => new Response("Home"));
  inner.get("/users/:id", () => new Response("Ada"));
  const admin = createRouter();
  admin.mount("/v1", inner);
  const router = createRouter({ middleware: [telemetry({ api })] });
  router.mount("/admin", admin);
  for (const path of ["/users/7", "", "/none"]) {
    await router.fetch(`${origin}/admin/v1${path}`);
  }
  assertEquals(spans.map(({ name }) => name), [
    "GET /admin/v1/users/:id",
    "GET /admin/v1",
    "GET /admin/v1/*",
  ]);
});

const failures = [
  { error: new TypeError("s3cret"), status: 500, type: "TypeError" },
  { error: "s3cret", status: 500, type: "500" },
  {
    error: Object.assign(new Error(), {
      toResponse: () => new Response(null, { status: 409 }),
    }),
    status: 409,
    type: undefined,
  },
];

for (const { error, status, type } of failures) {
  Deno.test(`telemetry() describes a ${status} of the error ${type}`, async () => {
    const { api, durations, spans } = createRecorder();
    const router = createRouter({
      middleware: [telemetry({ api })],
      onError: () => new Response("Error", { status: 500 }),
    });
    router.get("/", () => {
      throw error;
    });
    await router.fetch(origin);
    const [span] = spans;
    assertEquals(span!.attributes["error.type"], type);
    assertEquals(durations[0]!["error.type"], type);
    assertEquals(span!.status, type === undefined ? 0 : 2);
    assert(!JSON.stringify(span).includes("s3cret"));
    assert(span!.isEnded);
  });
}

const long = "x".repeat(10_000);

const hostile = [
  { path: `/${long}`, name: "GET" },
  { path: "/", method: "INVENTED", name: "HTTP" },
  { path: "/__proto__/constructor", name: "GET" },
];

for (const { path, method = "GET", name } of hostile) {
  Deno.test(`telemetry() limits ${method} ${path.slice(0, 30)}`, async () => {
    const { api, durations, spans } = createRecorder();
    const router = createRouter({ middleware: [telemetry({ api })] });
    router.get("/", () => new Response("Hello"));
    // Some runtimes refuse unknown methods of a new request.
    const request = new Request(origin + path);
    Object.defineProperty(request, "method", { value: method });
    await router.fetch(request);
    const [span] = spans;
    assertEquals(span!.name, name);
    for (const value of Object.values(span!.attributes)) {
      assert(String(value).length <= 1024);
    }
    const known = method === "GET" ? "GET" : "_OTHER";
    assertEquals(durations[0]!["http.request.method"], known);
  });
}

Deno.test("telemetry() continues the trace of the caller only if it is trusted", async () => {
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const parents: unknown[] = [];
  for (const trust of [undefined, false, true, () => false, () => true]) {
    const { api, spans } = createRecorder();
    const options = trust === undefined ? { api } : { api, trust };
    const router = createRouter({ middleware: [telemetry(options)] });
    await router.fetch(origin, { headers });
    parents.push(spans[0]!.parentId);
  }
  const parent = "00f067aa0ba902b7";
  assertEquals(parents, [undefined, undefined, parent, undefined, parent]);
});

Deno.test("telemetry() adds session.start and session.end to the span of a login", async () => {
  const { api, spans } = createRecorder();
  const ids: string[] = [];
  const router = createRouter({ middleware: [telemetry({ api }), session()] });
  router.post("/login", async (context) => {
    ids.push((await completeAuth(context, 7)).id);
    return new Response("Welcome");
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return new Response("Bye");
  });
  const client = createTestClient(router);
  await client.fetch("/login", { method: "POST" });
  await client.fetch("/login", { method: "POST" });
  await client.fetch("/logout", { method: "POST" });
  const user = { "user.id": "7" };
  assertEquals(spans.map(({ events }) => events), [
    [["session.start", { "session.id": ids[0]!, ...user }]],
    [["session.start", {
      "session.id": ids[1]!,
      "session.previous_id": ids[0]!,
      ...user,
    }]],
    [["session.end", { "session.id": ids[1]!, ...user }]],
  ]);
});

Deno.test("telemetry() ends its span if a middleware outside a router rejects", async () => {
  const { api, spans } = createRecorder();
  const context = new RequestContext(new Request(origin));
  const rejected = telemetry({ api })(
    context,
    () => Promise.reject(new Error("gone")),
  );
  const error = await Promise.resolve(rejected).catch((error) => error);
  assertEquals(error.message, "gone");
  assert(spans[0]!.isEnded);
});

Deno.test("telemetry() refuses anything but the module", () => {
  for (const api of [undefined, null, {}, { trace: {} }]) {
    assertThrows(() => telemetry({ api: api as never }), TypeError, "api");
  }
});

Deno.test("context.routePath has the prefixes of mounts", async () => {
  const found: unknown[] = [];
  const inner = createRouter();
  inner.get("/users/:id", (context) => {
    found.push(context.routePath);
    return new Response("Ada");
  });
  const router = createRouter({
    middleware: [async (context, next) => {
      found.push(context.routePath);
      const response = await next();
      found.push(context.routePath);
      return response;
    }],
  });
  router.mount("/admin", inner);
  await router.fetch(`${origin}/admin/users/7`);
  assertEquals(found, [undefined, "/admin/users/:id", "/admin/users/:id"]);
});

Deno.test("telemetry() measures in seconds, with the buckets of the conventions (Semantic Conventions, HTTP Metrics)", async () => {
  const { api, histograms } = createRecorder();
  const router = createRouter({ middleware: [telemetry({ api })] });
  router.get("/", () => new Response());
  await router.fetch(origin);
  const explicitBucketBoundaries = [5, 10, 25, 50, 75, 100, 250, 500, 750]
    .concat([1_000, 2_500, 5_000, 7_500, 10_000])
    .map((milliseconds) => milliseconds / 1_000);
  assertEquals(histograms, [["http.server.request.duration", {
    unit: "s",
    advice: { explicitBucketBoundaries },
  }]]);
});
