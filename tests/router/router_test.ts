import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  createRouter,
  type Middleware,
  Platform,
  type RequestContext,
  type RequestMethod,
} from "@gatehouse/web/fetch-router";
import { del, get, post, route } from "@gatehouse/web/fetch-router/routes";

const origin = "https://example.com";
const ok = () => new Response("ok");
const quiet = { onError: () => new Response("failed", { status: 500 }) };

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

Deno.test("router.map() registers a single route (spec 4.1)", async () => {
  const router = createRouter();
  router.map(get("/a"), ok);
  router.map(post("/b"), { handler: ok, middleware: [tag("own")] });
  router.map(
    del("/c/:id"),
    { middleware: [tag("third")] },
    ({ params }) => new Response(params.id),
  );
  router.map("/d", ok);
  assertEquals(router.routes, [
    { method: "GET", pattern: "/a" },
    { method: "POST", pattern: "/b" },
    { method: "DELETE", pattern: "/c/:id" },
    { method: "GET", pattern: "/d" },
  ]);
  const posted = await router.fetch(`${origin}/b`, { method: "POST" });
  assertEquals(posted.headers.get("X-Trail"), "own");
  const deleted = await router.fetch(`${origin}/c/9`, { method: "DELETE" });
  assertEquals(deleted.headers.get("X-Trail"), "third");
  assertEquals(await deleted.text(), "9");
});

const routes = route({
  home: "/",
  admin: route("admin", {
    index: "/",
    user: { show: "/users/:id", create: post("/users") },
  }),
});

Deno.test("router.map() registers a controller with middleware for the whole map (spec 4.1, A.3)", async () => {
  const router = createRouter({ middleware: [tag("global")] });
  router.map(routes, {
    actions: {
      home: ok,
      admin: {
        middleware: [tag("admin")],
        actions: {
          index: ok,
          user: {
            middleware: [tag("user")],
            actions: {
              show: {
                middleware: [tag("show")],
                handler: ({ params }) => new Response(params.id),
              },
              create: ok,
            },
          },
        },
      },
    },
  });
  const show = await router.fetch(`${origin}/admin/users/7`);
  assertEquals(await show.text(), "7");
  assertEquals(show.headers.get("X-Trail"), "show user admin global");
  const home = await router.fetch(origin);
  assertEquals(home.headers.get("X-Trail"), "global");
});

Deno.test("router.map() throws if an action is missing, extra or not a function (spec A.6)", () => {
  const map = route({ a: "/a", b: "/b" });
  const bad: [unknown, string][] = [
    [{ actions: { a: ok } }, '"b"'],
    [{ actions: { a: ok, b: ok, c: ok } }, '"c"'],
    [{ actions: { a: ok, b: {} } }, '"b"'],
    [{ actions: { a: ok, b: "text" } }, '"b"'],
    [{}, "actions"],
    [undefined, "actions"],
    [ok, "actions"],
    [{ actions: { a: ok, b: ok }, middleware: [1] }, "middleware"],
  ];
  for (const [controller, message] of bad) {
    // The types reject all of these. The check is for callers without types.
    const map_ = createRouter().map as (
      routes: unknown,
      controller: unknown,
    ) => void;
    assertThrows(() => map_(map, controller), TypeError, message);
  }
});

Deno.test("router.map() throws for a nested map without a controller", () => {
  const map_ = createRouter().map as (
    routes: unknown,
    controller: unknown,
  ) => void;
  assertThrows(
    () => map_(routes, { actions: { home: ok, admin: ok } }),
    TypeError,
    '"admin"',
  );
});

Deno.test("global middleware runs before the route's middleware (spec A.1, A.3)", async () => {
  const trail: string[] = [];
  const note = (name: string): Middleware<readonly []> => async (_, next) => {
    trail.push(name);
    const response = await next();
    trail.push(`/${name}`);
    return response;
  };
  const router = createRouter({ middleware: [note("a"), note("b")] });
  router.get("/", { middleware: [note("c")] }, () => {
    trail.push("handler");
    return ok();
  });
  await router.fetch(origin);
  assertEquals(trail, ["a", "b", "c", "handler", "/c", "/b", "/a"]);
});

Deno.test("a middleware that returns a Response ends the chain (spec A.2)", async () => {
  const router = createRouter({
    middleware: [() => new Response("stop", { status: 403 })],
  });
  router.get("/", () => {
    throw new Error("reached");
  });
  assertEquals((await router.fetch(origin)).status, 403);
});

Deno.test("a middleware that returns nothing continues the chain (spec 7, A.2)", async () => {
  const router = createRouter({
    middleware: [() => {}, async () => {}, (_, next) => void next()],
  });
  let calls = 0;
  router.get("/", () => {
    calls++;
    return ok();
  });
  assertEquals(await (await router.fetch(origin)).text(), "ok");
  assertEquals(calls, 1);
});

Deno.test("a middleware can change the response of next() (spec A.2)", async () => {
  const router = createRouter({
    middleware: [async (_, next) => {
      const response = await next();
      response.headers.set("X-Changed", "1");
      return response;
    }],
  });
  router.get("/", ok);
  assertEquals((await router.fetch(origin)).headers.get("X-Changed"), "1");
});

for (const wrong of [null, false, "text", {}]) {
  Deno.test(`a middleware that returns ${JSON.stringify(wrong)} does not continue the chain`, async () => {
    const guard = () => Promise.resolve(wrong as unknown as Response);
    for (const result of [guard, () => wrong as unknown as Response]) {
      const router = createRouter({ ...quiet, middleware: [result] });
      router.get("/", () => new Response("secret"));
      assertEquals(await (await router.fetch(origin)).text(), "failed");
    }
  });
}

Deno.test("a middleware that does not await next() causes no unhandled rejection", async () => {
  const router = createRouter({
    middleware: [(_, next) => {
      next();
      return new Response("early");
    }],
  });
  router.get("/", async () => {
    await Promise.resolve();
    throw new Error("late");
  });
  assertEquals(await (await router.fetch(origin)).text(), "early");
  await new Promise((resolve) => setTimeout(resolve, 1));
});

Deno.test("a middleware that calls next() twice is an error", async () => {
  const errors: unknown[] = [];
  const router = createRouter({
    middleware: [async (_, next) => {
      await next();
      return await next();
    }],
    onError: (error) => {
      errors.push(error);
      return new Response(null, { status: 500 });
    },
  });
  router.get("/", ok);
  assertEquals((await router.fetch(origin)).status, 500);
  assertEquals(
    String(errors[0]),
    "TypeError: Cannot call next: it was called before",
  );
});

Deno.test("global middleware runs before matching and can change the method", async () => {
  const router = createRouter({
    middleware: [(context) => {
      context.method = "DELETE";
    }],
  });
  router.delete(
    "/x",
    (context) => new Response(`${context.request.method} ${context.method}`),
  );
  const response = await router.fetch(`${origin}/x`, { method: "POST" });
  assertEquals(await response.text(), "POST DELETE");
});

Deno.test("onError() responds once to an error of a handler, before middleware gets the response", async () => {
  const seen: string[] = [];
  const router = createRouter({
    middleware: [async (context, next) => {
      const response = await next();
      seen.push(`middleware after ${context.error}`);
      return response;
    }],
    onError: (error, context) => {
      seen.push(`${error} at ${context.url.pathname}`);
      return new Response("sorry", { status: 500 });
    },
  });
  router.get("/throws", () => {
    throw new Error("secret");
  });
  const response = await router.fetch(`${origin}/throws`);
  assertEquals(await response.text(), "sorry");
  assertEquals(seen, [
    "Error: secret at /throws",
    "middleware after Error: secret",
  ]);
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

Deno.test("router.fetch() rejects an aborted request before its handler starts", async () => {
  const router = createRouter(quiet);
  let ran = false;
  router.get("/", () => {
    ran = true;
    return ok();
  });
  const signal = AbortSignal.abort(new Error("gone"));
  await assertRejects(() => router.fetch(origin, { signal }), Error, "gone");
  assertEquals(ran, false);
});

Deno.test("router.fetch() rejects if a request is aborted during middleware, and keeps other errors", async () => {
  const controller = new AbortController();
  let ran = 0;
  const router = createRouter({
    ...quiet,
    middleware: [async (context, next) => {
      await Promise.resolve();
      controller.abort(new Error("left"));
      if (context.url.pathname === "/broken") throw new Error("bug");
      return await next();
    }],
  });
  router.get("/*", () => {
    ran++;
    return ok();
  });
  const { signal } = controller;
  const broken = await router.fetch(`${origin}/broken`, { signal });
  assertEquals(broken.status, 500);
  await assertRejects(() => router.fetch(origin, { signal }), Error, "left");
  assertEquals(ran, 0);
});

Deno.test("router.fetch() does not read the signal, because Deno.serve would warn", async () => {
  const router = createRouter();
  router.get("/", ok);
  const request = Object.defineProperty(new Request(origin), "signal", {
    get: () => {
      throw new Error("read");
    },
  });
  const info = { remoteAddr: {}, completed: Promise.resolve() };
  assertEquals((await router.fetch(request, info)).status, 200);
});

Deno.test("router.fetch() responds to errors of a handler under Deno.serve, also to the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("bug");
  const router = createRouter({
    onError: (error) => new Response((error as Error).message, { status: 500 }),
  });
  router.get("/", () => {
    controller.abort(reason);
    throw reason;
  });
  const request = new Request(origin, { signal: controller.signal });
  const info = { remoteAddr: {}, completed: Promise.resolve() };
  assertEquals(await (await router.fetch(request, info)).text(), "bug");
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

Deno.test("router.get() throws for misuse at registration", () => {
  const router = createRouter();
  const untyped = router.get as (target: unknown, action: unknown) => void;
  assertThrows(() => untyped("/x", undefined), TypeError, "it has no handler");
  assertThrows(() => untyped("/x", {}), TypeError, "it has no handler");
  assertThrows(
    () => untyped(post("/x"), ok),
    TypeError,
    "it does not answer GET",
  );
  assertThrows(() => untyped(routes, ok), TypeError, "use router.map");
});

function tag(name: string): Middleware<readonly []> {
  return async (_, next) => {
    const response = await next();
    const trail = response.headers.get("X-Trail");
    response.headers.set("X-Trail", trail === null ? name : `${trail} ${name}`);
    return response;
  };
}

function allowed(response: Response): string[] {
  return (response.headers.get("Allow") ?? "").split(", ").toSorted();
}
