/**
 * The request log, in one file: lines for people or for machines, what stays
 * out of them, and your own lines.
 *
 * Run it with `deno task example:request-log`, then try
 *
 *     curl http://localhost:8000/orders/7?token=s3cret
 *     curl http://localhost:8000/fails
 *     curl http://localhost:8000/health
 *
 * `deno task example:request-log json` writes JSON instead, many lines at once.
 */
import { createRouter, type FetchFunction } from "@gatehouse/web/fetch-router";
import {
  batchOutput,
  isSecretName,
  Log,
  logger,
  type LoggerOptions,
} from "@gatehouse/web/logger-middleware";

/** Creates the application, with a log in the given format and output. */
export function createApp(
  options: Pick<LoggerOptions, "format" | "output"> = {},
): { readonly fetch: FetchFunction } {
  const router = createRouter({
    middleware: [
      // First, so that the time includes the other middleware.
      logger({
        ...options,
        // Health checks that succeed say nothing.
        skip: ({ url }, { ok }) => ok && url.pathname === "/health",
        // Codes, tokens, keys and the like are left out anyway.
        redact: (name) => isSecretName(name) || name === "email",
        ids: { respond: true },
      }),
    ],
  });
  router.get("/health", () => new Response("OK"));
  router.get("/orders/:id", (context) => {
    const { id } = context.params;
    context.get(Log).info("Order was looked at", { order: id });
    return Response.json({ id });
  });
  // The log holds only the name of the error: its message may hold secrets.
  router.get("/fails", () => {
    throw new RangeError("Out of stock");
  });
  return router;
}

if (import.meta.main) {
  const address = { hostname: "127.0.0.1", port: 8000 };
  if (Deno.args[0] === "json") {
    await using output = batchOutput();
    const { fetch } = createApp({ format: "json", output });
    const server = Deno.serve(address, fetch);
    // The remaining lines are written before the process ends.
    Deno.addSignalListener("SIGINT", () => server.shutdown());
    await server.finished;
  } else {
    Deno.serve(address, createApp().fetch);
  }
}
