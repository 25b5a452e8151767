import {
  createRouter,
  Platform,
  type RequestContext,
  type RequestMethod,
} from "@gatehouse/web/fetch-router";
import { assertEquals, assertRejects } from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");

const verbs = [
  ["get", "GET"],
  ["head", "HEAD"],
  ["post", "POST"],
  ["put", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["options", "OPTIONS"],
] as const;

for (const [verb, method] of verbs) {
  Deno.test(`router.${verb}() registers ${method} (spec 4.1)`, async () => {
    const router = createRouter();
    router[verb](
      "/x",
      (context) =>
        new Response(null, { headers: { "X-Method": context.method } }),
    );
    const response = await router.fetch(`${origin}/x`, { method });
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("X-Method"), method);
    assertEquals(router.routes, [{ method, pattern: "/x" }]);
  });

  Deno.test(`router.route("${method}") is the general form (spec 4.1)`, async () => {
    const router = createRouter();
    router.route(method, "/x", ok);
    assertEquals((await router.fetch(`${origin}/x`, { method })).status, 200);
  });
}

Deno.test('router.route("ANY") matches every method (spec 2.7)', async () => {
  const router = createRouter();
  router.route("ANY", "/x", ok);
  for (const [, method] of verbs) {
    assertEquals((await router.fetch(`${origin}/x`, { method })).status, 200);
  }
});

Deno.test("router.fetch() accepts a string, a URL, a Request and an init (spec 4.1)", async () => {
  const router = createRouter();
  router.post("/x", async ({ request }) => new Response(await request.text()));
  const init = { method: "POST", body: "hi" };
  for (
    const response of [
      await router.fetch(`${origin}/x`, init),
      await router.fetch(new URL(`${origin}/x`), init),
      await router.fetch(new Request(`${origin}/x`, init)),
      await router.fetch(new Request(`${origin}/x`), init),
    ]
  ) assertEquals(await response.text(), "hi");
});

Deno.test("router.fetch() works unbound", async () => {
  const { fetch } = createRouter();
  assertEquals((await fetch(`${origin}/none`)).status, 404);
});

Deno.test("router.fetch() rejects instead of throwing for bad arguments", async () => {
  const { fetch } = createRouter();
  await assertRejects(() => fetch("not a url"), TypeError);
  await assertRejects(
    () => fetch(`${origin}/`, { headers: { "a b": "" } }),
    TypeError,
  );
});

Deno.test("router.fetch() passes the runtime's arguments to Platform", async () => {
  const router = createRouter();
  const seen: unknown[] = [];
  router.get("/", (context) => {
    seen.push(context.get(Platform), context.remoteAddress);
    return ok();
  });
  const request = () =>
    new Request(origin, { headers: { "CF-Connecting-IP": "203.0.113.9" } });
  const info = {
    remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 },
  };
  const server = { requestIP: () => ({ address: "192.0.2.2" }) };
  const env = { KEY: "1" };
  const ctx = { waitUntil: () => {} };
  await router.fetch(request(), info);
  await router.fetch(request(), server);
  await router.fetch(request(), env, ctx);
  await router.fetch(request(), {});
  await router.fetch(request());
  assertEquals(seen, [
    [info],
    "192.0.2.1",
    [server],
    "192.0.2.2",
    [env, ctx],
    "203.0.113.9",
    [{}],
    undefined,
    [],
    undefined,
  ]);
});

Deno.test("router.fetch() recognizes the env of Workers, even if it looks like an init", async () => {
  const router = createRouter();
  router.get(
    "/",
    (context) => new Response(String(context.get(Platform).length)),
  );
  const response = await router.fetch(new Request(origin), { method: "POST" }, {
    waitUntil() {},
  });
  assertEquals(await response.text(), "2");
});

const forwarded = [
  [0, "203.0.113.7", "192.0.2.1"],
  [1, "203.0.113.7", "203.0.113.7"],
  [1, "203.0.113.66, 203.0.113.7", "203.0.113.7"],
  [2, "203.0.113.66, 203.0.113.7", "203.0.113.66"],
  [["192.0.2.1"], "203.0.113.66, 203.0.113.7", "203.0.113.7"],
  [["192.0.2.1", "203.0.113.7"], "203.0.113.66, 203.0.113.7", "203.0.113.66"],
  [["198.51.100.1"], "203.0.113.7", "192.0.2.1"],
  [1, "<script>", "192.0.2.1"],
  [1, "203.0.113.7:40001", "203.0.113.7"],
  [1, "[2001:db8::1]:40001", "2001:db8::1"],
  [1, "2001:db8::1", "2001:db8::1"],
  [1, "203.0.113.7:x", "192.0.2.1"],
  [1, "203.0.113.777", "192.0.2.1"],
  [1, "dead.beef", "192.0.2.1"],
  [1, "::::", "192.0.2.1"],
  [1, `${"9".repeat(5000)}, 203.0.113.7`, "203.0.113.7"],
  [1, "", "192.0.2.1"],
] as const;

for (const [trustedProxies, header, expected] of forwarded) {
  Deno.test(`context.remoteAddress is ${expected} with trustedProxies ${JSON.stringify(trustedProxies)} and "${header.slice(-30)}"`, async () => {
    const router = createRouter({ trustedProxies });
    router.get("/", (context) => new Response(context.remoteAddress));
    const request = new Request(origin, {
      headers: { "X-Forwarded-For": header },
    });
    const response = await router.fetch(request, {
      remoteAddr: { hostname: "192.0.2.1" },
    });
    assertEquals(await response.text(), expected);
  });
}

Deno.test("router.fetch() responds with 404 if no route matches (spec 7)", async () => {
  const response = await createRouter().fetch(`${origin}/none`);
  assertEquals(response.status, 404);
  assertEquals(await response.text(), "Not Found");
});

Deno.test("router.fetch() calls defaultHandler if no route matches (spec 2.7, A.1)", async () => {
  const router = createRouter({
    defaultHandler: ({ url, allowedMethods }) =>
      new Response(`${url.pathname} ${allowedMethods}`, { status: 410 }),
  });
  router.post("/x", ok);
  const response = await router.fetch(`${origin}/x`);
  assertEquals(response.status, 410);
  assertEquals(await response.text(), "/x POST");
});

Deno.test("router.fetch() responds with 405 and Allow if the path has other methods", async () => {
  const router = createRouter();
  router.get("/x", ok);
  router.put("/x", ok);
  const response = await router.fetch(`${origin}/x`, { method: "DELETE" });
  assertEquals(response.status, 405);
  assertEquals(allowed(response), ["GET", "HEAD", "PUT"]);
  const options = await router.fetch(`${origin}/x`, { method: "OPTIONS" });
  assertEquals(options.status, 204);
  assertEquals(allowed(options), ["GET", "HEAD", "PUT"]);
});

Deno.test("router.fetch() runs the GET handler for HEAD and removes the body", async () => {
  const router = createRouter();
  let cancelled = false;
  router.get("/x", () => {
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    return new Response(body, { headers: { "X-Is": "get" } });
  });
  const response = await router.fetch(`${origin}/x`, { method: "HEAD" });
  assertEquals(response.headers.get("X-Is"), "get");
  assertEquals(await response.text(), "");
  assertEquals(cancelled, true);
});

Deno.test("router.fetch() throws an error with the route if a handler returns no Response", async () => {
  let message = "";
  const router = createRouter({
    onError: (error) => {
      message = String(error);
      return new Response(null, { status: 500 });
    },
  });
  router.get("/broken/:id", () => undefined as unknown as Response);
  assertEquals((await router.fetch(`${origin}/broken/1`)).status, 500);
  assertEquals(
    message,
    'TypeError: Cannot answer GET "/broken/:id": its handler returned no Response',
  );
});

Deno.test("context.route is the matching route", async () => {
  const router = createRouter();
  let context: RequestContext | undefined;
  router.get("/users/:id", (c) => {
    context = c;
    return ok();
  });
  await router.fetch(`${origin}/users/7`);
  assertEquals(context?.route?.method, "GET" satisfies RequestMethod);
  assertEquals(context?.route?.pattern.source, "/users/:id");
});

function allowed(response: Response): string[] {
  return (response.headers.get("Allow") ?? "").split(", ").toSorted();
}
