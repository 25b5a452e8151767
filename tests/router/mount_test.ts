import { assertEquals, assertThrows } from "@std/assert";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/form-data-middleware";

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
  Deno.test(`trailingSlash "redirect" sends ${method} ${path} to ${location}, in a mounted router`, async () => {
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
  Deno.test(`router.mount() does not replace a body of the type "${type}", which was read, by an empty form`, async () => {
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
      "TypeError: Cannot hand on the request: its body was read before",
    );
  });
}

Deno.test("router.mount() hands on a form whose type is written in another way", async () => {
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
  Deno.test(`router.mount("${prefix}") throws, for no path has such a prefix`, () => {
    const router = createRouter();
    assertThrows(
      () => router.mount(prefix, () => new Response()),
      TypeError,
      `Cannot mount at "${prefix}"`,
    );
  });
}

Deno.test("router.mount() throws for what answers nothing", () => {
  for (const target of [undefined, null, {}, "fetch"]) {
    assertThrows(
      () => createRouter().mount("/in", target as never),
      TypeError,
      "its target has no fetch",
    );
  }
});

for (const method of ["TRACE", "TRACK", "CONNECT"]) {
  Deno.test(`router.mount() answers ${method} with 405, since no request can be made of it`, async () => {
    const router = createRouter({
      onError: () => new Response(null, { status: 500 }),
    });
    router.mount("/in", ok);
    const request = new Request(`${origin}/in/x`);
    // As servers hand it over: the constructor takes no such method.
    Object.defineProperty(request, "method", { value: method });
    const response = await router.fetch(request);
    assertEquals([response.status, response.headers.get("Allow")], [405, ""]);
  });
}
