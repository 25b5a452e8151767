import {
  type CookieOptions,
  parseCookies,
  serializeCookie,
} from "@gatehouse/web/session";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";

const headers: [header: string | null, cookies: [string, string][]][] = [
  [null, []],
  ["", []],
  ["a=b", [["a", "b"]]],
  ["a=b; c=d", [["a", "b"], ["c", "d"]]],
  ["a=b;c=d", [["a", "b"], ["c", "d"]]],
  [" a = b ; c\t=\td ", [["a", "b"], ["c", "d"]]],
  ["a=1; a=2", [["a", "1"]]],
  ["a=b=c", [["a", "b=c"]]],
  ["a=%20%C3%BC", [["a", " ü"]]],
  ["a=%zz; b=%C3", [["a", "%zz"], ["b", "%C3"]]],
  ['a="b"', [["a", '"b"']]],
  ["a", []],
  [";;;=;", [["", ""]]],
  ["__proto__=1; constructor=2", [["__proto__", "1"], ["constructor", "2"]]],
  ["a=", [["a", ""]]],
];

for (const [header, cookies] of headers) {
  Deno.test(`parseCookies() reads ${JSON.stringify(header)}`, () => {
    assertEquals([...parseCookies(header)], cookies);
  });
}

Deno.test("parseCookies() reads 2,000,000 semicolons in linear time", () => {
  assertEquals(parseCookies(";".repeat(2_000_000)).size, 0);
});

const values = [
  "",
  "a",
  "ü",
  "a b",
  'a"b',
  "a;b, c",
  "100%",
  "%20",
  "\r\nX: y",
  "\u0000",
  "💚",
  "\\",
];

for (const value of values) {
  Deno.test(`serializeCookie() keeps ${JSON.stringify(value)} for parseCookies()`, () => {
    const [pair, ...attributes] = serializeCookie("a", value).split("; ");
    assertEquals(parseCookies(pair!).get("a"), value);
    assertEquals(attributes.sort(), [
      "HttpOnly",
      "Path=/",
      "SameSite=Lax",
      "Secure",
    ]);
  });
}

Deno.test("serializeCookie() replaces half of a surrogate pair", () => {
  const [pair] = serializeCookie("a", "\ud800").split("; ");
  assertEquals(parseCookies(pair!).get("a"), "\ufffd");
});

const attributes: [options: CookieOptions, expected: string[]][] = [
  [{ httpOnly: false }, ["Path=/", "SameSite=Lax", "Secure"]],
  [{ secure: false }, ["HttpOnly", "Path=/", "SameSite=Lax"]],
  [{ sameSite: "None", partitioned: true }, [
    "HttpOnly",
    "Partitioned",
    "Path=/",
    "SameSite=None",
    "Secure",
  ]],
  [{ maxAge: 60.9, path: "/a", domain: "example.com", sameSite: "Strict" }, [
    "Domain=example.com",
    "HttpOnly",
    "Max-Age=60",
    "Path=/a",
    "SameSite=Strict",
    "Secure",
  ]],
  [{ maxAge: 0 }, [
    "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    "HttpOnly",
    "Max-Age=0",
    "Path=/",
    "SameSite=Lax",
    "Secure",
  ]],
];

for (const [options, expected] of attributes) {
  Deno.test(`serializeCookie() writes the attributes ${JSON.stringify(options)}`, () => {
    const [, ...found] = serializeCookie("a", "b", options).split("; ");
    assertEquals(found.sort(), expected);
  });
}

const invalid: [name: string, options: CookieOptions][] = [
  ["", {}],
  ["a b", {}],
  ["a=b", {}],
  ["a;b", {}],
  ["a\r\nb", {}],
  ["ü", {}],
  ["a", { path: "/;Domain=evil.example" }],
  ["a", { path: "/\r\nSet-Cookie: b=c" }],
  ["a", { domain: "evil;Path=/" }],
  ["a", { sameSite: "lax" as "Lax" }],
  ["__host-a", { path: "/a" }],
  ["__SECURE-a", { secure: false }],
  ["a", { sameSite: "None", secure: false }],
  ["a", { partitioned: true, secure: false }],
  ["__Host-a", { path: "/b" }],
  ["__Host-a", { domain: "example.com" }],
  ["__Host-Http-a", { path: "/b" }],
  ["__Host-Http-a", { httpOnly: false }],
  ["__Http-a", { httpOnly: false }],
  ["__HTTP-a", { secure: false }],
  ["__Secure-a", { secure: false }],
  ["a", { maxAge: -1 }],
  ["a", { maxAge: NaN }],
];

for (const [name, options] of invalid) {
  Deno.test(`serializeCookie() refuses ${JSON.stringify([name, options])}`, () => {
    assertThrows(
      () => serializeCookie(name, "b", options),
      TypeError,
      "Cannot serialize cookie",
    );
  });
}

Deno.test("serializeCookie() refuses a cookie that every browser drops", () => {
  const largest = "x".repeat(4_096 - "theme".length);
  assertStringIncludes(serializeCookie("theme", largest), largest);
  for (const value of [`${largest}x`, "x".repeat(5_000), "é".repeat(700)]) {
    assertThrows(
      () => serializeCookie("theme", value),
      RangeError,
      'Cannot serialize cookie "theme": its name and value take',
    );
  }
  for (
    const options of [{ path: `/${"x".repeat(1_024)}` }, {
      domain: `${"x".repeat(1_020)}.example`,
    }]
  ) {
    assertThrows(() => serializeCookie("a", "b", options), TypeError, "ignore");
  }
});
