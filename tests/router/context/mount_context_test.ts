/** The request of a mounted handler, and the context of a mounted router. */
import {
  createContextKey,
  createRouter,
  type Middleware,
  MountPrefix,
  Platform,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { formData, methodOverride } from "@gatehouse/web/middleware";
import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");

Deno.test("router.mount() uses the method that middleware has set", async () => {
  const inner = createRouter();
  inner.delete("/notes/:id", ({ params }) => new Response(`gone ${params.id}`));
  inner.post("/notes/:id", () => new Response("posted"));
  const router = createRouter({ middleware: [formData(), methodOverride()] });
  router.mount("/in", inner);
  const response = await router.fetch(`${origin}/in/notes/7`, {
    method: "POST",
    body: new URLSearchParams({ _method: "DELETE" }),
  });
  assertEquals(await response.text(), "gone 7");
});

Deno.test("router.mount() passes the client's address to a mounted router", async () => {
  const inner = createRouter();
  inner.get("/", ({ remoteAddress }) => new Response(remoteAddress));
  const router = createRouter({ trustedProxies: 1 });
  router.mount("/in", inner);
  const request = new Request(`${origin}/in`, {
    headers: { "X-Forwarded-For": "203.0.113.7" },
  });
  const info = { remoteAddr: { hostname: "192.0.2.1" } };
  const response = await router.fetch(request, info);
  assertEquals(await response.text(), "203.0.113.7");
});

Deno.test("router.mount() passes the runtime's arguments to the fetch of an object", async () => {
  const router = createRouter();
  router.mount("/in", {
    fetch: (request: Request, ...platform: unknown[]) =>
      Response.json([new URL(request.url).pathname, platform]),
  });
  const request = new Request(`${origin}/in/a`);
  const response = await router.fetch(request, { KEY: 1 }, { ctx: 2 });
  assertEquals(await response.json(), ["/a", [{ KEY: 1 }, { ctx: 2 }]]);
});

Deno.test("router.mount() passes headers, body and signal, also of a form that was read", async () => {
  for (const middleware of [[], [formData()]]) {
    const router = createRouter({ middleware });
    let signal: AbortSignal | undefined;
    router.mount("/in", async (request: Request) => {
      signal = request.signal;
      const form = await request.formData();
      const file = form.get("file") as File;
      return Response.json([
        request.headers.get("X-Own"),
        form.get("a"),
        await file.text(),
        file.name,
      ]);
    });
    const body = new FormData();
    body.set("a", "1");
    body.set("file", new File(["content"], "x.txt"));
    const controller = new AbortController();
    const response = await router.fetch(`${origin}/in`, {
      method: "POST",
      body,
      headers: { "X-Own": "own" },
      signal: controller.signal,
    });
    assertEquals(await response.json(), ["own", "1", "content", "x.txt"]);
    assertEquals(signal?.aborted, false);
    controller.abort();
    assertEquals(signal?.aborted, true);
  }
});

Deno.test("router.mount() passes a form that has only a file", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.mount("/in", async (request: Request) => {
    const file = (await request.formData()).get("file") as File;
    return new Response(await file.text());
  });
  const body = new FormData();
  body.set("file", new File(["content"], "x.txt"));
  const init = { method: "POST", body };
  const response = await router.fetch(`${origin}/in`, init);
  assertEquals(await response.text(), "content");
});

Deno.test("router.mount() restores the prefix if the mounted router fails or is aborted", async () => {
  const seen: string[] = [];
  const controller = new AbortController();
  const inner = createRouter({
    middleware: [async (context, next) => {
      await Promise.resolve();
      if (context.url.pathname === "/abort") controller.abort(new Error("x"));
      return next();
    }],
    onError: (_, context) => {
      seen.push(`inside ${context.get(MountPrefix)}`);
      return new Response("inner", { status: 500 });
    },
  });
  inner.get("/*", () => {
    throw new Error("bug");
  });
  const router = createRouter({
    middleware: [async (context, next) => {
      try {
        return await next();
      } finally {
        seen.push(`outside ${JSON.stringify(context.get(MountPrefix))}`);
      }
    }],
  });
  router.mount("/in", inner);
  const { signal } = controller;
  const failed = await router.fetch(`${origin}/in/bug`, { signal });
  assertEquals(await failed.text(), "inner");
  const reason = await router.fetch(`${origin}/in/abort`, { signal })
    .catch((error) => error);
  assertEquals(reason.message, "x");
  assertEquals(seen, ["inside /in", 'outside ""', 'outside ""']);
});

Deno.test("router.mount() lets the mounted router respond without a route", async () => {
  const inner = createRouter({
    defaultHandler: ({ url }) => new Response(`inner ${url.pathname}`),
  });
  inner.post("/only", ok);
  const plain = createRouter();
  plain.post("/only", ok);
  const router = createRouter({
    defaultHandler: () => new Response("outer"),
  });
  router.mount("/in", inner);
  router.mount("/plain", plain);
  const get = async (path: string) => await router.fetch(origin + path);
  assertEquals(await (await get("/in/none")).text(), "inner /none");
  assertEquals((await get("/plain/none")).status, 404);
  const refused = await get("/plain/only");
  assertEquals([refused.status, refused.headers.get("Allow")], [405, "POST"]);
  assertEquals(await (await get("/")).text(), "outer");
});

Deno.test("the middleware of a mounted router runs once, after the outer middleware", async () => {
  const Trail = createContextKey<string[]>([]);
  const note = (name: string): Middleware<readonly []> => (context, next) => {
    context.set(Trail, [...context.get(Trail), name]);
    return next();
  };
  const inner = createRouter({ middleware: [note("inner")] });
  inner.get("/", (context) => new Response(context.get(Trail).join()));
  const router = createRouter({ middleware: [note("outer")] });
  router.mount("/in", inner);
  assertEquals(
    await (await router.fetch(`${origin}/in`)).text(),
    "outer,inner",
  );
});

Deno.test("a mounted router still works separately", async () => {
  const inner = createRouter();
  inner.get(
    "/a",
    (context) =>
      Response.json([
        context.get(MountPrefix),
        context.has(MountPrefix),
        context.get(Platform).length,
      ]),
  );
  const router = createRouter();
  router.mount("/in", inner);
  await router.fetch(`${origin}/in/a`);
  const alone = await inner.fetch(`${origin}/a`);
  assertEquals(await alone.json(), ["", false, 0]);
});

Deno.test("RequestContext creates url and headers once", async () => {
  const router = createRouter();
  router.get("/", (context) => {
    assertStrictEquals(context.url, context.url);
    assertStrictEquals(context.headers, context.headers);
    assert(context.headers !== context.request.headers);
    return ok();
  });
  assertEquals((await router.fetch(origin)).status, 200);
});

Deno.test("router.mount() recognizes the fetch of a router in any object", async () => {
  const Seen = createContextKey("nothing", { name: "Seen" });
  const inner = createRouter();
  inner.get("/", (context) => new Response(context.get(Seen)));
  const sees: Middleware<readonly []> = (context, next) => {
    context.set(Seen, "the middleware");
    return next();
  };
  const router = createRouter({ middleware: [sees] });
  router.mount("/object", { fetch: inner.fetch });
  router.mount("/function", inner.fetch);
  router.mount("/handler", (request) => inner.fetch(request));
  const answer = async (path: string) =>
    await (await router.fetch(`https://example.com${path}`)).text();
  assertEquals(await answer("/object"), "the middleware");
  assertEquals(await answer("/function"), "the middleware");
  assertEquals(await answer("/handler"), "nothing");
});

Deno.test("router.mount() removes the Content-Length of a body that was read", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.mount("/in", async (request) =>
    Response.json([
      request.headers.get("Content-Length"),
      (await request.formData()).get("a"),
    ]));
  const response = await router.fetch(`${origin}/in`, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": "5",
    },
    body: "a=%62",
  });
  assertEquals(await response.json(), [null, "b"]);
});

Deno.test("router.mount() sets context.router for a mounted router and restores the prefix", async () => {
  const inner = createRouter();
  let inside: RequestContext | undefined;
  inner.get("/", (context) => {
    inside = context;
    return new Response(context.get(MountPrefix));
  });
  let after = "";
  const router = createRouter({
    middleware: [async (context, next) => {
      const response = await next();
      after = context.get(MountPrefix);
      return response;
    }],
  });
  router.mount("/in", inner);
  assertEquals(await (await router.fetch(`${origin}/in`)).text(), "/in");
  assertStrictEquals(inside?.router.fetch, inner.fetch);
  assertEquals(after, "");
});

Deno.test("router.mount() calls the fetch method of an object with its this", async () => {
  const target = {
    greeting: "hello",
    fetch(request: Request) {
      return new Response(`${this.greeting} ${new URL(request.url).pathname}`);
    },
  };
  const router = createRouter();
  router.mount("/in", target);
  const response = await router.fetch(`${origin}/in/x`);
  assertEquals(await response.text(), "hello /x");
});

Deno.test("router.mount() prefers more specific routes and rejects a repeated prefix", async () => {
  const router = createRouter();
  router.mount("/in", () => new Response("mounted"));
  router.get("/in/special", () => new Response("own"));
  const text = async (path: string) =>
    await (await router.fetch(origin + path)).text();
  assertEquals(await text("/in/special"), "own");
  assertEquals(await text("/in/other"), "mounted");
  assertThrows(() => router.mount("/in", ok), RangeError, "/in");
});
