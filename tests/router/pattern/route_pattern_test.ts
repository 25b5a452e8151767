import { createRouter, RoutePattern } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { assertEquals, assertThrows } from "@std/assert";

// Invalid values that callers without types may pass as a pattern.

const origin = "https://example.com";
const ok = () => new Response("ok");

Deno.test("router.get() accepts a RoutePattern and does not match other paths with it", async () => {
  const { login } = route({ login: "/login" });
  const ignoring = new RoutePattern("/kilo", { ignoreCase: true });
  const router = createRouter();
  router.get(login.pattern as unknown as string, ok);
  router.map(ignoring as unknown as string, ok);
  const statuses = await Promise.all(
    ["/login", "/admin/secret", "/KILO", "/"].map(async (path) =>
      (await router.fetch(origin + path)).status
    ),
  );
  assertEquals(statuses, [200, 404, 200, 404]);
  assertEquals(
    router.routes.map(({ pattern }) => pattern),
    ["/login", "/kilo"],
  );
});

const others: [string, unknown][] = [
  ["no component", {}],
  ["a component that is undefined", { pathname: undefined }],
  ["another property", { path: "/a" }],
  ["a list", ["/a"]],
  ["a RoutePattern", new RoutePattern("/a")],
  ["a number", 5],
  ["a function", ok],
  ["null", null],
  ["undefined", undefined],
];

for (const [name, input] of others) {
  Deno.test(`new RoutePattern() throws a TypeError for ${name} instead of matching every URL`, () => {
    assertThrows(
      () => new RoutePattern(input as string),
      TypeError,
      "it names no component of a URL",
    );
  });
}

const inits: [URLPatternInit, string][] = [
  [{ pathname: "" }, ""],
  [{ hash: "a" }, "*#a"],
  [{ baseURL: "https://example.com/a" }, "https://example.com/a?#"],
  [
    { pathname: "x", baseURL: "https://example.com/b/c" },
    "https://example.com/b/x",
  ],
  [{ username: "ada" }, "*"],
  [Object.create({ pathname: "/a" }), "/a"],
];

for (const [init, source] of inits) {
  Deno.test(`new RoutePattern(${JSON.stringify(init)}) has the source "${source}"`, () => {
    assertEquals(new RoutePattern(init).source, source);
  });
}

Deno.test("a path that contains a URL is a path", () => {
  const pattern = new RoutePattern("/to/https\\://:host");
  assertEquals(pattern.source, "/to/https\\://:host");
  assertEquals(pattern.href({ host: "a.example" }), "/to/https://a.example");
});

for (
  const [input, path, other] of [
    [{ pathname: "/Kilo" }, "/Kilo", "/kILO"],
    [{ pathname: "/kilo/:id" }, "/kilo/7", "/KILO/7"],
    [{ pathname: "/kilo/:id(\\d+)?" }, "/kilo/7", "/Kilo/7"],
    [{ pathname: "{/a}?/kilo/*" }, "/kilo/a", "/KILO/a"],
    [{ hostname: "example.com", pathname: "/kilo" }, "/kilo", "/KILO"],
  ] as const
) {
  Deno.test(`a URLPattern of ${JSON.stringify(input)} matches with the ignoreCase that it was created with`, async () => {
    for (const ignoreCase of [true, false]) {
      const router = createRouter();
      router.get(
        new URLPattern(input, { ignoreCase }),
        () => new Response("ok"),
      );
      const statuses = await Promise.all(
        [path, other].map(async (each) =>
          (await router.fetch(origin + each)).status
        ),
      );
      assertEquals(statuses, [200, ignoreCase ? 200 : 404]);
    }
  });
}

Deno.test("new RoutePattern() requires ignoreCase if a URLPattern does not expose it", () => {
  const input = new URLPattern({ pathname: "/kilo/:id(\\d{4}-\\d{2})" });
  assertThrows(
    () => new RoutePattern(input),
    TypeError,
    "set the option ignoreCase",
  );
  assertEquals(
    new RoutePattern(input, { ignoreCase: false }).paramNames,
    ["id"],
  );
});
