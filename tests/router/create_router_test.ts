import { assertEquals, assertThrows } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";

Deno.test("createRouter() rejects invalid values of its options", () => {
  const options = [
    { trailingSlash: "remove" },
    { trustedProxies: "10.0.0.12" },
    { trustedProxies: null },
  ];
  for (const each of options) {
    assertThrows(
      () => createRouter(each as never),
      TypeError,
      "Cannot create router",
    );
  }
});

Deno.test("createRouter() accepts null for a missing option", async () => {
  const options = { defaultHandler: null, onError: null };
  const router = createRouter(options as never);
  assertEquals((await router.fetch("https://example.com/a")).status, 404);
});
