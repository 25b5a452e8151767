import { safeRedirectPath } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

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
  Deno.test(`safeRedirectPath() accepts "${value}" as "${path}"`, () => {
    assertEquals(safeRedirectPath(value, "/no"), path);
  });
}

Deno.test("safeRedirectPath() accepts 2,048 characters", () => {
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
  // Short after parsing, but parsing takes time for the whole string.
  "/" + "./".repeat(2048),
  "/" + "é".repeat(1000),
  null,
  undefined,
  7,
  {},
  ["/a"],
];

for (const value of refused) {
  Deno.test(`safeRedirectPath() rejects ${JSON.stringify(value)?.slice(0, 40)}`, () => {
    assertEquals(safeRedirectPath(value), "/");
    assertEquals(safeRedirectPath(value, "/home"), "/home");
  });
}

Deno.test("safeRedirectPath() never leaves the origin for any string (ASVS 3.7.2)", () => {
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
