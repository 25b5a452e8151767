import { parseSafe, string } from "@gatehouse/web/data-schema";
import {
  length,
  maxLength,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import { assertEquals } from "@std/assert";

Deno.test("lengths of strings are counted in characters, also with unpaired surrogates", () => {
  // One unit, a pair, and two halves that do not form a pair.
  for (const text of textsOf(["a", "\u{1f600}", "\ude00", "\ud83d"], 4)) {
    const size = [...text].length;
    for (let bound = 0; bound <= text.length + 1; bound++) {
      const passes = [minLength, maxLength, length].map((check) =>
        parseSafe(string().pipe(check(bound)), text).success
      );
      assertEquals(passes, [size >= bound, size <= bound, size === bound]);
    }
  }
});

/** Returns all strings of up to so many parts. */
function textsOf(parts: readonly string[], count: number): string[] {
  if (count === 0) return [""];
  return textsOf(parts, count - 1)
    .flatMap((text) => ["", ...parts].map((part) => text + part));
}

Deno.test("minLength() and maxLength() count code points for every mix of characters", () => {
  const parts = ["a", "ä", "\u{1f600}", "\ud800", "e\u0301"];
  for (let seed = 0; seed < 3000; seed++) {
    let text = "";
    for (let rest = seed; rest > 0; rest = Math.floor(rest / 5)) {
      text += parts[rest % 5];
    }
    const size = [...text].length;
    for (const [least, most] of [[1, 3], [2, 4], [3, 3], [0, 5]] as const) {
      const schema = string().pipe(minLength(least), maxLength(most));
      assertEquals(
        parseSafe(schema, text).success,
        size >= least && size <= most,
        `${JSON.stringify(text)} from ${least} to ${most}`,
      );
    }
  }
});
