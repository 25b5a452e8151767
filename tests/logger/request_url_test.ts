import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";

// In a separate file, because only the first request of a process counts.
Deno.test("logger() writes scheme and host of the first request too", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      format: ({ scheme, host }) => `${scheme} ${host}`,
      output: (line) => lines.push(line),
    })],
  });
  await router.fetch("http://localhost/");
  assertEquals(lines, ["http localhost"]);
});
