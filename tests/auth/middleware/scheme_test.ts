import {
  type AuthenticatedUser,
  type AuthScheme,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => ({ id: token }),
});
const keys = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  verify: (key) => ({ id: key }),
});
const keysInQuery = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  query: "api_key",
  verify: (key) => ({ id: key }),
});

/** Returns the credentials that a scheme reads, or `null`. */
async function read(
  scheme: AuthScheme<AuthenticatedUser>,
  headers: [string, string][],
  path = "/",
): Promise<unknown> {
  const request = new Request(`https://example.com${path}`, { headers });
  const outcome = await scheme.authenticate(new RequestContext(request));
  return outcome.status === "authenticated" ? outcome.user.id : null;
}

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

const apiKeys: [value: string, key: string | null][] = [
  ["k3y", "k3y"],
  [" k3y ", "k3y"],
  ["!#$%&'()*+-./:;<=>?@[]^_`{|}~\\", "!#$%&'()*+-./:;<=>?@[]^_`{|}~\\"],
  ["__proto__", "__proto__"],
  ["", null],
  ["a b", null],
  ["a,b", null],
  ["a\tb", null],
  ["\u00e9", null],
  ["a".repeat(1025), null],
];

for (const [value, key] of apiKeys) {
  const shown = value.length > 40 ? `${value.length} characters` : `"${value}"`;
  Deno.test(`createAPIAuthScheme() reads ${key} from ${shown} (spec 5.3)`, async () => {
    assertEquals(await read(keys, [["X-API-Key", value]]), key);
    assertEquals(await read(keys, [["x-api-key", value]]), key);
  });
}

const queries: [path: string, headers: [string, string][], string | null][] = [
  ["/?api_key=k3y", [], "k3y"],
  ["/?api_key=k%33y", [], "k3y"],
  ["/?api_key=", [], null],
  ["/?api_key=a&api_key=b", [], null],
  ["/?api_key=a%20b", [], null],
  ["/?API_KEY=k3y", [], null],
  ["/?api_key=query", [["X-API-Key", "header"]], "header"],
  ["/?api_key=query", [["X-API-Key", ""]], null],
  ["/?api_key=query", [["X-API-Key", "a b"]], null],
];

for (const [path, headers, key] of queries) {
  const header = headers.length > 0 ? ` and the header "${headers[0][1]}"` : "";
  Deno.test(`createAPIAuthScheme() with query reads ${key} from ${path}${header}`, async () => {
    assertEquals(await read(keysInQuery, headers, path), key);
  });
}

Deno.test("createAPIAuthScheme() does not read the query by default", async () => {
  assertEquals(await read(keys, [], "/?api_key=k3y&X-API-Key=k3y"), null);
});

Deno.test("createAPIAuthScheme() throws for an invalid header or query", () => {
  const verify = () => null;
  for (const header of ["", "X API Key", "X-Key:", "X-Key\r\n", "Schlüssel"]) {
    assertThrows(
      () => createAPIAuthScheme({ name: "keys", header, verify }),
      TypeError,
      "is not a header name",
    );
  }
  assertThrows(
    () => createAPIAuthScheme({ name: "k", header: "X", query: "", verify }),
    TypeError,
    "has no name",
  );
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
