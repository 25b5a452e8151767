import { assertEquals } from "@std/assert";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { until } from "../_wait.ts";

/** Logs in batches and returns the lines written so far. */
const application = `
import { createRouter } from "@gatehouse/web/fetch-router";
import { batchOutput, logger } from "@gatehouse/web/logger-middleware";

const written = [];
const output = batchOutput({ ms: 100, flush: (text) => void written.push(text) });
const router = createRouter({
  middleware: [logger({
    format: ({ url, status, protocol }) => [url, status, protocol].join(" "),
    skip: ({ url }) => url.pathname === "/written",
    output,
  })],
});
router.get("/written", () => Response.json(written));
export default router;
`;

Deno.test("batchOutput() on workerd writes after the response, for requests of any duration", async () => {
  await using worker = await startWorker({ script: await bundle(application) });
  const get = async (path: string) =>
    await (await fetch(new URL(path, worker.url))).text();

  await Promise.all([get("/a"), get("/a")]);
  // Each request ends long before its line is due.
  await until(async () => await get("/written") !== "[]");
  assertEquals(JSON.parse(await get("/written")), [
    "/a 404 HTTP/1.1\n/a 404 HTTP/1.1\n",
  ]);

  await get("/b");
  await until(async () => JSON.parse(await get("/written")).length > 1);
  assertEquals(JSON.parse(await get("/written"))[1], "/b 404 HTTP/1.1\n");
});
