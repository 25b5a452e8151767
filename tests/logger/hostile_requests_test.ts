import { assert, assertEquals, assertMatch } from "@std/assert";
import { RequestContext } from "@gatehouse/web/fetch-router";
import {
  logger,
  type LoggerOptions,
  type LogInfo,
} from "@gatehouse/web/logger-middleware";

/** Creates a request with unparsed headers and URL, as servers pass it. */
function rawRequest(
  headers: Readonly<Record<string, string>>,
  url = "https://example.com/",
): Request {
  const request = {
    method: "GET",
    url,
    headers: {
      get: (name: string) =>
        Object.entries(headers).find(([key]) => key.toLowerCase() === name)
          ?.[1] ?? null,
    },
  };
  return request as unknown as Request;
}

async function lineOf(
  options: LoggerOptions,
  request: Request,
): Promise<string> {
  const lines: string[] = [];
  const context = new RequestContext(request);
  const middleware = logger({
    output: (line) => lines.push(line),
    ...options,
  });
  await middleware(context, () => Promise.resolve(new Response()));
  assertEquals(lines.length, 1);
  return lines[0];
}

const escapes: [what: string, value: string, written: string][] = [
  ["a quote", 'a"b', 'a\\"b'],
  ["a backslash", "a\\b", "a\\\\b"],
  ["a newline", "a\nb", "a\\nb"],
  ["a carriage return", "a\rb", "a\\rb"],
  ["a tab", "a\tb", "a\\tb"],
  ["a backspace", "a\bb", "a\\bb"],
  ["a vertical tab", "a\vb", "a\\vb"],
  ["a form feed", "a\fb", "a\\x0cb"],
  ["NUL", "a\0b", "a\\x00b"],
  ["BEL", "a\x07b", "a\\x07b"],
  ["ESC", "a\x1b[2Jb", "a\\x1b[2Jb"],
  ["DEL", "a\x7fb", "a\\x7fb"],
  ["8-bit CSI", "a\x9b2Jb", "a\\x9b2Jb"],
  ["NEL", "a\x85b", "a\\x85b"],
  ["Latin-1", "caf\xe9", "caf\\xe9"],
  ["a character above Latin-1", "\u20ac", "\\xe2\\x82\\xac"],
  ["an emoji", "\u{1f600}", "\\xf0\\x9f\\x98\\x80"],
  ["a lone surrogate", "\ud800", "\\xef\\xbf\\xbd"],
  ["a line separator", "a\u2028b", "a\\xe2\\x80\\xa8b"],
  ["a right-to-left override", "a\u202eb", "a\\xe2\\x80\\xaeb"],
  ["an escaped string", "\\x1b\\n", "\\\\x1b\\\\n"],
  ["an empty string", "", ""],
];

for (const [what, value, written] of escapes) {
  Deno.test(`logger() writes ${what} in a header as Apache does (spec B.2)`, async () => {
    const request = rawRequest({ "User-Agent": value, Referer: value });
    const line = await lineOf({ format: "combined" }, request);
    assertEquals(
      line.slice(line.indexOf('" 200') + 6),
      `- "${written}" "${written}"`,
    );
  });

  Deno.test(`logger() keeps ${what} in a header inside its JSON string`, async () => {
    const request = rawRequest({ "User-Agent": value });
    const line = await lineOf({ format: "json" }, request);
    assertMatch(line, /^[\x20-\x7e]+$/);
    assertEquals(JSON.parse(line)["user_agent.original"], value);
  });
}

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

Deno.test("logger() truncates long fields and marks them", async () => {
  const long = "a".repeat(60_000);
  const request = rawRequest(
    { "User-Agent": long, Referer: `https://a.example/${long}` },
    `https://example.com/${long}?${long}`,
  );
  for (const format of ["short", "combined", "json"] as const) {
    const line = await lineOf({ format }, request);
    assert(line.length < 12_000, `${format}: ${line.length}`);
  }
  const line = await lineOf({ format: "combined" }, request);
  assertMatch(line, /a{1000}\.\.\." "a{1024}\.\.\."$/);
  const fields = JSON.parse(await lineOf({ format: "json" }, request));
  assertEquals(fields["user_agent.original"], `${"a".repeat(1024)}...`);
});

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

Deno.test("logger() writes printable ASCII only, for every character (ASVS 16.4.1)", async () => {
  for (let code = 0; code < 0x300; code++) {
    const value = `x${String.fromCharCode(code)}y`;
    const request = rawRequest({ "User-Agent": value, Referer: value });
    for (const format of ["combined", "json"] as const) {
      const line = await lineOf({ format, user: () => value }, request);
      assertMatch(line, /^[\x20-\x7e]+$/);
    }
  }
});
