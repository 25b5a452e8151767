import { assert, assertEquals, assertMatch } from "@std/assert";
import type { LogInfo } from "@gatehouse/web/logger-middleware";
import { lineOf, rawRequest } from "./_raw_request.ts";

const paths: [url: string, written: string][] = [
  ["https://example.com/a\x1b[2Jb", "/a%1B[2Jb"],
  ["https://example.com/a\nb", "/ab"],
  ['https://example.com/a"b', "/a%22b"],
  ["https://example.com/\u202e", "/%E2%80%AE"],
  ["https://example.com/?a\\b", "/?a\\\\b"],
  ["https://example.com/a/../b", "/b"],
  ["https://example.com/a/%2e%2e/b", "/b"],
  ["https://example.com/a/.b", "/a/.b"],
  ["https://example.com/a/%2E./b", "/b"],
  [`https://example.com/${"a".repeat(2_000)}/../b`, "/b"],
  ["https://example.com/?", "/?"],
  ["https://example.com/?a=/../b", "/?a=/../b"],
  ["HTTPS://EXAMPLE.com:443/a", "/a"],
  ["https://example.com/a\\..\\b", "/b"],
  ["https://example.com\\evil.example/a", "/evil.example/a"],
  ["https://example.com?a", "/?a"],
  ["https://user:password@example.com/a", "/a"],
  ["https://example.com/a#fragment", "/a"],
  ["https://example.com//a", "//a"],
];

for (const [url, written] of paths) {
  Deno.test(`logger() writes the path of ${JSON.stringify(url)} that the router matches`, async () => {
    for (const format of ["short", "dev"] as const) {
      const line = await lineOf({ format, colors: false }, rawRequest({}, url));
      assertEquals(line.replace(/ \d+ms$/, ""), `GET ${written} 200`);
    }
  });
}

Deno.test("logger() writes valid JSON if the host is truncated", async () => {
  for (const names of ["ecs", "opentelemetry"] as const) {
    const url = `http://${"a".repeat(1020)}:8443/`;
    const line = await lineOf({ format: "json", names }, rawRequest({}, url));
    const fields = JSON.parse(line);
    const domain = fields[names === "ecs" ? "url.domain" : "server.address"];
    assertMatch(domain, /^a{1020}/);
  }
});

Deno.test("logger() writes the origin of each request, not of the one before", async () => {
  const hosts = [
    "a.example",
    "b.example",
    "a.example:8080",
    "[::1]:8080",
    "[::1]",
    "a.example.evil.example",
  ];
  for (const host of [...hosts, ...hosts]) {
    const request = rawRequest({}, `https://${host}/path`);
    const format = ({ host, url }: LogInfo) => `${host} ${url}`;
    assertEquals(await lineOf({ format }, request), `${host} /path`);
    const fields = JSON.parse(await lineOf({ format: "json" }, request));
    const { "url.domain": domain, "url.port": port } = fields;
    assertEquals(port === undefined ? domain : `${domain}:${port}`, host);
  }
});

Deno.test("logger() writes combined lines short enough for log readers", async () => {
  for (const character of ["a", "\x1b", '"', "\u20ac", "\ud800"]) {
    const long = character.repeat(60_000);
    const request = rawRequest(
      { "User-Agent": long, Referer: `https://a.example/${long}` },
      `https://example.com/${long}`,
    );
    const user = () => long;
    const line = await lineOf({ format: "combined", user }, request);
    assert(line.length < 4_096, `${line.length}`);
    assertMatch(
      line,
      /^- - [^ [\]]+ \[.+\] "GET \/[^ ]* HTTP\/1\.1" 200 - /,
    );
  }
});

Deno.test("logger() redacts a hostile query in linear time", async () => {
  const parts = ["a&", "&=", "token=&", "%", "=", "code", "?", "?a", "/?", "#"];
  for (const part of parts) {
    const url = `https://example.com/?${part.repeat(300_000)}`;
    await lineOf({ format: "combined" }, rawRequest({ Referer: url }, url));
  }
});

Deno.test("logger() accepts a target of any length", async () => {
  for (const part of ["/", "/a"]) {
    const url = `https://example.com${part.repeat(5_000_000)}"`;
    const line = await lineOf({ format: "short" }, rawRequest({}, url));
    assertEquals(line.slice(0, 4 + part.length), `GET ${part}`);
    assert(line.length < 1100, String(line.length));
  }
});
