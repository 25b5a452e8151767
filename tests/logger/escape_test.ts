import { assert, assertEquals, assertMatch } from "@std/assert";
import { lineOf, rawRequest } from "./_raw_request.ts";

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
