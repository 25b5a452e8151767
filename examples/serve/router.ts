/** The router that the servers in this folder serve. */
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";

export const router = createRouter({ middleware: [logger()] });

router.get("/", (context) => {
  return new Response(`Hello ${context.remoteAddress ?? "whoever you are"}`);
});
router.get("/hello/:name", ({ params }) => {
  return new Response(`Hello ${params.name}`);
});
