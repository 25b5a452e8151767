import { eventStream } from "@gatehouse/web/content";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";

/** Creates an application with an endless stream, and the number that ended. */
export function createApp(): Router {
  let ended = 0;
  const router = createRouter();
  router.get(
    "/events",
    (context) =>
      eventStream(context, async function* ({ lastEventId, signal }) {
        try {
          yield { id: Number(lastEventId) + 1, data: "Hello" };
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
        } finally {
          ended++;
        }
      }, { heartbeat: 30 }),
  );
  router.get("/fast", (context) =>
    eventStream(context, async function* () {
      for (let id = 1; id <= 2000; id++) {
        await Promise.resolve();
        yield { id, data: "x".repeat(1000) };
      }
    }));
  router.get("/ended", () => Response.json(ended));
  return router as Router;
}
