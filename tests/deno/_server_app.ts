import { createRouter, Platform } from "@gatehouse/web/fetch-router";
import { formData, secureHeaders } from "@gatehouse/web/middleware";
import { turns } from "../_wait.ts";

/** Answers a WebSocket upgrade in the way of the runtime that runs this. */
export type Upgrade = (
  request: Request,
  platform: readonly unknown[],
) => Response;

/** Creates the application that every runtime serves in these tests. */
export function createServerApp(
  upgrade: Upgrade = () => new Response(null, { status: 501 }),
): ReturnType<typeof createRouter> {
  const router = createRouter({ middleware: [secureHeaders(), formData()] });
  router.get("/address", (context) => new Response(context.remoteAddress));
  router.get("/stream", () => new Response(countTo(3)));
  router.get("/endless", () => new Response(countTo(Infinity)));
  router.post("/upload", (context) => {
    return new Response(`${[...context.get(FormData)].length} fields`);
  });
  router.get(
    "/ws",
    (context) => upgrade(context.request, context.get(Platform)),
  );
  router.get("/throws", () => {
    throw new Error("internal secret");
  });
  for (const area of ["admin", "public"]) {
    router.get(`/${area}/*`, ({ url }) => {
      const isNamed = url.pathname.startsWith(`/${area}/`);
      return new Response(
        `${area} ${isNamed ? "named" : "NOT NAMED"} ${url.pathname}`,
      );
    });
  }
  return router;
}

function countTo(last: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let count = 0;
  return new ReadableStream({
    async pull(controller) {
      await turns(5);
      if (++count > last) controller.close();
      else controller.enqueue(encoder.encode(`${count};`));
    },
  });
}
