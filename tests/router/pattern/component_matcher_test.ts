import { createRouter, RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { nativeParams } from "../_oracle.ts";
import { paramsOf } from "../_params.ts";

type Row = readonly [URLPatternInit, string, Record<string, string> | null];

const rows: readonly Row[] = [
  [{ pathname: "/A", search: "Q=:q" }, "https://e.com/a?q=X", { q: "X" }],
  [{ pathname: "/a", search: "q=:q" }, "https://e.com/A?Q=X", { q: "X" }],
  [{ pathname: "/a", search: "q=:q" }, "https://e.com/A?R=X", null],
  [{ pathname: "/A", hash: "Top" }, "https://e.com/a#tOP", {}],
  [{ pathname: "/A", hostname: ":t.E.com" }, "https://X.e.com/a", { t: "x" }],
  [{ pathname: "/{:x-END}?" }, "https://e.com/1-end", { x: "1" }],
  [{ pathname: "/:x(A+)", search: "q=:q" }, "https://e.com/Aa?Q=1", {
    x: "Aa",
    q: "1",
  }],
];

for (const [init, url, params] of rows) {
  const does = params === null ? "does not match" : "matches";
  Deno.test(`${JSON.stringify(init)} ${does} ${url} with ignoreCase`, () => {
    const pattern = new RoutePattern(init, { ignoreCase: true });
    assertEquals(paramsOf(pattern, url), params);
    const native = nativeParams(pattern, url);
    assertEquals(native && { ...native }, params);
  });
}

Deno.test("regexp groups match long strings in each part of a URL", () => {
  const long = "a".repeat(5_000);
  const host = new RoutePattern({ hostname: "(x|y).com", pathname: "/:a/*" });
  assertEquals(paramsOf(host, `https://y.com/${long}/${long}`), {
    // Unnamed groups of the path take precedence.
    0: long,
    a: long,
  });
  const search = new RoutePattern({ pathname: "/*", search: "q=(\\w+)" });
  assertEquals(paramsOf(search, `https://y.com/${long}?q=1`), { 0: long });
  assertEquals(paramsOf(search, `https://y.com/x?q=${long}`), { 0: "x" });
  const segment = new RoutePattern("/:a(\\d+)/*");
  assertEquals(paramsOf(segment, `https://y.com/1/${long}`), {
    a: "1",
    0: long,
  });
});

Deno.test("routes with different search params of one path are distinguished, with the plain one as fallback", async () => {
  const router = createRouter();
  const tell = (name: string) => () => new Response(name);
  router.get({ pathname: "/a", search: "tab=keys" }, tell("keys"));
  router.get({ pathname: "/a", search: "tab=:tab" }, tell("tab"));
  router.get("/a", tell("plain"));
  const text = async (path: string) =>
    await (await router.fetch(`https://example.com${path}`)).text();
  assertEquals(await text("/a?tab=keys"), "keys");
  assertEquals(await text("/a?tab=x"), "tab");
  assertEquals(await text("/a?other"), "plain");
  assertEquals(await text("/a"), "plain");
});

Deno.test("routes for one scheme, port or host do not match others", async () => {
  const router = createRouter();
  router.get({ protocol: "https", pathname: "/a" }, () => new Response("s"));
  router.get({ port: "8000", pathname: "/b" }, () => new Response("p"));
  router.get("https://[\\:\\:1]/c", () => new Response("h"));
  const status = async (url: string) => (await router.fetch(url)).status;
  assertEquals(await status("https://example.com/a"), 200);
  assertEquals(await status("http://example.com/a"), 404);
  assertEquals(await status("http://example.com:8000/b"), 200);
  assertEquals(await status("http://example.com:8001/b"), 404);
  assertEquals(await status("https://[::1]/c"), 200);
  assertEquals(await status("https://[::2]/c"), 404);
});

Deno.test("unnamed groups may have two-digit numbers in each part of a URL", () => {
  const pattern = new RoutePattern({
    pathname: "/*".repeat(11),
    search: "*&".repeat(11),
  });
  const query = "q&".repeat(11);
  const params = paramsOf(pattern, `https://e.com${"/p".repeat(11)}?${query}`);
  assertEquals(params?.[10], "p");
});
