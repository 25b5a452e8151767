import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  createContextKey,
  createRouter,
  type Middleware,
  MountPrefix,
  Platform,
} from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/form-data-middleware";
import { createTestClient } from "@gatehouse/web/fetch-router/testing";
import { secureHeaders } from "@gatehouse/web/secure-headers-middleware";

const origin = "https://example.com";
const ok = () => new Response("ok");

Deno.test("trailingSlash is strict by default", async () => {
  const router = createRouter();
  router.get("/a", ok);
  router.get("/b/", ok);
  for (
    const [path, status] of [["/a", 200], ["/a/", 404], ["/b/", 200], [
      "/b",
      404,
    ]] as const
  ) {
    assertEquals((await router.fetch(origin + path)).status, status, path);
  }
});

Deno.test('trailingSlash "ignore" answers both forms', async () => {
  const router = createRouter({ trailingSlash: "ignore" });
  router.get("/a/:id", ({ params }) => new Response(params.id));
  router.get("/b/", ok);
  assertEquals(await (await router.fetch(`${origin}/a/1/?x=1`)).text(), "1");
  assertEquals((await router.fetch(`${origin}/b`)).status, 200);
  assertEquals((await router.fetch(`${origin}/c/`)).status, 404);
});

Deno.test('trailingSlash "redirect" sends to the form that exists, 308 where the method is unsafe', async () => {
  const router = createRouter({ trailingSlash: "redirect" });
  router.get("/a", ok);
  router.post("/a", ok);
  router.get("/*", { handler: ok });
  const get = await router.fetch(`${origin}/a/?x=1`);
  assertEquals(get.status, 200, "the wildcard matches the path as it is");

  const plain = createRouter({ trailingSlash: "redirect" });
  plain.route("ANY", "/a", ok);
  plain.get("//evil.example", ok);
  const cases = [
    ["GET", "/a/?x=1", 301, "/a?x=1"],
    ["HEAD", "/a/", 301, "/a"],
    ["POST", "/a/", 308, "/a"],
    ["GET", "//evil.example/", 301, "/.//evil.example"],
  ] as const;
  for (const [method, path, status, location] of cases) {
    const response = await plain.fetch(origin + path, { method });
    assertEquals(response.status, status);
    assertEquals(response.headers.get("Location"), location);
  }
  assertEquals((await plain.fetch(`${origin}/none/`)).status, 404);
});

Deno.test("router.mount() hands a foreign handler the rest of the path and the platform", async () => {
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

Deno.test("router.mount() keeps the context's values for another router, and tells the prefix", async () => {
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

Deno.test("router.mount() shares values set inside with the middleware outside", async () => {
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

Deno.test("router.mount() hands on the form that formData() has read", async () => {
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

Deno.test("router.mount() does not hand on a request whose body was lost", async () => {
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
    "TypeError: Cannot hand on the request: its body was read before",
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

Deno.test("secureHeaders() adds what the response does not set, also to redirects", async () => {
  const router = createRouter({
    middleware: [
      secureHeaders({
        strictTransportSecurity: "max-age=1",
        referrerPolicy: false,
      }),
    ],
  });
  router.get(
    "/",
    () => new Response(null, { headers: { "Content-Security-Policy": "own" } }),
  );
  router.get("/away", () => Response.redirect("https://example.org/"));
  const { headers } = await router.fetch(origin);
  assertEquals(headers.get("Content-Security-Policy"), "own");
  assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
  assertEquals(headers.get("Strict-Transport-Security"), "max-age=1");
  assertEquals(headers.has("Referrer-Policy"), false);
  const away = await router.fetch(`${origin}/away`);
  assertEquals(away.status, 302);
  assert(
    away.headers.get("Content-Security-Policy")?.includes(
      "frame-ancestors 'none'",
    ),
  );
});

Deno.test("createTestClient() keeps and drops cookies, and follows redirects on the own origin", async () => {
  const router = createRouter();
  router.get("/set", () => {
    const response = new Response();
    response.headers.append("Set-Cookie", "a=1; Path=/; HttpOnly");
    response.headers.append("Set-Cookie", "b=2; Secure");
    return response;
  });
  router.get(
    "/drop",
    () => new Response(null, { headers: { "Set-Cookie": "a=; Max-Age=0" } }),
  );
  router.get(
    "/show",
    ({ request }) => new Response(request.headers.get("Cookie")),
  );
  router.get(
    "/hop",
    () => new Response(null, { status: 302, headers: { Location: "/show" } }),
  );
  router.get(
    "/away",
    () =>
      new Response(null, {
        status: 302,
        headers: { Location: "https://other.example/" },
      }),
  );
  router.get(
    "/loop",
    () => new Response(null, { status: 302, headers: { Location: "/loop" } }),
  );
  const client = createTestClient(router);
  await client.fetch("/set");
  assertEquals(await (await client.fetch("/show")).text(), "a=1; b=2");
  await client.fetch("/drop");
  assertEquals([...client.cookies], [["b", "2"]]);
  assertEquals((await client.fetch("/hop")).status, 302);
  assertEquals(
    await (await client.fetch("/hop", { followRedirects: true })).text(),
    "b=2",
  );
  assertEquals(
    (await client.fetch("/away", { followRedirects: true })).status,
    302,
  );
  let message = "";
  await client.fetch("/loop", { followRedirects: true }).catch((error) =>
    message = error.message
  );
  assertEquals(message, "Cannot follow more than 10 redirects");
});

const raw = [
  "/admin/../public/x",
  "/public/%2e%2e/admin/x",
  "/public/.%2E/admin/x",
  "/public/./../admin/x",
  "\\admin\\x",
  "/admin/x/..",
  "/public//../admin/x",
];

for (const path of raw) {
  Deno.test(`router.fetch() reaches for "${path}" no route that context.url does not name`, async () => {
    const router = createRouter();
    router.get(
      "/admin/*",
      ({ url }) => new Response(`admin ${url.pathname.startsWith("/admin/")}`),
    );
    router.get(
      "/public/*",
      ({ url }) =>
        new Response(`public ${url.pathname.startsWith("/public/")}`),
    );
    const response = await router.fetch(rawRequest(origin + path));
    assert(/true$|^Not Found$/.test(await response.text()), path);
  });
}

for (
  const url of [
    "/p",
    "",
    "http://",
    "https://a b/",
    "https://example.com:99999/",
    "file:///etc/passwd",
    "ws://example.com/",
    "ftp://example.com/",
    "data:text/plain,x",
  ]
) {
  Deno.test(`router.fetch() answers 400 to a request whose URL is "${url}"`, async () => {
    const router = createRouter();
    router.get("/*", ok);
    const response = await router.fetch(rawRequest(url));
    assertEquals(response.status, 400);
    assertEquals(await response.text(), "Bad Request");
  });
}

/** A request as servers make it, whose `url` is the text from the wire. */
function rawRequest(url: string): Request {
  return Object.defineProperty(new Request(origin), "url", { value: url });
}

const stamp: Middleware<readonly []> = async (_, next) => {
  const response = await next();
  response.headers.set("X-Stamp", "1");
  return response;
};
