import { createRouter, describeMiddleware } from "@gatehouse/web/fetch-router";
import { patch, put } from "@gatehouse/web/fetch-router/routes";
import { bodyLimit, crossOriginProtection } from "@gatehouse/web/middleware";
import { openapi } from "@gatehouse/web/openapi";
import { assertEquals, assertThrows } from "@std/assert";
import { describe, info, ok } from "./_describe.ts";

Deno.test("openapi() describes the routes of mounted routers behind their guards", () => {
  const limit = describeMiddleware(() => {}, { responses: { 429: "Slowly" } });
  const inner = createRouter({ middleware: [bodyLimit()] });
  inner.post("/notes", ok);
  const middle = createRouter();
  middle.mount("/v1", inner);
  const router = createRouter({
    middleware: [limit, crossOriginProtection()],
  });
  router.mount("/api", middle);
  router.mount("/old", () => new Response());
  router.get("/", ok);
  const { document, omissions } = describe(router);
  assertEquals(Object.keys(document.paths), ["/api/v1/notes", "/"]);
  assertEquals(
    Object.keys(document.paths["/api/v1/notes"]!.post!.responses as object),
    ["403", "413", "429"],
  );
  assertEquals(Object.keys(document.paths["/"]!.get!.responses as object), [
    "429",
  ]);
  assertEquals(omissions, [{
    route: "/old/*",
    reason: "it is not a router of this library",
  }]);
});

Deno.test("openapi() ends if a router is mounted on itself", () => {
  const router = createRouter();
  router.get("/x", ok);
  router.mount("/again", router);
  const { document, omissions } = describe(router);
  assertEquals(Object.keys(document.paths), ["/x", "/again/x"]);
  assertEquals(omissions.length, 1);
});

Deno.test("openapi() includes the chosen routes only", () => {
  const router = createRouter();
  router.get("/api/notes", ok);
  router.patch(patch("/page"), ok);
  router.put(put("/files/*"), ok);
  const { document, omissions } = describe(router, {
    include: ({ pattern }) => pattern.startsWith("/api/"),
  });
  assertEquals(Object.keys(document.paths), ["/api/notes"]);
  assertEquals(omissions, []);
});

Deno.test("openapi() throws for an object that is not a router", () => {
  assertThrows(
    () => openapi({ fetch: ok }, { info }),
    TypeError,
    "Cannot create the OpenAPI document",
  );
});
