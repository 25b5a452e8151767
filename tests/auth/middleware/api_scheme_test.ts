import { createAPIAuthScheme } from "@gatehouse/web/auth-middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { read } from "./_read_token.ts";

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
