import { assertEquals, assertThrows } from "@std/assert";
import {
  redirect,
  safeRedirectPath,
  withHeaders,
} from "@gatehouse/web/fetch-router";

Deno.test("redirect() answers 302 to a relative location by default", () => {
  const response = redirect("/login?returnTo=%2Fa");
  assertEquals(response.status, 302);
  assertEquals(response.headers.get("Location"), "/login?returnTo=%2Fa");
  assertEquals(response.body, null);
});

Deno.test("redirect() takes a URL and the statuses of redirects only", () => {
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

const accepted: [string, string][] = [
  ["/", "/"],
  ["/account?tab=keys#top", "/account?tab=keys#top"],
  ["/a/../b", "/b"],
  ["/a//b", "/a//b"],
  ["/search?q=//evil.example", "/search?q=//evil.example"],
  ["/café", "/caf%C3%A9"],
  ["/@evil.example", "/@evil.example"],
];

for (const [value, path] of accepted) {
  Deno.test(`safeRedirectPath() lets "${value}" through as "${path}"`, () => {
    assertEquals(safeRedirectPath(value, "/no"), path);
  });
}

Deno.test("safeRedirectPath() lets 2,048 characters through", () => {
  const path = "/" + "a".repeat(2_047);
  assertEquals(safeRedirectPath(path), path);
});

const refused: unknown[] = [
  "",
  "account",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "/./\\evil.example",
  "/a/..//evil.example",
  "/%2e//evil.example",
  "/%2e%2e//evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/a\r\nSet-Cookie: x=1",
  "/a\0",
  "/a\x1f",
  "/a\x7f",
  " //evil.example",
  "https://evil.example/",
  "http:evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "/" + "a".repeat(2048),
  // Short once it is parsed; parsing it would take the time of all of it.
  "/" + "./".repeat(2048),
  "/" + "é".repeat(1000),
  null,
  undefined,
  7,
  {},
  ["/a"],
];

for (const value of refused) {
  Deno.test(`safeRedirectPath() refuses ${JSON.stringify(value)?.slice(0, 40)}`, () => {
    assertEquals(safeRedirectPath(value), "/");
    assertEquals(safeRedirectPath(value, "/home"), "/home");
  });
}

Deno.test("safeRedirectPath() never leaves the origin, whatever the text is made of", () => {
  const parts = [
    "/",
    "\\",
    ".",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "\t",
    "@",
    ":",
    "?",
    "#",
    "evil.example",
    "a",
  ];
  let seed = 20261120;
  const random = () =>
    (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (let round = 0; round < 5000; round++) {
    let value = "/";
    for (let n = 0; n < 6; n++) {
      value += parts[Math.floor(random() * parts.length)];
    }
    const path = safeRedirectPath(value, "/fallback");
    const url = new URL(path, "https://app.example/login");
    assertEquals(
      url.origin,
      "https://app.example",
      `seed 20261120, value ${JSON.stringify(value)}`,
    );
  }
});

Deno.test("withHeaders() changes a response in place, and copies one whose headers are immutable", async () => {
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

Deno.test("withHeaders() leaves an upgrade alone whose headers are immutable", () => {
  const upgrade = Object.defineProperty(
    Response.redirect("https://example.com/"),
    "status",
    { value: 101 },
  );
  const result = withHeaders(upgrade, (headers) => headers.set("X-A", "1"));
  assertEquals(result === upgrade, true);
});

Deno.test("withHeaders() throws what the edit throws", () => {
  assertThrows(
    () => withHeaders(new Response(), (headers) => headers.set("a b", "")),
    TypeError,
  );
  const edit = () => {
    throw new RangeError("own");
  };
  assertThrows(() => withHeaders(new Response(), edit), RangeError, "own");
});
