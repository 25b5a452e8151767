import { createRouter } from "@gatehouse/web/fetch-router";

/** Responds with bodies of known, declared and unknown length and type. */
export function createApp(): ReturnType<typeof createRouter> {
  const router = createRouter();
  router.get("/text", () => new Response("hello"));
  router.get(
    "/told",
    () => new Response("hello", { headers: { "Content-Length": "5" } }),
  );
  router.get("/stream", () => new Response(new Blob(["hello"]).stream()));
  router.get("/typed", () => {
    return new Response(new Blob(["a {}"], { type: "text/css" }));
  });
  router.get("/none", () => new Response(null));
  router.get("/empty", () => new Response(null, { status: 204 }));
  return router;
}
