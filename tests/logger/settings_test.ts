import { assertEquals, assertThrows } from "@std/assert";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { logger, type LoggerOptions } from "@gatehouse/web/logger-middleware";
import { linesOf } from "./_lines.ts";

Deno.test("logger() throws for unknown options", () => {
  const wrong: [unknown, new (message: string) => Error, string][] = [
    [{ format: "tiny" }, TypeError, 'unknown format "tiny"'],
    [{ format: "json", names: "gelf" }, TypeError, 'unknown names "gelf"'],
    [{ sample: { rate: 2 } }, RangeError, "not between 0 and 1"],
    [{ sample: { rate: NaN } }, RangeError, "not between 0 and 1"],
    [{ ids: { header: "a b" } }, TypeError, "not a header name"],
  ];
  for (const [options, kind, message] of wrong) {
    assertThrows(() => logger(options as LoggerOptions), kind, message);
  }
});

const draws: [what: string, path: string, random: number, logged: boolean][] = [
  ["a request that is drawn", "/", 0.09, true],
  ["a request that is not drawn", "/", 0.1, false],
  ["a client's error that is not drawn", "/nowhere", 0.9, false],
  ["a server's error", "/status/503", 0.9, true],
  ["a throw", "/throw", 0.9, true],
];

for (const [what, path, random, logged] of draws) {
  Deno.test(`logger() with a sample ${logged ? "logs" : "excludes"} ${what}`, async () => {
    const sample = { rate: 0.1, random: () => random };
    assertEquals((await linesOf({ sample }, path)).length, logged ? 1 : 0);
  });
}

Deno.test("logger() with a sample logs slow requests", async () => {
  const sample = { rate: 0, slow: 0, random: () => 0.9 };
  assertEquals((await linesOf({ sample })).length, 1);
});

Deno.test("logger() with a sample measures requests whose lines have no time", async () => {
  const lines: string[] = [];
  let now = 1_000;
  const slow: Middleware<readonly []> = () => {
    now += 30;
  };
  const router = createRouter({
    middleware: [
      logger({
        format: "combined",
        now: () => now,
        output: (line) => lines.push(line),
        sample: { rate: 0, slow: 25 },
      }),
      slow,
    ],
  });
  await router.fetch("https://example.com/");
  assertEquals(lines.length, 1);
});
