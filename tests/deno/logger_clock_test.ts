/** Times in log lines, by clocks that a test sets. */
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger, type LoggerOptions } from "@gatehouse/web/logger-middleware";

async function lineOf(format: LoggerOptions["format"]): Promise<string> {
  const lines: string[] = [];
  const output = (line: string) => void lines.push(line);
  const router = createRouter({
    middleware: [logger({ format, colors: false, output })],
  });
  router.get("/", () => new Response(null, { status: 204 }));
  await router.fetch("https://example.com/");
  return lines.join("\n");
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

Deno.test("logger() names each month as Apache does (spec B.2)", async () => {
  const { now } = Date;
  try {
    for (const [index, month] of MONTHS.entries()) {
      Date.now = () => Date.UTC(2026, index, 5, 1, 2, 3);
      assertEquals(
        await lineOf("combined"),
        `- - - [05/${month}/2026:01:02:03 +0000] "GET / HTTP/1.1" 204 - "-" "-"`,
      );
    }
  } finally {
    Date.now = now;
  }
});

Deno.test("logger() rounds milliseconds to the nearest (spec B.2)", async () => {
  const now = performance.now.bind(performance);
  try {
    for (const [elapsed, shown] of [[0.4, 0], [1.4, 1], [1.6, 2]]) {
      let calls = 0;
      performance.now = () => calls++ === 0 ? 0 : elapsed!;
      for (const format of ["short", "dev"] as const) {
        calls = 0;
        assertEquals(await lineOf(format), `GET / 204 ${shown}ms`);
      }
    }
  } finally {
    performance.now = now;
  }
});
