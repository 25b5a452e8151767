import { assert, assertEquals } from "@std/assert";
import { ForwardApp } from "../_forward.ts";

Deno.test("forwardTo() refuses paths that servers could read differently", async () => {
  const app = new ForwardApp();
  const segments = [
    "a%2fb", // encoded separators
    "a%2Fb",
    "a%5cb",
    "..%2f..%2fadmin",
    "%2e%2e%2fadmin",
    "..%5cadmin",
    "%252e%252e%252fadmin", // encoded twice
    "a%252fb",
    "%25%32%66",
    "%2525252f",
    "..;", // parameters
    "..;x=1",
    "..%3b",
    ";/admin",
    "a;b=c",
    "/admin", // empty segments
    "/evil.example/x",
    "a//b",
    "...", // dots
    "..%20",
    "%20..",
    "%20",
    "..%00", // control characters
    "a%00.png",
    "a%0d%0aHost:%20evil.example",
    "%09",
    "a%7fb",
    "%c0%af", // not UTF-8
    "%c0%ae%c0%ae",
    "%ff",
    "%e0%80%af",
    "%ed%a0%80",
    "%", // malformed escapes
    "%2",
    "%zz",
    "%u002f",
    "%ef%bc%8f", // characters that fold to separators and dots
    "／admin",
    "．．",
    "‥",
    "%ef%bc%85%32%66",
    "%ef%bc%852f",
    "；",
    "＼",
    ".%e2%80%8b.",
    "%61dmin", // letters that need no escape
    "%41",
    "%7e",
    "..%3F", // a query for an API that decodes before it splits
    "..%3Fx=1",
    ".%23",
  ];
  for (const segment of segments) {
    const response = await app.send(`/files/${segment}`);
    const text = await response.text();
    assertEquals([response.status, text], [400, "Bad Request"], segment);
  }
  assertEquals(app.received, []);
});

Deno.test("forwardTo() resolves dot segments before it matches", async () => {
  const app = new ForwardApp();
  const rows = [
    ["/files/../admin", 404, null],
    ["/files/%2e%2e/admin", 404, null],
    ["/files/.%2E/../../admin", 404, null],
    ["/files/..\\admin", 404, null],
    ["/../../../admin", 404, null],
    ["/files/a/../b", 200, "/v1/files/b"],
    ["/files/./b", 200, "/v1/files/b"],
    ["/files/a\\b", 200, "/v1/files/a/b"],
    ["/files/\ta\n", 200, "/v1/files/a"],
  ] as const;
  for (const [path, status, seen] of rows) {
    app.received.length = 0;
    const response = await app.send(path);
    await response.body?.cancel();
    assertEquals(response.status, status, path);
    const url = app.received[0]?.url ?? null;
    assertEquals(url, seen && `https://api.example${seen}`, path);
  }
});

Deno.test("forwardTo() forwards names with other characters", async () => {
  const app = new ForwardApp();
  for (
    const name of [
      "100%25",
      "100%25%20sure",
      "caf%C3%A9",
      "%E6%96%87",
      "a%20b",
      "what%3F",
      "%23tag",
      "a.b",
      ".hidden",
      "a..b",
      "it's(1)!*",
      "a+b@c:d,e=f&g$h",
      "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB",
    ]
  ) {
    const response = await app.send(`/notes/${name}`);
    await response.body?.cancel();
    assertEquals(response.status, 200, name);
    const { url } = app.received.at(-1)!;
    assertEquals(url, `https://api.example/v1/notes/${name}`);
  }
});

Deno.test("forwardTo() reaches the same host whatever the request's URL is", async () => {
  const app = new ForwardApp();
  const headers = { "Sec-Fetch-Site": "same-origin", Host: "evil.example" };
  const rows = [
    ["https://evil.example/api/notes", 200],
    ["http://evil.example:81/api/notes", 200],
    ["https://app.example/api/files/https://evil.example/", 400],
    ["https://app.example/api//evil.example/notes", 404],
    ["https://app.example/api/\\evil.example/notes", 404],
    ["https://app.example/api/files/@evil.example/", 200],
    ["https://app.example/api:80@evil.example/notes", 404],
    ["https://app.example/api/notes#@evil.example", 200],
    ["https://app.example/api/notes?@evil.example/", 200],
  ] as const;
  for (const [url, status] of rows) {
    const response = await app.router.fetch(url, { headers });
    await response.body?.cancel();
    assertEquals(response.status, status, url);
  }
  for (const { headers, url } of app.received) {
    assert(url.startsWith("https://api.example/v1/"), url);
    assertEquals(headers.get("Host"), null);
  }
});
