/** Links of `href`, and their params after matching. */
import { RoutePattern } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { paramsOf } from "../_params.ts";
import { Random } from "../_random.ts";
import { randomPattern } from "../_random_patterns.ts";

type Params = Record<string, string | number | undefined>;

const LINKS: readonly (readonly [string, Params, string])[] = [
  ["/", {}, "/"],
  ["/users/:id", { id: 7 }, "/users/7"],
  ["/users/:id", { id: "a b" }, "/users/a%20b"],
  ["/users/:id", { id: "a/b" }, "/users/a%2Fb"],
  ["/users/:id", { id: "a?b#c%" }, "/users/a%3Fb%23c%25"],
  ["/users/:id", { id: "日本" }, "/users/%E6%97%A5%E6%9C%AC"],
  ["/users/:id", { id: "..." }, "/users/..."],
  ["/users/:id", { id: "7", other: "x" }, "/users/7"],
  ["/users/:id?", {}, "/users"],
  ["/users/:id?", { id: undefined }, "/users"],
  ["/users/:id?", { id: "7" }, "/users/7"],
  ["/@:user.:ext", { user: "ada", ext: "json" }, "/@ada.json"],
  ["/files/*", { 0: "a/b c" }, "/files/a/b%20c"],
  ["/files/*", { 0: "" }, "/files/"],
  ["/:path+", { path: "a/b" }, "/a/b"],
  ["/a{/:b-:c}?".replace("-:c", ""), { b: "x" }, "/a/x"],
  ["/a{b}?", {}, "/a"],
  ["/a{b}+", {}, "/ab"],
  ["/é", {}, "/%C3%A9"],
  ["/a\\:b", {}, "/a:b"],
  ["/:id(\\d+)", { id: 7 }, "/7"],
  ["https://:t.example.com/:a", { t: "x", a: "y" }, "https://x.example.com/y"],
  ["http://localhost:8000/", {}, "http://localhost:8000/"],
  ["/*", { 0: "/evil.example" }, "/%2Fevil.example"],
];

for (const [pattern, params, link] of LINKS) {
  Deno.test(`href(${JSON.stringify(params)}) of "${pattern}" is "${link}"`, () => {
    assertEquals(new RoutePattern(pattern).href(params), link);
  });
}

const SEARCHES = [
  [{ q: "a b&c" }, "/a?q=a+b%26c"],
  [{ q: 1, on: true, off: undefined }, "/a?q=1&on=true"],
  [{ tag: ["x", "y"] }, "/a?tag=x&tag=y"],
  [{}, "/a"],
  [new URLSearchParams({ q: "é" }), "/a?q=%C3%A9"],
  [new URLSearchParams(), "/a"],
] as const;

for (const [search, link] of SEARCHES) {
  Deno.test(`href() writes the search params of "${link}"`, () => {
    assertEquals(new RoutePattern("/a").href({}, search), link);
  });
}

Deno.test("href() adds search params to those of the pattern", () => {
  const pattern = new RoutePattern({ pathname: "/a", search: "q=:q" });
  assertEquals(pattern.href({ q: "1" }, { page: 2 }), "/a?q=1&page=2");
});

Deno.test("href() encodes search and hash", () => {
  const pattern = new RoutePattern({
    pathname: "/a",
    search: "q=:q",
    hash: ":part",
  });
  const link = pattern.href({ q: "1&x=2#y", part: "é" });
  assertEquals(link, "/a?q=1%26x%3D2%23y#%C3%A9");
  const url = `https://example.com${link}`;
  assertEquals(paramsOf(pattern, url), { q: "1&x=2#y", part: "é" });
});

const HOSTS = [
  "evil.example/",
  "evil.example#",
  "a@evil.example:80/",
  "a.b",
  "",
];

for (const tenant of HOSTS) {
  Deno.test(`href() rejects the tenant "${tenant}"`, () => {
    for (const search of [{}, { search: "q=:q" }]) {
      const pattern = new RoutePattern({
        protocol: "https",
        hostname: ":tenant.example.com",
        pathname: "/:a",
        ...search,
      });
      assertThrows(
        () => pattern.href({ tenant, a: "x", q: "y" }),
        TypeError,
        "Cannot build a URL of",
      );
      const link = pattern.href({ tenant: "ada", a: "x", q: "y" });
      assert(link.startsWith("https://ada.example.com/x"), link);
    }
  });
}

const REFUSED: readonly (readonly [string, Params, string])[] = [
  ["/:a/:b/:c", { b: "x" }, 'the params "a", "c" are missing'],
  ["/:a", { a: undefined }, 'the params "a" are missing'],
  ["/:toString", {}, 'the params "toString" are missing'],
  ["/*", {}, 'the params "0" are missing'],
  ["/:a", { a: "" }, 'no URL carries the params "a"'],
  ["/:a?", { a: "" }, 'no URL carries the params "a"'],
  ["/:a", { a: "." }, 'no URL carries the params "a"'],
  ["/:a", { a: ".." }, 'no URL carries the params "a"'],
  ["/*", { 0: "a/../b" }, 'no URL carries the params "0"'],
  ["/:a+", { a: "a/./b" }, 'no URL carries the params "a"'],
  ["/:a-:b", { a: "x-y", b: "z" }, 'no URL carries the params "a", "b"'],
  ["/:a?/:b?", { b: "x" }, 'no URL carries the params "a", "b"'],
  ["/:a+", { a: "x//y" }, 'no URL carries the params "a"'],
  ["/:id(\\d+)", { id: "x" }, 'no URL carries the params "id"'],
  ["/.:a", { a: "." }, 'no URL carries the params "a"'],
  ["//:a", { a: "x" }, 'no URL carries the params "a"'],
  ["/:a", { a: "\ud800" }, 'no URL carries the params "a"'],
];

for (const [pattern, params, reason] of REFUSED) {
  Deno.test(`href() of "${pattern}" throws a TypeError: ${reason}`, () => {
    assertThrows(
      () => new RoutePattern(pattern).href(params),
      TypeError,
      `Cannot build a URL of "${pattern}": ${reason}`,
    );
  });
}

const PIECES = [
  "a",
  "7",
  "x y",
  "é",
  "日本",
  "😀",
  "a/b",
  "/",
  "//",
  "%",
  "%41",
  "%2F",
  "?",
  "#",
  ".",
  "..",
  "...",
  ".a",
  "-",
  "",
  "a-b",
  "a.b",
  "\\",
  "\t",
  "\n",
  "&",
  "+",
  ":",
  "@",
  ";",
  "\u0000",
  "\ud800",
  "__proto__",
  "http://evil",
  "/evil.example",
  "users",
];

Deno.test("href() of random params matches with the same params, or throws", () => {
  const random = new Random(9);
  let [built, refused] = [0, 0];
  for (let i = 0; i < 4_000; i++) {
    const pattern = randomValid(random);
    if (pattern === null) continue;
    const params = randomParams(random, pattern);
    let link: string;
    try {
      link = pattern.href(params);
    } catch (error) {
      assert(error instanceof TypeError, String(error));
      refused++;
      continue;
    }
    built++;
    const url = new URL(link, "https://example.com");
    const shown = `${pattern} ${JSON.stringify(params)} ${link}`;
    assertEquals(url.origin, "https://example.com", shown);
    const found = paramsOf(pattern, url.href);
    assertEquals(found, params, shown);
  }
  assert(built > 500 && refused > 500, `${built} built, ${refused} refused`);
});

Deno.test("href() never leads to another host by the value of a wildcard", () => {
  const random = new Random(3);
  for (let i = 0; i < 2_000; i++) {
    const pattern = new RoutePattern(
      random.pick(["/*", "*", "/*/*", "/:a*", "{/:a}?/*"]),
    );
    const params = Object.fromEntries(
      pattern.paramNames.map((
        name,
      ) => [name, random.array(0, 3, () => random.pick(PIECES)).join("")]),
    );
    let link: string;
    try {
      link = pattern.href(params);
    } catch {
      continue;
    }
    const { origin } = new URL(link, "https://example.com");
    assertEquals(origin, "https://example.com", JSON.stringify(link));
    assert(!/^[/\\]{2}/.test(link), link);
  }
});

/** Creates a pattern without regexps, whose params would be hard to generate. */
function randomValid(random: Random): RoutePattern | null {
  const text = randomPattern(random);
  if (text.includes("(")) return null;
  try {
    return new RoutePattern(text);
  } catch {
    return null;
  }
}

function randomParams(
  random: Random,
  { paramNames }: RoutePattern,
): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of paramNames) {
    if (random.chance(0.05)) continue;
    params[name] = random.chance(0.7)
      ? random.pick(PIECES.slice(0, 6))
      : random.array(1, 2, () => random.pick(PIECES)).join("");
  }
  return params;
}
