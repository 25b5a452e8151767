/** Paths that have a route but for their trailing slash. */
import { assertEquals } from "@std/assert";
import {
  createRouter,
  type RequestMethod,
  type Router,
  type RouterOptions,
} from "@gatehouse/web/fetch-router";

const origin = "https://example.com";
const ok = () => new Response("ok");
const unsafe = ["POST", "PUT", "PATCH", "DELETE"] as const;
const lenient = ["redirect", "ignore"] as const;

for (const method of unsafe) {
  Deno.test(`trailingSlash "redirect" answers ${method} with 308, which keeps method and body`, async () => {
    const router = routerOf("redirect", [[method, "/a"], ["GET", "/a"]]);
    const response = await router.fetch(`${origin}/a/`, { method });
    assertEquals(response.status, 308);
    assertEquals(response.headers.get("Location"), "/a");
    assertEquals(response.body, null);
  });
}

for (const trailingSlash of lenient) {
  Deno.test(`trailingSlash "${trailingSlash}" has no handler answer another method than its own`, async () => {
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

  Deno.test(`trailingSlash "${trailingSlash}" leaves paths alone that have a route of their own`, async () => {
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

  Deno.test(`trailingSlash "${trailingSlash}" knows no other form of the root`, async () => {
    const router = routerOf(trailingSlash, [["GET", "/a"]]);
    assertEquals((await router.fetch(origin)).status, 404);
    assertEquals((await router.fetch(`${origin}//`)).status, 404);
  });

  Deno.test(`trailingSlash "${trailingSlash}" looks at one slash, and at the host`, async () => {
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

Deno.test('trailingSlash "redirect" keeps escapes and the query as they are', async () => {
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

Deno.test('trailingSlash "redirect" never sends anyone in a circle or to another host', async () => {
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
  Deno.test(`trailingSlash "${trailingSlash}" tells the methods of both forms of a path`, async () => {
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
