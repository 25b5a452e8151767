import {
  createContextKey,
  createRouter,
  type Middleware,
  Platform,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { secureHeaders } from "@gatehouse/web/middleware";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { captureConsole } from "../_console.ts";

const origin = "https://example.com";
const ok = () => new Response("ok");
const pass: Middleware<readonly []> = (_, next) => next();
const quiet = { onError: () => new Response("failed", { status: 500 }) };

/** The routes of a large application. */
const table = [
  ["GET", "/users/new"],
  ["GET", "/users/:id"],
  ["ANY", "/users/:id"],
  ["GET", "/users/*"],
  ["POST", "/users/:id"],
  ["HEAD", "/users/:id"],
  ["GET", "/:year-:month"],
  ["GET", "/:page"],
  ["GET", "/*"],
  ["GET", "https://:tenant.example.com/users/:id"],
] as const;

const requests = [
  ["GET", "/users/new", "GET /users/new"],
  ["GET", "/users/7", "GET /users/:id"],
  ["HEAD", "/users/7", "HEAD /users/:id"],
  ["HEAD", "/users/new", "HEAD /users/:id"],
  ["POST", "/users/new", "POST /users/:id"],
  ["PUT", "/users/new", "ANY /users/:id"],
  ["GET", "/users/7/x", "GET /users/*"],
  ["GET", "/2026-11", "GET /:year-:month"],
  ["GET", "/about", "GET /:page"],
  ["GET", "/a/b", "GET /*"],
] as const;

for (let shift = 0; shift < table.length; shift++) {
  Deno.test(`router.fetch() finds the same routes if registration begins with ${table[shift]}`, async () => {
    const router = createRouter();
    const list = [...table.slice(shift), ...table.slice(0, shift)];
    if (shift % 2 === 1) list.reverse();
    for (const [method, pattern] of list) {
      router.route(
        method,
        pattern,
        () =>
          new Response(null, {
            headers: { "X-Route": `${method} ${pattern}` },
          }),
      );
    }
    for (const [method, path, expected] of requests) {
      const response = await router.fetch(origin + path, { method });
      assertEquals(response.headers.get("X-Route"), expected);
    }
    const tenant = await router.fetch("https://acme.example.com/users/7");
    assertEquals(
      tenant.headers.get("X-Route"),
      "GET https://:tenant.example.com/users/:id",
    );
  });
}

Deno.test("router.fetch() routes by hostname, with params and links", async () => {
  const router = createRouter();
  const routes = route("https://:tenant.example.com", { page: "/:page" });
  router.map(routes.page, ({ params }) => Response.json(params));
  router.get("/:page", ({ params }) => Response.json(params));
  const params = async (url: string) => await (await router.fetch(url)).json();
  assertEquals(await params("https://acme.example.com/a"), {
    tenant: "acme",
    page: "a",
  });
  for (const host of ["a.b.example.com", "example.com", "localhost:8000"]) {
    assertEquals(await params(`https://${host}/a`), { page: "a" }, host);
  }
  assertEquals(
    routes.page.href({ tenant: "acme", page: "a" }),
    "https://acme.example.com/a",
  );
});

const duplicates: [
  string,
  (router: ReturnType<typeof createRouter>) => void,
][] = [
  ["/users/:name", (router) => router.get("/users/:name", ok)],
  ["/users/:key", (router) => router.map("/users/:key", ok)],
  ["/users/:x", (router) => {
    router.map(route({ user: "/users/:x" }), { actions: { user: ok } });
  }],
];

for (const [again, register] of duplicates) {
  Deno.test(`router.get() rejects ${again} after /users/:id and names both`, () => {
    const router = createRouter();
    router.get("/users/:id", ok);
    router.post("/users/:id", ok);
    const error = assertThrows(() => register(router), RangeError);
    assert(error.message.includes('"GET /users/:id"'), error.message);
    assert(error.message.includes(`"GET ${again}"`), error.message);
  });
}

Deno.test("router.fetch() prefers a HEAD or OPTIONS route to the default response", async () => {
  const router = createRouter();
  router.get("/x", ok);
  const own = new Response("unchanged");
  router.head("/x", () => own);
  router.options("/x", () => new Response("own options"));
  const head = await router.fetch(`${origin}/x`, { method: "HEAD" });
  assertStrictEquals(head, own);
  const options = await router.fetch(`${origin}/x`, { method: "OPTIONS" });
  assertEquals(await options.text(), "own options");
});

Deno.test("router.fetch() removes the body of a HEAD response of a slow handler", async () => {
  const router = createRouter();
  router.get("/x", { middleware: [pass] }, () => Promise.resolve(ok()));
  router.get("/y", async () => await Promise.resolve(ok()));
  for (const path of ["/x", "/y"]) {
    const response = await router.fetch(origin + path, { method: "HEAD" });
    assertEquals([response.status, response.body], [200, null]);
  }
});

Deno.test("router.fetch() returns the handler's response unchanged, also an upgrade", async () => {
  const upgrade = Object.defineProperty(new Response(null), "status", {
    value: 101,
  });
  for (const middleware of [[], [pass], [secureHeaders(), pass]]) {
    const router = createRouter({ middleware });
    router.get("/plain", () => upgrade);
    router.get("/behind", { middleware }, () => Promise.resolve(upgrade));
    for (const path of ["/plain", "/behind"]) {
      assertStrictEquals(await router.fetch(origin + path), upgrade);
    }
    assertEquals([...upgrade.headers], []);
  }
});

const badInputs: unknown[] = [undefined, null, 1, {}, "/path", "http://", ""];

for (const input of badInputs) {
  Deno.test(`router.fetch(${JSON.stringify(input)}) rejects`, async () => {
    const fetch = createRouter().fetch as (input: unknown) => Promise<Response>;
    const result = fetch(input);
    await assertRejects(() => result);
  });
}

Deno.test("router.fetch() does not mistake a runtime's arguments for an init", async () => {
  const router = createRouter();
  router.get("/", (context) => Response.json(context.get(Platform).length));
  class Info {
    method = "POST";
  }
  const cases: [unknown[], number][] = [
    [[undefined], 0],
    [[undefined, undefined], 2],
    [[null], 1],
    [[{}], 1],
    [[new Info()], 1],
    [[{ method: "POST", other: 1 }], 1],
    [[{ method: "GET" }], 0],
    [[{ method: "POST" }, undefined], 2],
    [[1, 2, 3], 3],
  ];
  for (const [platform, count] of cases) {
    const response = await router.fetch(new Request(origin), ...platform);
    assertEquals(await response.json(), count, JSON.stringify(platform));
  }
});

Deno.test("router.fetch() rejects if a request is aborted during a route's middleware", async () => {
  const controller = new AbortController();
  const router = createRouter(quiet);
  let ran = false;
  const leave: Middleware<readonly []> = async (_, next) => {
    await Promise.resolve();
    controller.abort(new Error("left"));
    return await next();
  };
  router.get("/", { middleware: [leave] }, () => {
    ran = true;
    return ok();
  });
  const { signal } = controller;
  await assertRejects(() => router.fetch(origin, { signal }), Error, "left");
  assertEquals(ran, false);
});

Deno.test("router.fetch() responds with 499 if a server's request is aborted while its middleware waits", async () => {
  const controller = new AbortController();
  let ran = false;
  const router = createRouter({
    ...quiet,
    middleware: [async (_, next) => {
      await Promise.resolve();
      controller.abort(new Error("left"));
      return await next();
    }, (_, next) => next()],
  });
  router.get("/", () => {
    ran = true;
    return ok();
  });
  const request = new Request(origin, { signal: controller.signal });
  assertEquals((await router.fetch(request, {}, {})).status, 499);
  assertEquals(ran, false);
});

for (
  const [name, onError] of [
    ["throws", () => {
      throw new Error("again");
    }],
    ["rejects", () => Promise.reject(new Error("again"))],
    ["returns no Response", () => undefined as unknown as Response],
  ] as const
) {
  Deno.test(`router.fetch() responds with a generic 500 if onError ${name}`, async () => {
    const printed = await printedBy(async () => {
      const router = createRouter({ onError });
      router.get("/", () => {
        throw new Error("first");
      });
      const response = await router.fetch(origin);
      assertEquals(response.status, 500);
      assertEquals(await response.text(), "Internal Server Error");
    });
    const another = name === "returns no Response"
      ? "TypeError: Cannot answer an error: onError returned no Response"
      : "Error: again";
    assertEquals(printed.map(String), ["Error: first", another]);
  });
}

Deno.test("router.fetch() prints an error of a handler once and does not send it (ASVS 16.3.4, 16.5.1)", async () => {
  const printed = await printedBy(async () => {
    const router = createRouter({ middleware: [pass] });
    router.get("/", () => {
      throw new Error("secret");
    });
    assertEquals(
      await (await router.fetch(origin)).text(),
      "Internal Server Error",
    );
  });
  assertEquals(printed.map(String), ["Error: secret"]);
});

Deno.test("router.fetch() throws if a handler returns no Response, also after middleware", async () => {
  const messages: string[] = [];
  const router = createRouter({
    middleware: [async (_, next) => {
      const response = await next();
      response.headers.set("X-Seen", "1");
      return response;
    }],
    defaultHandler: () => "text" as unknown as Response,
    onError: (error) => {
      messages.push(String(error));
      return new Response(null, { status: 500 });
    },
  });
  const wrong = () => Promise.resolve(null as unknown as Response);
  router.get("/late", wrong);
  router.get("/behind", { middleware: [pass] }, wrong);
  for (const path of ["/late", "/behind", "/none"]) {
    await router.fetch(origin + path);
  }
  assertEquals(messages, [
    'TypeError: Cannot answer GET "/late": its handler returned no Response',
    'TypeError: Cannot answer GET "/behind": its handler returned no Response',
    'TypeError: Cannot answer GET "/none": the default handler returned no Response',
  ]);
});

Deno.test("createRouter() throws if middleware is not an array of functions", () => {
  for (const middleware of [[1], pass, "text"]) {
    assertThrows(
      () => createRouter({ middleware: middleware as unknown as [] }),
      TypeError,
      "its middleware is not a list of functions",
    );
  }
});

Deno.test("router.routes contains controllers and mounts in the order of registration", () => {
  const router = createRouter();
  router.map(route("a", { one: "/1", deep: { two: "/2" } }), {
    actions: { one: ok, deep: { actions: { two: ok } } },
  });
  router.mount("/m", ok);
  assertEquals(router.routes.map(({ method, pattern }) => [method, pattern]), [
    ["GET", "/a/1"],
    ["GET", "/a/2"],
    ["ANY", "/m"],
    ["ANY", "/m/*"],
  ]);
});

Deno.test("router.map() applies the middleware of all parents to a nested controller", async () => {
  const Trail = createContextKey<string[]>();
  const note = (name: string): Middleware<readonly []> => (context, next) => {
    context.set(Trail, [...context.has(Trail) ? context.get(Trail) : [], name]);
    return next();
  };
  const show = (context: RequestContext) =>
    new Response(context.get(Trail).join());
  const routes = route({ a: { b: { c: "/c" }, d: "/d" } });
  const router = createRouter();
  router.map(routes, {
    middleware: [note("top")],
    actions: {
      a: {
        middleware: [note("a")],
        actions: {
          b: { actions: { c: show } },
          d: { handler: show, middleware: [note("d")] },
        },
      },
    },
  });
  const text = async (path: string) =>
    await (await router.fetch(origin + path)).text();
  assertEquals(await text("/c"), "top,a");
  assertEquals(await text("/d"), "top,a,d");
});

/** Returns the arguments of console.error during a function. */
async function printedBy(work: () => Promise<void>): Promise<unknown[]> {
  using calls = captureConsole();
  const { printed } = calls;
  await work();
  return printed;
}
