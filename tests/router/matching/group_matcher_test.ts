import { RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { nativeParams } from "../_oracle.ts";
import { paramsOf } from "../_params.ts";

const optional = [
  ["/a*?", "/a"],
  ["/a{*}?", "/a"],
  ["/a{*}?/b", "/a/b"],
  ["/a(.*)?", "/a"],
  ["/x{*}?{:a}?", "/x"],
] as const;

for (const [pattern, path] of optional) {
  Deno.test(`an empty optional group of "${pattern}" is missing from the params`, () => {
    const url = `https://example.com${path}`;
    assertEquals(paramsOf(new RoutePattern(pattern), url), {});
    const native = nativeParams(new RoutePattern(pattern), url);
    assertEquals(native && { ...native }, {});
  });
}

const escaped = [
  ["/a\\\n/:b", "/a/x", { b: "x" }],
  ["/a\\/:b?", "/a/", {}],
  ["/a\\/:b?", "/a", null],
  ["/a\\/:b?", "/a/x", { b: "x" }],
  ["/a\\/:b+", "/a/x/y", null],
] as const;

for (const [pattern, path, params] of escaped) {
  Deno.test(`an escaped character is not part of the next group: ${JSON.stringify(pattern)} on "${path}"`, () => {
    const url = `https://example.com${path}`;
    assertEquals(paramsOf(new RoutePattern(pattern), url), params);
    const native = nativeParams(new RoutePattern(pattern), url);
    assertEquals(native && { ...native }, params);
  });
}

Deno.test("a group with the default regexp has no limit, with or without an escaped slash", () => {
  const long = "a".repeat(5_000);
  for (const source of ["/:x([^/]+?)", "/:x([^\\/]+?)"]) {
    const pattern = new RoutePattern(source);
    assertEquals(paramsOf(pattern, `https://e.com/${long}`), { x: long });
  }
});

Deno.test("a colon stays literal if dot segments reach beyond it", () => {
  const pattern = new RoutePattern("/:x{-/../../\\:1}");
  assertEquals(pattern.paramNames, ["x"]);
});
