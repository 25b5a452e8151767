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
