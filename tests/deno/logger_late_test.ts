import { assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Log, logger } from "@gatehouse/web/logger-middleware";
import { serveLocally } from "./_serve.ts";
import { turns } from "../_wait.ts";

Deno.test("context.get(Log) has trusted ids after the response on Deno, in any format", async () => {
  const lines: string[] = [];
  const read = Promise.withResolvers<void>();
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
    read.promise.then(() => {
      log.info("late");
      late.resolve(log.requestId);
    });
    return new Response("ok");
  });
  await using server = serveLocally(router.fetch);
  const response = await fetch(`http://localhost:${server.addr.port}/`, {
    headers: { "X-Request-Id": "abc" },
  });
  await response.text();
  await turns(5);
  read.resolve();
  assertEquals(await late.promise, "abc");
  assertEquals(lines.length, 2);
  assertMatch(lines[1]!, /late.*abc/);
});
