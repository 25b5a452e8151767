import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

const api = "https://api.example";
const ok = () => new Response("ok");

Deno.test("router.allowedMethods() returns the methods of a path in each form", () => {
  const router = createRouter({ trailingSlash: "ignore" });
  router.get("/a", ok);
  router.post("/a/", ok);
  assertEquals(router.allowedMethods(`${api}/a`), ["GET", "HEAD", "POST"]);
  assertEquals(router.allowedMethods(new URL("/x/../a/", api)), [
    "GET",
    "HEAD",
    "POST",
  ]);
  for (const url of [`${api}/b`, "", "/a", "data:,x", "https://a b/"]) {
    assertEquals(router.allowedMethods(url), []);
  }
});

Deno.test("router.allowedMethods() finds the methods of simple, regular and mixed tables", () => {
  const router = createRouter();
  router.get("/a", ok);
  router.delete("/:id", ok);
  router.put("/:id(\\d+)", ok);
  router.route("QUERY", "/a", ok);
  router.route("ANY", "/any/*", ok);
  const any = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
  for (
    const [path, methods] of [
      ["/a", ["DELETE", "GET", "HEAD", "QUERY"]],
      ["/7", ["DELETE", "PUT"]],
      ["/%37", ["DELETE"]],
      ["/x?y=%2F", ["DELETE"]],
      ["/any/b", [...any, "QUERY"].sort()],
      ["/a/b", []],
      ["/%zz/b", []],
      ["/", []],
    ] as const
  ) assertEquals(router.allowedMethods(api + path), methods, path);
});
