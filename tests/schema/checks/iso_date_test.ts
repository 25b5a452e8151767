import { type Check, parseSafe, string } from "@gatehouse/web/data-schema";
import { isoDate } from "@gatehouse/web/data-schema/checks";
import { assertEquals } from "@std/assert";

const text = (...checks: Check<string>[]) => string().pipe(...checks);

Deno.test("isoDate() accepts exactly the days of the calendar (RFC 3339, section 5.7)", () => {
  const schema = text(isoDate());
  for (const year of [1900, 2000, 2023, 2024]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = [year, month, day]
          .map((part) => String(part).padStart(2, "0")).join("-");
        const time = new Date(Date.UTC(year, month - 1, day));
        const exists = time.toISOString().startsWith(date);
        assertEquals(parseSafe(schema, date).success, exists, date);
      }
    }
  }
});
