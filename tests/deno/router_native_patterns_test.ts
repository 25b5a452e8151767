import { assertEquals } from "@std/assert";
import { programFile } from "./_programs.ts";

/**
 * Runs in a separate process, because it replaces URLPattern with a counting
 * class.
 */
const PROGRAM = `
const Native = URLPattern;
let built = 0;
globalThis.URLPattern = class extends Native {
  constructor(...args) {
    super(...args);
    built++;
  }
};
const { ArrayMatcher, RoutePattern } = await import("@gatehouse/web/fetch-router");
const counts = [];
const matcher = new ArrayMatcher();
for (const text of ["/", "/a/:b", "/:a-:b", "/*", "/{:a}?/b", "/é/:x+", "/a/../b"]) {
  matcher.add("GET", new RoutePattern(text), null);
  matcher.match("GET", "https://example.com/x-y/z");
  matcher.match("GET", "https://example.com/a/../b");
  matcher.allowedMethods("https://example.com/a");
}
matcher.add("GET", new RoutePattern({ pathname: "/init" }), null);
counts.push(built);
new RoutePattern("/a").urlPattern;
counts.push(built);
new RoutePattern("/:a(\\\\d+)");
counts.push(built);
console.log(counts.join());
`;

Deno.test("the library creates a URLPattern for a path only if it is requested", async () => {
  await using program = await programFile(PROGRAM);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-c", program.config, program.path],
  }).output();
  assertEquals(new TextDecoder().decode(stdout), "0,1,1\n");
});
