import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";

/** Answers as the Apache of these tests does, and logs in its format. */
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
