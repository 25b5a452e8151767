import { createContextKey, RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

Deno.test("RequestContext.get() distinguishes two keys with the same name", () => {
  const first = createContextKey("a", { name: "same" });
  const second = createContextKey("b", { name: "same" });
  const context = newContext();
  context.set(first, "set");
  assertEquals(context.get(second), "b");
});

function newContext(): RequestContext {
  return new RequestContext(new Request("https://example.com/"));
}
