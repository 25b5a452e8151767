import {
  createContextKey,
  createRouter,
  type Middleware,
  MountPrefix,
  Platform,
  type Router,
} from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");

function createInner(): Router {
  const inner = createRouter({ trailingSlash: "redirect" });
  inner.route("ANY", "/users", ok);
  inner.get("/groups/", ok);
  inner.get("//evil.example", ok);
  return inner;
}

const redirects = [
  ["GET", "/admin/users/?x=1", 301, "/admin/users?x=1"],
  ["POST", "/admin/users/", 308, "/admin/users"],
  ["GET", "/admin/groups", 301, "/admin/groups/"],
  ["GET", "/admin//evil.example/", 301, "/admin//evil.example"],
  ["GET", "/two/deep/users/", 301, "/two/deep/users"],
  ["GET", "/users/", 301, "/users"],
] as const;

for (const [method, path, status, location] of redirects) {
  Deno.test(`trailingSlash "redirect" redirects ${method} ${path} to ${location} in a mounted router`, async () => {
    const inner = createInner();
    const middle = createRouter();
    middle.mount("/deep", inner);
    const outer = createRouter({ trailingSlash: "redirect" });
    outer.route("ANY", "/users", ok);
    outer.mount("/admin", inner);
    outer.mount("/two", middle);
    const response = await outer.fetch(origin + path, { method });
    assertEquals(response.status, status);
    assertEquals(response.headers.get("Location"), location);
    const there = await outer.fetch(origin + location, { method });
    assertEquals(await there.text(), "ok");
  });
}

const types = [
  "application/json",
  "text/plain",
  "",
  "multipart/mixed",
  "application/x-www-form-urlencoded-v2",
];

for (const type of types) {
  Deno.test(`router.mount() does not replace a body of the type "${type}" that was read by an empty form`, async () => {
    let message = "";
    const router = createRouter({
      middleware: [
        formData(),
        async ({ request }, next) => {
          await request.arrayBuffer();
          return await next();
        },
      ],
      onError: (error) => {
        message = String(error);
        return new Response(null, { status: 500 });
      },
    });
    router.mount(
      "/in",
      async (request: Request) => new Response(await request.text()),
    );
    const response = await router.fetch(`${origin}/in`, {
      method: "POST",
      headers: { "Content-Type": type },
      body: new TextEncoder().encode('{"a":1}'),
    });
    assertEquals(response.status, 500);
    assertEquals(
      message,
      "TypeError: Cannot forward the request: its body was read before",
    );
  });
}

Deno.test("router.mount() passes a form if its type has other spellings", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.mount(
    "/in",
    async (request: Request) =>
      new Response(String((await request.formData()).get("a"))),
  );
  for (
    const type of [
      "Application/X-WWW-Form-Urlencoded",
      "application/x-www-form-urlencoded ; charset=utf-8",
    ]
  ) {
    const response = await router.fetch(`${origin}/in`, {
      method: "POST",
      headers: { "Content-Type": type },
      body: "a=1",
    });
    assertEquals(await response.text(), "1");
  }
});

for (const prefix of ["/a/../b", "/./b", "/%2e/b", "/b/.."]) {
  Deno.test(`router.mount("${prefix}") throws because no path has this prefix`, () => {
    const router = createRouter();
    assertThrows(
      () => router.mount(prefix, () => new Response()),
      TypeError,
      `Cannot mount at "${prefix}"`,
    );
  });
}

Deno.test("router.mount() throws for a target without fetch", () => {
  for (const target of [undefined, null, {}, "fetch"]) {
    assertThrows(
      () => createRouter().mount("/in", target as never),
      TypeError,
      "its target has no fetch",
    );
  }
});

for (const method of ["TRACE", "TRACK", "CONNECT"]) {
  Deno.test(`router.mount() responds to ${method} with 405 because the request cannot be copied`, async () => {
    const router = createRouter({
      onError: () => new Response(null, { status: 500 }),
    });
    router.mount("/in", ok);
    const request = new Request(`${origin}/in/x`);
    // As from a server: the constructor rejects such a method.
    Object.defineProperty(request, "method", { value: method });
    const response = await router.fetch(request);
    assertEquals([response.status, response.headers.get("Allow")], [405, ""]);
  });
}

Deno.test("router.mount() passes the rest of the path and the platform to a foreign handler", async () => {
  const router = createRouter({ middleware: [stamp] });
  router.mount(
    "/legacy",
    async (request, ...platform) =>
      new Response(
        `${request.method} ${request.url} ${await request.text()} ${
          JSON.stringify(platform)
        }`,
      ),
  );
  const post = { method: "POST", body: "body" };
  const response = await router.fetch(
    new Request(`${origin}/legacy/a%2Fb?x=1`, post),
    { env: 1 },
    { ctx: 2 },
  );
  assertEquals(
    await response.text(),
    `POST ${origin}/a%2Fb?x=1 body [{"env":1},{"ctx":2}]`,
  );
  assertEquals(response.headers.get("X-Stamp"), "1");
  const urls = [["/legacy", "/"], ["/legacy/", "/"], [
    "/legacy//evil.example",
    "//evil.example",
  ]];
  for (const [path, inner] of urls) {
    assertEquals(
      await (await router.fetch(origin + path)).text(),
      `GET ${origin}${inner}  []`,
    );
  }
  assertEquals((await router.fetch(`${origin}/legacyx`)).status, 404);
});

Deno.test("router.mount() passes the context's values and the prefix to another router", async () => {
  const User = createContextKey<string>();
  const inner = createRouter();
  inner.get(
    "/users/:id",
    (context) =>
      Response.json([
        context.get(User),
        context.params.id,
        context.get(MountPrefix),
        context.url.pathname,
        context.get(Platform),
      ]),
  );
  const middle = createRouter();
  middle.mount("/deep", inner);
  for (const target of [middle, middle.fetch]) {
    const router = createRouter({
      middleware: [(context) => {
        context.set(User, "ada");
      }],
    });
    router.mount("/admin", target);
    const response = await router.fetch(
      new Request(`${origin}/admin/deep/users/7`),
      { info: 1 },
    );
    assertEquals(await response.json(), [
      "ada",
      "7",
      "/admin/deep",
      "/users/7",
      [{ info: 1 }],
    ]);
  }
});

Deno.test("router.mount() shares values of a mounted router with outer middleware", async () => {
  const Note = createContextKey("none");
  const inner = createRouter();
  inner.get("/", (context) => {
    context.set(Note, "set inside");
    return ok();
  });
  let seen = "";
  const router = createRouter({
    middleware: [async (context, next) => {
      const response = await next();
      seen = context.get(Note);
      return response;
    }],
  });
  router.mount("/in", inner);
  await router.fetch(`${origin}/in`);
  assertEquals(seen, "set inside");
});

Deno.test("router.mount() passes the form that formData() has read", async () => {
  const file = new FormData();
  file.set("a", "1");
  file.set("b", new File(["x"], "x.txt"));
  for (const body of [new URLSearchParams({ a: "1" }), file]) {
    const inner = createRouter({ middleware: [formData()] });
    inner.post(
      "/",
      (context) => new Response(`${context.get(FormData).get("a")}`),
    );
    const foreign = async (request: Request) =>
      new Response(`${(await request.formData()).get("a")}`);
    for (const target of [inner, foreign]) {
      const router = createRouter({ middleware: [formData()] });
      router.mount("/in", target);
      const response = await router.fetch(`${origin}/in`, {
        method: "POST",
        body,
      });
      assertEquals(await response.text(), "1");
    }
  }
});

Deno.test("router.mount() rejects a request whose body was already read", async () => {
  let message = "";
  const router = createRouter({
    middleware: [async ({ request }) => void await request.text()],
    onError: (error) => {
      message = String(error);
      return new Response(null, { status: 500 });
    },
  });
  router.mount("/in", ok);
  await router.fetch(`${origin}/in`, { method: "POST", body: "x" });
  assertEquals(
    message,
    "TypeError: Cannot forward the request: its body was read before",
  );
});

for (const prefix of ["", "/", "admin", "/:id", "/a*", "/a/", "//a", "/a b"]) {
  Deno.test(`router.mount() throws for the prefix "${prefix}"`, () => {
    assertThrows(
      () => createRouter().mount(prefix, ok),
      TypeError,
      "Cannot mount at",
    );
  });
}

const stamp: Middleware<readonly []> = async (_, next) => {
  const response = await next();
  response.headers.set("X-Stamp", "1");
  return response;
};

const spellings = [
  "/admin",
  "/admin/",
  "/admin/users",
  "/admin/nowhere",
  "/%61dmin/users",
  "/admin/%75sers",
  "/x/../admin/users",
  "/admin/./users",
  "/admin/x/../users",
  "/admin//users",
  "//admin/users",
  "/ADMIN/users",
  "/admin;x/users",
  "/admin%2fusers",
  "/admin\\users",
  "/admin?/users",
  "/admin/users?admin=1#x",
];

for (const path of spellings) {
  Deno.test(`the middleware of a mounted router guards its handlers against ${path}`, async () => {
    let isReached = false;
    const admin = createRouter({
      middleware: [() => new Response("Forbidden", { status: 403 })],
    });
    admin.route("ANY", "/*", () => {
      isReached = true;
      return new Response("users");
    });
    for (const trailingSlash of ["strict", "redirect", "ignore"] as const) {
      const router = createRouter({ trailingSlash });
      router.mount("/admin", admin);
      const { status } = await router.fetch(`https://example.com${path}`);
      assert([301, 403, 404].includes(status), `${status}`);
    }
    assertEquals(isReached, false);
  });
}
