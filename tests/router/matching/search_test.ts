import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { nativeParams } from "../_oracle.ts";

const origin = "https://example.com";

Deno.test("backtracking removes the params of the abandoned branch", () => {
  const matcher = new ArrayMatcher<string>();
  const patterns = ["/a/:x/c", "/:y/:z/d", "/a/:x/:w/e", "/:p/:q/:r/:s"];
  for (const source of patterns) {
    matcher.add("GET", new RoutePattern(source), source);
  }
  const find = (path: string) => {
    const match = matcher.match("GET", origin + path)!;
    return [match.data, { ...match.params }];
  };
  assertEquals(find("/a/1/c"), ["/a/:x/c", { x: "1" }]);
  assertEquals(find("/a/1/d"), ["/:y/:z/d", { y: "a", z: "1" }]);
  assertEquals(find("/a/1/2/e"), ["/a/:x/:w/e", { x: "1", w: "2" }]);
  assertEquals(find("/a/1/2/f"), ["/:p/:q/:r/:s", {
    p: "a",
    q: "1",
    r: "2",
    s: "f",
  }]);
});

Deno.test("a path with six optional parts matches in each of its 64 forms", () => {
  for (const modifier of ["?", "*"]) {
    const letters = ["a", "b", "c", "d", "e", "f"];
    const source = letters.map((text) => `{/${text}}${modifier}`).join("");
    const params = letters.map((name) => `/:${name}?`).join("");
    for (const each of [`/x${source}`, `${source}/x`, `/x${params}`]) {
      const pattern = new RoutePattern(each);
      const matcher = new ArrayMatcher<string>();
      matcher.add("GET", pattern, "optional");
      // The routes below tie with no form of it.
      matcher.add("GET", new RoutePattern("/*"), "rest");
      for (let form = 0; form < 64; form++) {
        const parts = letters.filter((_, i) => form >> i & 1);
        const path = parts.map((text) => `/${text}`).join("");
        const url = each.startsWith("/x")
          ? `${origin}/x${path}`
          : `${origin}${path}/x`;
        const match = matcher.match("GET", url)!;
        const native = nativeParams(pattern, url)!;
        assertEquals(match.data, "optional", `${each} ${url}`);
        assertEquals({ ...match.params }, { ...native }, `${each} ${url}`);
      }
    }
  }
});
