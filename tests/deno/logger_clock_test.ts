/** Times in log lines, by a clock that a test sets. */
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  Log,
  logger,
  type LoggerOptions,
} from "@gatehouse/web/logger-middleware";

async function linesOf(
  options: LoggerOptions,
  handle = () => {},
): Promise<string[]> {
  const lines: string[] = [];
  const output = (line: string) => void lines.push(line);
  const router = createRouter({
    middleware: [
      logger({ colors: false, output, messages: output, ...options }),
    ],
  });
  router.get("/", (context) => {
    handle();
    context.get(Log).info("Hello");
    return new Response(null, { status: 204 });
  });
  await router.fetch("https://example.com/");
  return lines;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

Deno.test("logger() names each month as Apache does (spec B.2)", async () => {
  for (const [index, month] of MONTHS.entries()) {
    const now = () => Date.UTC(2026, index, 5, 1, 2, 3);
    const [, line] = await linesOf({ format: "combined", now });
    assertEquals(
      line,
      `- - - [05/${month}/2026:01:02:03 +0000] "GET / HTTP/1.1" 204 - "-" "-"`,
    );
  }
});

Deno.test("logger() rounds milliseconds to the nearest (spec B.2)", async () => {
  for (const [elapsed, shown] of [[0.4, 0], [1.4, 1], [1.6, 2]] as const) {
    for (const format of ["short", "dev"] as const) {
      let time = 0;
      const options = { format, now: () => time };
      const [, line] = await linesOf(options, () => time += elapsed);
      assertEquals(line, `GET / 204 ${shown}ms`);
    }
  }
});

for (const names of ["ecs", "opentelemetry"] as const) {
  Deno.test(`logger() writes the times of its clock in the format json with the names ${names}`, async () => {
    let time = Date.UTC(2026, 10, 5, 1, 2, 3);
    const options = { format: "json", names, now: () => time } as const;
    const lines = await linesOf(options, () => time += 1_500);
    const [message, line] = lines.map((each) => JSON.parse(each));
    const field = names === "ecs" ? "@timestamp" : "timestamp";
    assertEquals(message[field], "2026-11-05T01:02:04.500Z");
    assertEquals(line[field], "2026-11-05T01:02:03.000Z");
  });
}
