/** Patterns that a runtime's URLPattern returns in another form. */
import { RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import { paramsOf } from "../_params.ts";

const docs = "https://:tenant.example.com/docs{/v:version}?/intro";

const rows: [
  input: string | URLPatternInit,
  url: string,
  params: Record<string, string> | null,
][] = [
  [docs, "https://ada.example.com/docs/intro", { tenant: "ada" }],
  [docs, "https://ada.example.com/docs/v2/intro", {
    tenant: "ada",
    version: "2",
  }],
  [docs, "https://ada.example.com/docs/v/intro", null],
  [
    { protocol: "https", pathname: "/docs{/v:version}?/intro" },
    "https://example.com/docs/intro",
    {},
  ],
  ["https://example.com/a?{q=:q}?", "https://example.com/a", {}],
  ["https://example.com/a?{q=:q}?", "https://example.com/a?q=1", { q: "1" }],
  ["https://example.com/a?b{c}?#{d:e}?", "https://example.com/a?b#dx", {
    e: "x",
  }],
  [
    { pathname: "/a", search: "{q=:q}?", hash: "{h:h}?" },
    "https://example.com/a?q=1#h2",
    { q: "1", h: "2" },
  ],
  [
    { pathname: "/a", search: "{q=:q}?", hash: "{h:h}?" },
    "https://example.com/a",
    {},
  ],
  ["https://{a:t}?.example.com/", "https://ax.example.com/", { t: "x" }],
];

for (const [input, url, params] of rows) {
  const does = params === null ? "does not match" : "matches";
  Deno.test(`${JSON.stringify(input)} ${does} ${url}`, () => {
    assertEquals(paramsOf(new RoutePattern(input), url), params);
  });
}

Deno.test("href() keeps optional parts with fixed text before their param", () => {
  const pattern = new RoutePattern(docs);
  const base = "https://ada.example.com/docs";
  assertEquals(pattern.href({ tenant: "ada" }), `${base}/intro`);
  assertEquals(
    pattern.href({ tenant: "ada", version: 2 }),
    `${base}/v2/intro`,
  );
  assertEquals(
    pattern.prefixed("https://example.com/x").href({ tenant: "ada" }),
    "https://ada.example.com/x/docs/intro",
  );
});

for (
  const input of [
    "https://{sub.}?example{.com/}foo",
    "https://{example.com/}foo",
    { hostname: "example{.com/}foo" },
  ]
) {
  Deno.test(`RoutePattern refuses braces across components: ${JSON.stringify(input)}`, () => {
    assertThrows(() => new RoutePattern(input), TypeError, "Cannot create");
  });
}

for (
  const [input, url, other] of [
    [{ protocol: "http{s}?:" }, "https://a.example/", "ftp://a.example/"],
    [{ search: "?a{b}?" }, "https://a.example/?ab", "https://a.example/?b"],
    [{ hash: "#a{b}?" }, "https://a.example/#a", "https://a.example/#b"],
  ] as const
) {
  Deno.test(`RoutePattern ignores the delimiter of ${JSON.stringify(input)}, as URLPattern does`, () => {
    const pattern = new RoutePattern(input);
    for (const one of [url, other]) {
      const isMatch = new URLPattern(input).test(one);
      assertEquals(isMatch, one === url);
      assertEquals(paramsOf(pattern, one) !== null, isMatch);
    }
  });
}
