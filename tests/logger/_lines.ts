import { createRouter } from "@gatehouse/web/fetch-router";
import { logger, type LoggerOptions } from "@gatehouse/web/logger-middleware";

/** Returns the lines of one request to a router with several routes. */
export async function linesOf(
  options: LoggerOptions,
  path = "/",
  init: RequestInit = {},
): Promise<string[]> {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({ output: (line) => lines.push(line), ...options })],
    onError: () => new Response("Internal Server Error", { status: 500 }),
  });
  router.get(
    "/",
    () => new Response("Hello", { headers: { "Content-Length": "5" } }),
  );
  router.get(
    "/status/:code",
    ({ params }) => new Response(null, { status: Number(params.code) }),
  );
  router.get("/users/:id", () => new Response("user"));
  router.get("/throw", () => {
    throw new RangeError("secret");
  });
  await router.fetch(`https://example.com${path}`, init);
  return lines;
}
