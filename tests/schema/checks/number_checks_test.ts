import { number, parseSafe } from "@gatehouse/web/data-schema";
import { max, min, multipleOf } from "@gatehouse/web/data-schema/checks";
import { assertEquals, assertThrows } from "@std/assert";

Deno.test("multipleOf() rejects a step that is not a positive number", () => {
  for (const step of [0, -1, NaN, Infinity]) {
    assertThrows(() => multipleOf(step), RangeError);
  }
});

Deno.test("min() and max() agree with their bounds for unusual numbers and bounds", () => {
  const bounds = [-Infinity, -1, -0, 0, 2.5, Number.MAX_VALUE, Infinity, NaN];
  const values = [...bounds, 1, 3, Number.MIN_VALUE, -Number.MAX_VALUE];
  for (const bound of bounds) {
    for (const value of values) {
      const isFinite = Number.isFinite(value);
      assertEquals(
        parseSafe(number().pipe(min(bound)), value).success,
        isFinite && value >= bound,
      );
      assertEquals(
        parseSafe(number().pipe(min(bound), max(2)), value).success,
        isFinite && value >= bound && value <= 2,
      );
    }
  }
  assertEquals(parseSafe(number().pipe(min(2n)), 1).success, false);
  assertEquals(parseSafe(number().pipe(min(2n)), 2).success, true);
});
