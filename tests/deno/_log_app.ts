import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";

/** Responds like the Apache of these tests, and logs in its format. */
export function createLogApp(output: (line: string) => void): Router {
  const router = createRouter({
    middleware: [
      logger({ format: "combined", countBytes: true, redact: false, output }),
    ],
  });
  const missing = () => new Response("Not Found", { status: 404 });
  router.get("/missing", missing);
  router.get("/moved", () => {
    const headers = { Location: "/", "Content-Type": "text/plain" };
    return new Response("Found", { status: 302, headers });
  });
  router.get("/empty", () => new Response(""));
  router.get("/*", () => new Response("Hello"));
  return router;
}

/**
 * Creates a router with responses that end in every way, and their log at
 * `/lines`.
 */
export function createEndingApp(): Router {
  const lines: unknown[] = [];
  const errors: string[] = [];
  const router = createRouter({
    middleware: [logger({
      countBytes: true,
      format: ({ url, status, outcome, error, contentLength }) =>
        JSON.stringify({ url, status, outcome, error, bytes: contentLength }),
      skip: ({ url }) => ["/lines", "/errors"].includes(url.pathname),
      output: (line) => lines.push(JSON.parse(line)),
    })],
    onError: (error) => {
      errors.push(String(error));
      return new Response("Internal Server Error", { status: 500 });
    },
  });
  router.get("/lines", () => Response.json(lines));
  // The errors passed to `onError`.
  router.get("/errors", () => Response.json(errors));
  router.get("/whole", () => new Response("x".repeat(100_000)));
  router.get(
    "/styles",
    () => new Response(new Blob(["a {}"], { type: "text/css" })),
  );
  // Bun and Workers accept all of these as a stream, unlike the types.
  const { buffer } = new Uint8Array([51, 52, 53]);
  const chunks: unknown[] = ["événement ", "", "2", buffer];
  chunks.push(new DataView(buffer, 1), new Uint16Array(buffer, 0, 1));
  router.get("/chunks", () => {
    return new Response(ReadableStream.from(chunks as Iterable<Uint8Array>));
  });
  router.get("/large", () => new Response(new Uint8Array(50_000_000)));
  router.get("/endless", () => new Response(endless()));
  router.get("/failing", () => new Response(failing()));
  router.get("/throwing", () => {
    throw new RangeError("with a secret");
  });
  router.get(
    "/waiting",
    ({ request: { signal } }) =>
      new Promise((_, reject) => {
        // workerd ends a handler that waits for nothing but its signal.
        const timer = setTimeout(() => reject(new Error("Late")), 30_000);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      }),
  );
  // Does not check if the client is still connected.
  router.get(
    "/slow",
    () =>
      new Promise((resolve) =>
        setTimeout(() => resolve(new Response("Late")), 500)
      ),
  );
  return router;
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.enqueue(new Uint8Array(1000));
    },
  });
}

function failing(): ReadableStream<Uint8Array> {
  let isFirst = true;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (!isFirst) throw new RangeError("with a secret");
      isFirst = false;
      controller.enqueue(new Uint8Array(1000));
    },
  });
}
