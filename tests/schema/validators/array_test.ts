import { array, parseSafe, string } from "@gatehouse/web/data-schema";
import { length, maxLength } from "@gatehouse/web/data-schema/checks";
import { assertEquals } from "@std/assert";

Deno.test("array() rejects a long array before it reads the items", () => {
  let count = 0;
  const Item = string().refine(() => ++count > 0);
  const Short = array(Item).pipe(maxLength(3));

  assertEquals(parseSafe(Short, Array(1_000_000).fill("a")).success, false);
  assertEquals(count, 0);
});

Deno.test("array() checks its length after its items", () => {
  const Pair = array(string()).pipe(length(2));
  assertEquals(parseSafe(Pair, ["a"]).success, false);
  assertEquals(parseSafe(Pair, ["a", "b"]).success, true);
  assertEquals(parseSafe(Pair, ["a", 1]).success, false);
});
