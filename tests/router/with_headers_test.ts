import { withHeaders } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

Deno.test("withHeaders() changes a response in place, or copies it if its headers are immutable", async () => {
  const plain = new Response("body");
  const edited = withHeaders(plain, (headers) => headers.set("X-A", "1"));
  assertEquals(edited === plain, true);
  assertEquals(edited.headers.get("X-A"), "1");

  const fixed = Response.redirect("https://example.com/", 303);
  const copy = withHeaders(fixed, (headers) => headers.set("X-A", "1"));
  assertEquals(copy.status, 303);
  assertEquals(copy.headers.get("Location"), "https://example.com/");
  assertEquals(copy.headers.get("X-A"), "1");
  assertEquals(await edited.text(), "body");
});

Deno.test("withHeaders() does not change an upgrade with immutable headers", () => {
  const upgrade = Object.defineProperty(
    Response.redirect("https://example.com/"),
    "status",
    { value: 101 },
  );
  const result = withHeaders(upgrade, (headers) => headers.set("X-A", "1"));
  assertEquals(result === upgrade, true);
});

Deno.test("withHeaders() throws the error of its callback", () => {
  assertThrows(
    () => withHeaders(new Response(), (headers) => headers.set("a b", "")),
    TypeError,
  );
  const edit = () => {
    throw new RangeError("own");
  };
  assertThrows(() => withHeaders(new Response(), edit), RangeError, "own");
});
