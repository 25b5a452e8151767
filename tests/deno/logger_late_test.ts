import { assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Log, logger } from "@gatehouse/web/logger-middleware";

Deno.test("context.get(Log) has trusted ids after the response on Deno, in any format", async () => {
  const lines: string[] = [];
  const late = Promise.withResolvers<string>();
  const router = createRouter({
    middleware: [logger({
      format: "short",
      output: (line) => lines.push(line),
      ids: { trust: true },
    })],
  });
  router.get("/", (context) => {
    const log = context.get(Log);
    setTimeout(() => {
      log.info("late");
      late.resolve(log.requestId);
    }, 100);
    return new Response("ok");
  });
  await using server = Deno.serve({ port: 0, onListen() {} }, router.fetch);
  const response = await fetch(`http://localhost:${server.addr.port}/`, {
    headers: { "X-Request-Id": "abc" },
  });
  await response.text();
  assertEquals(await late.promise, "abc");
  assertEquals(lines.length, 2);
  assertMatch(lines[1]!, /late.*abc/);
});
