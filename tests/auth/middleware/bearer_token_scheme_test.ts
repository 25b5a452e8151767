import { createBearerTokenAuthScheme } from "@gatehouse/web/auth-middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { read } from "./_read_token.ts";

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => ({ id: token }),
});

const authorizations: [value: string, token: string | null][] = [
  ["Bearer abc", "abc"],
  ["bearer abc", "abc"],
  ["BEARER abc", "abc"],
  ["Bearer   abc", "abc"],
  [" Bearer abc ", "abc"],
  ["Bearer a-b.c_d~e+f/g==", "a-b.c_d~e+f/g=="],
  ["", null],
  ["Bearer", null],
  ["Bearer ", null],
  ["Bearer\tabc", null],
  ["Bearerabc", null],
  ["Bearer abc def", null],
  ["Bearer abc,", null],
  ["Bearer abc, Bearer def", null],
  ["Bearer =abc", null],
  ["Bearer a=c", null],
  ["Bearer \u00e9", null],
  ['Bearer "abc"', null],
  ["Bearer __proto__", "__proto__"],
  ["Basic YTpi", null],
  ["Token abc", null],
  ["abc", null],
  [`Bearer ${"a".repeat(20_000)}`, null],
  [`Bearer ${" ".repeat(16_000)}`, null],
];

for (const [value, token] of authorizations) {
  const shown = value.length > 40 ? `${value.length} characters` : `"${value}"`;
  Deno.test(`createBearerTokenAuthScheme() reads ${token} from ${shown} (spec 5.3, RFC 6750)`, async () => {
    assertEquals(await read(tokens, [["Authorization", value]]), token);
  });
}

Deno.test("createBearerTokenAuthScheme() ignores two headers", async () => {
  const twice: [string, string][] = [
    ["Authorization", "Bearer abc"],
    ["Authorization", "Bearer def"],
  ];
  assertEquals(await read(tokens, twice), null);
});

Deno.test("createBearerTokenAuthScheme() reads no token from a query (RFC 9700, 4.3.2)", async () => {
  assertEquals(await read(tokens, [], "/?access_token=abc"), null);
});

for (const name of ["", 'a"b', "a\\b", "a\r\nX: y", "ä", "a".repeat(101)]) {
  Deno.test(`createBearerTokenAuthScheme() throws for the name ${JSON.stringify(name).slice(0, 20)}`, () => {
    assertThrows(
      () => createBearerTokenAuthScheme({ name, verify: () => null }),
      TypeError,
      "Cannot create an auth scheme",
    );
  });
}
