/** Paths that differ from a route in the trailing slash. */
import {
  createRouter,
  type RequestMethod,
  type Router,
  type RouterOptions,
} from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");
const unsafe = ["POST", "PUT", "PATCH", "DELETE"] as const;
const lenient = ["redirect", "ignore"] as const;

for (const method of unsafe) {
  Deno.test(`trailingSlash "redirect" responds to ${method} with 308, which keeps method and body`, async () => {
    const router = routerOf("redirect", [[method, "/a"], ["GET", "/a"]]);
    const response = await router.fetch(`${origin}/a/`, { method });
    assertEquals(response.status, 308);
    assertEquals(response.headers.get("Location"), "/a");
    assertEquals(response.body, null);
  });
}

for (const trailingSlash of lenient) {
  Deno.test(`trailingSlash "${trailingSlash}" never runs a handler for another method`, async () => {
    let ran = false;
    const router = createRouter({ trailingSlash });
    router.get("/a", () => {
      ran = true;
      return ok();
    });
    for (const method of [...unsafe, "OPTIONS"]) {
      const response = await router.fetch(`${origin}/a/`, { method });
      assertEquals(response.headers.get("Location"), null, method);
      await response.body?.cancel();
    }
    assertEquals(ran, false);
  });

  Deno.test(`trailingSlash "${trailingSlash}" does not change paths with a route`, async () => {
    const router = routerOf(trailingSlash, [
      ["GET", "/a"],
      ["GET", "/a/"],
      ["POST", "/a"],
    ]);
    for (const path of ["/a", "/a/"]) {
      const response = await router.fetch(origin + path);
      assertEquals(await response.text(), `GET ${path}`);
    }
  });

  Deno.test(`trailingSlash "${trailingSlash}" has no other form of the root`, async () => {
    const router = routerOf(trailingSlash, [["GET", "/a"]]);
    assertEquals((await router.fetch(origin)).status, 404);
    assertEquals((await router.fetch(`${origin}//`)).status, 404);
  });

  Deno.test(`trailingSlash "${trailingSlash}" handles one slash only, and respects the host`, async () => {
    const router = routerOf(trailingSlash, [
      ["GET", "/a"],
      ["GET", "https://:tenant.example.com/b/"],
    ]);
    const status = async (url: string) => (await router.fetch(url)).status;
    assertEquals(await status(`${origin}/a//`), 404);
    assertEquals(await status(`${origin}/b`), 404);
    assertEquals(
      await status("https://acme.example.com/b"),
      trailingSlash === "ignore" ? 200 : 301,
    );
  });
}

Deno.test('trailingSlash "redirect" keeps escapes and the query', async () => {
  const router = routerOf("redirect", [["GET", "/users/:id"], [
    "GET",
    "/x/:y/",
  ]]);
  const rows = [
    ["/users/a%2Fb%c3/?q=%2F&x=//y", "/users/a%2Fb%c3?q=%2F&x=//y"],
    ["/x/y?next=https://evil.example", "/x/y/?next=https://evil.example"],
    ["/users/é/", "/users/%C3%A9"],
  ] as const;
  for (const [path, location] of rows) {
    const response = await router.fetch(origin + path);
    assertEquals(response.headers.get("Location"), location);
  }
});

Deno.test('trailingSlash "redirect" never redirects in a loop or to another host', async () => {
  const router = routerOf("redirect", [
    ["GET", "//evil.example/:x"],
    ["GET", "/:a/"],
    ["GET", "/:a/:b"],
    ["GET", "///"],
  ]);
  const pieces = ["/", "//", "/a", "/a/", "/.", "/..", "\\", "evil.example"];
  let redirects = 0;
  for (const first of pieces) {
    for (const second of pieces) {
      for (const third of pieces) {
        const url = new URL(origin);
        url.pathname = first + second + third;
        const response = await router.fetch(url);
        const location = response.headers.get("Location");
        if (location === null) continue;
        redirects++;
        const there = new URL(location, url);
        assertEquals(there.origin, origin, `${url} to ${location}`);
        assertEquals((await router.fetch(there)).status, 200, location);
      }
    }
  }
  assertEquals(redirects > 20, true, `${redirects} redirects`);
});

function routerOf(
  trailingSlash: RouterOptions["trailingSlash"],
  routes: readonly (readonly [RequestMethod, string])[],
): Router {
  const router = createRouter({ trailingSlash });
  for (const [method, pattern] of routes) {
    router.route(method, pattern, () => new Response(`${method} ${pattern}`));
  }
  return router;
}

for (const trailingSlash of ["ignore", "redirect"] as const) {
  Deno.test(`trailingSlash "${trailingSlash}" returns the methods of both forms of a path in Allow`, async () => {
    const router = createRouter({ trailingSlash });
    router.get("/a", ok);
    router.post("/a/", ok);
    for (const path of ["/a", "/a/"]) {
      const deleted = await router.fetch(`${origin}${path}`, {
        method: "DELETE",
      });
      assertEquals(
        [deleted.status, deleted.headers.get("Allow")],
        [405, "GET, HEAD, POST"],
      );
      const options = await router.fetch(`${origin}${path}`, {
        method: "OPTIONS",
      });
      assertEquals(
        [options.status, options.headers.get("Allow")],
        [204, "GET, HEAD, POST"],
      );
    }
  });
}

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

Deno.test('trailingSlash "ignore" accepts both forms', async () => {
  const router = createRouter({ trailingSlash: "ignore" });
  router.get("/a/:id", ({ params }) => new Response(params.id));
  router.get("/b/", ok);
  assertEquals(await (await router.fetch(`${origin}/a/1/?x=1`)).text(), "1");
  assertEquals((await router.fetch(`${origin}/b`)).status, 200);
  assertEquals((await router.fetch(`${origin}/c/`)).status, 404);
});

Deno.test('trailingSlash "redirect" redirects to the existing form, with 308 for unsafe methods', async () => {
  const router = createRouter({ trailingSlash: "redirect" });
  router.get("/a", ok);
  router.post("/a", ok);
  router.get("/*", { handler: ok });
  const get = await router.fetch(`${origin}/a/?x=1`);
  assertEquals(get.status, 200, "a wildcard matches the path unchanged");

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
