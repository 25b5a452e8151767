/** Regexp groups: accepted syntax, and linear time. */
import { ArrayMatcher, RoutePattern } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import { nativeParams } from "../_oracle.ts";
import { paramsOf } from "../_params.ts";

const origin = "https://example.com";
const uuid = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}";
const id = "123e4567-e89b-12d3-a456-426614174000";

Deno.test("eight params with a regexp for UUIDs match in one path", () => {
  const names = [..."abcdefgh"];
  for (const group of [uuid, "[\\w-]+", "[^/]+", "[\\da-f-]{36}"]) {
    const pattern = new RoutePattern(
      names.map((name) => `/${name}/:${name}(${group})`).join(""),
    );
    const path = names.map((name) => `/${name}/${id}`).join("");
    const params = Object.fromEntries(names.map((name) => [name, id]));
    assertEquals(paramsOf(pattern, origin + path), params, group);
    assertEquals(paramsOf(pattern, `${origin}${path}/`), null, group);
    assertEquals(pattern.href(params), path, group);
  }
});

Deno.test("a regexp group with a dash or a slash matches 10,000 characters", () => {
  const long = "ab-".repeat(3_333) + "c";
  for (
    const group of ["[a-z-]+", ".+", "(?:[a-z]+-?)+", "[a-z]+(?:-[a-z]+)*"]
  ) {
    const pattern = new RoutePattern(`/x/:slug(${group})`);
    assertEquals(paramsOf(pattern, `${origin}/x/${long}`), { slug: long });
  }
});

/** Groups that take a backtracking engine seconds or much longer. */
const slow = [
  "(?:[a-z0-9]+-?)+",
  "(?:a+)+",
  "(?:a|aa)+",
  "(?:a*)*",
  "(?:a|a)*?",
  "a*a*a*a*a*a*a*a*",
  "(?:(?:a{1,3}){1,3}){1,3}(?:a?){30}",
  "[^!]*[^!]*[^!]*[^!]*[^!]*[^!]*",
];

for (const group of slow) {
  Deno.test(`"/:slug(${group})" rejects 2,000 characters at once`, () => {
    const pattern = new RoutePattern(`/:slug(${group})`);
    const matcher = new ArrayMatcher<null>();
    matcher.add("GET", pattern, null);
    // A backtracking engine would not finish.
    assertEquals(
      matcher.match("GET", `${origin}/${"a".repeat(2_000)}!/`),
      null,
    );
    const short = paramsOf(pattern, `${origin}/aaa`);
    assertEquals(short, { slug: "aaa" });
    assertEquals(short, { ...nativeParams(pattern, `${origin}/aaa`) });
  });
}

/** Syntax that at least one runtime rejects or interprets differently. */
const refused: [group: string, reason: string][] = [
  ["(?=a).*", "no lookaround"],
  [".*(?<!a)", "no lookaround"],
  ["(?<year>\\d+)", "no groups but (?:…)"],
  ["((a))", "no groups but (?:…)"],
  ["a&b[a&&b]", "not all runtimes accept [a&&b] with the same meaning"],
  ["[[a]]", "not all runtimes accept [[a] with the same meaning"],
  ["[\\w--\\d]", "not all runtimes accept "],
  ["[^]", "not all runtimes accept [^] with the same meaning"],
  ["[]", "not all runtimes accept [] with the same meaning"],
  ["(?:a)\\1", "not all runtimes accept \\1 with the same meaning"],
  ["\\-", "not all runtimes accept \\- with the same meaning"],
  ["\\cA", "not all runtimes accept \\c with the same meaning"],
  ["\\0", "not all runtimes accept \\0 with the same meaning"],
  ["é", "not all runtimes accept é"],
  ["^a", "without ^ it means the same"],
  ["a$", "without $ it means the same"],
  ["\\b+a", "there is nothing that + can repeat"],
  ["[(])", "it has a ) too many"],
  ["(?:[)]", "a ( has no )"],
  ["(?:(?:a{999}){999}){999}", "a regexp group repeats too many characters"],
];

for (const [group, reason] of refused) {
  Deno.test(`new RoutePattern() rejects a regexp group on every runtime: (${group})`, () => {
    const source = `/:x(${group})`;
    const error = assertThrows(
      () => new RoutePattern(source),
      TypeError,
      `Cannot create the pattern "${source}": a regexp group `,
    );
    assertEquals(error.message.includes(reason), true, error.message);
  });
}

Deno.test("consecutive groups with large repeats match", () => {
  const pattern = new RoutePattern(
    "/:a(x{500})/:b(y{500})-:c(z{0,500})/:d(.{900})",
  );
  const values = ["x", "y", "z"].map((letter) => letter.repeat(500));
  const path = `/${values[0]}/${values[1]}-${values[2]}/${"!".repeat(900)}`;
  assertEquals(Object.keys(paramsOf(pattern, origin + path)!), [..."abcd"]);
  assertEquals(paramsOf(pattern, `${origin}${path}!`), null);
});

/** Classes that Bun and workerd reject unless they are escaped. */
const portable: [group: string, value: string, native: string][] = [
  ["[a-z-]+", "a-b", "[a-z\\-]+"],
  ["[-a-z]+", "a-b", "[\\-a-z]+"],
  ["[\\w-]+", "a-b", "[\\w\\-]+"],
  ["[^/]+", "a", "[^\\/]+"],
  ["[^-/]+", "a", "[^\\-\\/]+"],
  ["[a|b]+", "a", "[a\\|b]+"],
  ["[--.]+", "-.", "[\\--.]+"],
];

for (const [group, value, native] of portable) {
  Deno.test(`a class that one runtime requires escaped works on all: ${group}`, () => {
    const inputs = [
      `/x/:a(${group})`,
      `https://example.com/x/:a(${group})`,
      { pathname: `/x/:a(${group})`, protocol: "https" },
    ];
    for (const input of inputs) {
      const pattern = new RoutePattern(input);
      assertEquals(paramsOf(pattern, `${origin}/x/${value}`), { a: value });
      assertEquals(pattern.urlPattern.pathname, `/x/:a(${native})`);
      assertEquals(
        pattern.prefixed("/p").href({ a: value }).endsWith(`/p/x/${value}`),
        true,
      );
    }
  });
}
