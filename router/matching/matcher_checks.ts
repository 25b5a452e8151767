import type { Matcher } from "./matcher.ts";
import { RoutePattern } from "../pattern/route_pattern.ts";

/** Creates a matcher without routes. */
export type CreateMatcher = () => Matcher<string>;

/** A test of the suite: its name, and a function that runs it. */
export type MatcherCheck = readonly [
  name: string,
  run: (create: CreateMatcher) => void,
];

const ORIGIN = "https://example.com";

/** Patterns, a path, and the params if the pattern matches. */
const PATHS: readonly (readonly [string, string, string | null])[] = [
  ["/", "/", "{}"],
  ["/users", "/users", "{}"],
  ["/users", "/users/", null],
  ["/users", "/Users", null],
  ["/users/:id", "/users/7", '{"id":"7"}'],
  ["/users/:id", "/users/", null],
  ["/users/:id", "/users/7/8", null],
  ["/users/:id?", "/users", "{}"],
  ["/:id?", "/", "{}"],
  ["/:id?", "/7", '{"id":"7"}'],
  ["/:a/:b", "/x/y", '{"a":"x","b":"y"}'],
  ["/@:user", "/@ada", '{"user":"ada"}'],
  ["/:year-:month", "/2026-11-21", '{"year":"2026","month":"11-21"}'],
  ["/:file.:ext", "/a.b.c", '{"file":"a","ext":"b.c"}'],
  ["/:id(\\d+)", "/7", '{"id":"7"}'],
  ["/:id(\\d+)", "/x", null],
  ["/files/*", "/files/a/b", '{"0":"a/b"}'],
  ["/files/*", "/files/", '{"0":""}'],
  ["/files/*", "/files", null],
  ["/files/:path+", "/files/a/b", '{"path":"a/b"}'],
  ["/files/:path+", "/files/a//b", null],
  ["/files/:path*", "/files", "{}"],
  ["{/:lang}?/docs", "/docs", "{}"],
  ["{/:lang}?/docs", "/en/docs", '{"lang":"en"}'],
  ["/*/edit", "/a/b/edit", '{"0":"a/b"}'],
  ["/a//b", "/a//b", "{}"],
  ["/é", "/%C3%A9", "{}"],
  ["/:a", "/%C3%A9", '{"a":"é"}'],
  ["/:a", "/a%2Fb", '{"a":"a/b"}'],
  ["/:a", "/%zz", '{"a":"%zz"}'],
  ["/:a", "/x?y=/z#/w", '{"a":"x"}'],
  ["https://:t.example.com/", "/", null],
];

/** A path, and patterns that match it from the most to the least specific. */
const ORDERS: readonly (readonly [string, ...string[]])[] = [
  ["/a", "/a", "/:x(a)", "/:x", "/*"],
  ["/a-b", "/a-b", "/a-:x", "/:x-:y", "/:x", "/:x+"],
  ["/a/b", "/a/b", "/a/:x", "/a/*", "/:x/b", "/:x/:y", "/*"],
  ["/a", "https://example.com/*", "https://:x.com/a", "/a"],
  ["/a", "https://example.com/*", "/a"],
  ["/en/about", "{/:lang}?/about", "/:category/:slug"],
  ["/", "/", "{/:lang}?", "/*"],
];

const RULES: readonly MatcherCheck[] = [
  ["match() returns null if no route matches", (create) => {
    expect("match", create().match("GET", `${ORIGIN}/`), null);
  }],
  ["match() compares the host", (create) => {
    const matcher = withRoutes(create, [["GET", "https://:t.example.com/a"]]);
    const match = matcher.match("GET", "https://x.example.com/a");
    expect("params.t", match?.params.t, "x");
    expect("match", matcher.match("GET", "http://x.example.com/a"), null);
  }],
  ["match() ignores case if the pattern does", (create) => {
    const matcher = create();
    const pattern = new RoutePattern("/Users/:id", { ignoreCase: true });
    matcher.add("GET", pattern, "user");
    const match = matcher.match("GET", `${ORIGIN}/uSERS/Ada`);
    expect("params.id", match?.params.id, "Ada");
  }],
  ["params inherit nothing", (create) => {
    const matcher = withRoutes(create, [["GET", "/:a"]]);
    const params = matcher.match("GET", `${ORIGIN}/x`)!.params;
    expect("prototype", Object.getPrototypeOf(params), null);
  }],
  ["of routes that are equally specific, the first one wins", (create) => {
    const routes = [["GET", "/:x-b"], ["GET", "/a-:x"]] as const;
    for (const order of [routes, routes.toReversed()]) {
      const match = withRoutes(create, order).match("GET", `${ORIGIN}/a-b`);
      expect("winner", match?.data, order[0]!.join(" "));
    }
  }],
  ["a route of the method wins over an equal one for any method", (create) => {
    const routes = [["ANY", "/a"], ["GET", "/:x"], ["ANY", "/:x"]] as const;
    for (const order of [routes, routes.toReversed()]) {
      const matcher = withRoutes(create, order);
      expect("GET", matcher.match("GET", `${ORIGIN}/b`)?.data, "GET /:x");
      expect("PUT", matcher.match("PUT", `${ORIGIN}/b`)?.data, "ANY /:x");
      expect("GET", matcher.match("GET", `${ORIGIN}/a`)?.data, "ANY /a");
    }
  }],
  ["HEAD falls back to GET if no HEAD route matches", (create) => {
    const matcher = withRoutes(create, [
      ["GET", "/a"],
      ["HEAD", "/:x"],
      ["ANY", "/b/c"],
      ["GET", "/b/*"],
    ]);
    expect("/a", matcher.match("HEAD", `${ORIGIN}/a`)?.data, "HEAD /:x");
    expect("/b/c", matcher.match("HEAD", `${ORIGIN}/b/c`)?.data, "ANY /b/c");
    expect("/b/d", matcher.match("HEAD", `${ORIGIN}/b/d`)?.data, "GET /b/*");
  }],
  ["add() throws a RangeError for an equivalent pattern", (create) => {
    const matcher = withRoutes(create, [["GET", "/users/:id"]]);
    const pattern = new RoutePattern("/users/:name");
    let error: unknown = null;
    try {
      matcher.add("GET", pattern, "again");
    } catch (thrown) {
      error = thrown;
    }
    expect("RangeError", error instanceof RangeError, true);
    matcher.add("POST", pattern, "another method");
    expect(
      "GET",
      matcher.match("GET", `${ORIGIN}/users/7`)?.data,
      "GET /users/:id",
    );
  }],
  ["allowedMethods() lists the methods that have a route", (create) => {
    const matcher = withRoutes(create, [
      ["POST", "/a"],
      ["GET", "/a"],
      ["DELETE", "/:x"],
      ["ANY", "/any"],
    ]);
    const allowed = (path: string) =>
      matcher.allowedMethods(ORIGIN + path).join();
    expect("/a", allowed("/a?x"), "DELETE,GET,HEAD,POST");
    expect("/any", allowed("/any"), "DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT");
    expect("/x/y", allowed("/x/y"), "");
  }],
];

/** Returns the tests of the contract of a matcher. */
export function matcherChecks(): MatcherCheck[] {
  return [...PATHS.map(pathCheck), ...ORDERS.map(orderCheck), ...RULES];
}

function pathCheck(
  [pattern, path, params]: typeof PATHS[number],
): MatcherCheck {
  return [
    params === null
      ? `"${pattern}" does not match "${path}"`
      : `"${pattern}" matches "${path}" with ${params}`,
    (create) => {
      const matcher = withRoutes(create, [["GET", pattern]]);
      const match = matcher.match("GET", ORIGIN + path);
      expect(
        "data",
        match?.data,
        params === null ? undefined : `GET ${pattern}`,
      );
      expect(
        "params",
        match && sorted(match.params),
        params && sorted(JSON.parse(params)),
      );
    },
  ];
}

function orderCheck(
  [path, ...patterns]: typeof ORDERS[number],
): MatcherCheck {
  return [
    `of "${path}", the order is ${patterns.join("  ")}`,
    (create) => {
      for (let first = 0; first < patterns.length; first++) {
        const rest = patterns.slice(first);
        for (const order of [rest, rest.toReversed()]) {
          const routes = order.map((pattern) => ["GET", pattern] as const);
          const match = withRoutes(create, routes).match("GET", ORIGIN + path);
          expect("winner", match?.data, `GET ${rest[0]}`);
        }
      }
    },
  ];
}

function withRoutes(
  create: CreateMatcher,
  routes: readonly (readonly [method: string, pattern: string])[],
): Matcher<string> {
  const matcher = create();
  for (const [method, pattern] of routes) {
    matcher.add(method, new RoutePattern(pattern), `${method} ${pattern}`);
  }
  return matcher;
}

function sorted(params: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(params).sort());
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  throw new Error(
    `${what} is ${JSON.stringify(actual)}, expected ${
      JSON.stringify(expected)
    }`,
  );
}
