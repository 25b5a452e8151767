import { redirect } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

Deno.test("redirect() returns a 302 with a relative location by default", () => {
  const response = redirect("/login?returnTo=%2Fa");
  assertEquals(response.status, 302);
  assertEquals(response.headers.get("Location"), "/login?returnTo=%2Fa");
  assertEquals(response.body, null);
});

Deno.test("redirect() accepts a URL and only redirect statuses", () => {
  assertEquals(
    redirect(new URL("https://example.com/a"), 308).headers.get("Location"),
    "https://example.com/a",
  );
  for (const status of [301, 302, 303, 307, 308]) {
    assertEquals(redirect("/", status).status, status);
  }
  for (const status of [200, 300, 304, 400, NaN]) {
    assertThrows(() => redirect("/", status), RangeError, "Cannot redirect");
  }
});
