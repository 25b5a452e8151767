import { assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Log, logger } from "@gatehouse/web/logger-middleware";
import { captureConsole } from "../_console.ts";
import { idsOf } from "../router/operation/_ids.ts";

Deno.test("context.get(Log) has the same ids as the line", async () => {
  const { requestId, traceId, traceparent, line } = await idsOf({});
  assertEquals(line, `${requestId} ${traceId}`);
  assertMatch(requestId, /^[\w-]{36}$/);
  assertMatch(traceparent, new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
});

Deno.test("context.get(Log) writes to the output, escaped, with the request id", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [
      logger({ format: "short", output: (line) => lines.push(line) }),
    ],
  });
  router.get("/", (context) => {
    const log = context.get(Log);
    log.info("plain");
    log.error('a\n"b"\x1b', { 'na"me x': 'v"\n', none: undefined, no: null });
    return new Response(log.requestId);
  });
  const id = await (await router.fetch("https://example.com/")).text();
  assertEquals(lines.slice(0, 2), [
    `info: plain request_id="${id}"`,
    `error: a\\n\\"b\\"\\x1b na\\"me\\x20x="v\\"\\n" no="null" request_id="${id}"`,
  ]);
});

Deno.test("context.get(Log) does not write to an access log in the combined format", async () => {
  const lines: string[] = [];
  using calls = captureConsole();
  const router = createRouter({
    middleware: [
      logger({ format: "combined", output: (line) => lines.push(line) }),
    ],
  });
  router.get("/", (context) => {
    context.get(Log).info("plain");
    return new Response();
  });
  await router.fetch("https://example.com/");
  assertEquals(lines.length, 1);
  assertMatch(String(calls.printed[0]), /^info: plain request_id="/);
});

Deno.test("context.get(Log) writes to the messages option, and never throws", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      output: () => {},
      messages: (line) => {
        lines.push(line);
        throw new Error("full");
      },
    })],
  });
  router.get("/", (context) => {
    context.get(Log).warn("low");
    return new Response();
  });
  using _console = captureConsole();
  assertEquals((await router.fetch("https://example.com/")).status, 200);
  assertMatch(lines[0], /^warn: low /);
});
