import { createRouter } from "@gatehouse/web/fetch-router";
import {
  Log,
  logger,
  type LogIdOptions,
} from "@gatehouse/web/logger-middleware";

export interface Ids {
  readonly requestId: string;
  readonly traceId: string;
  readonly traceparent: string;
  /** The line. */
  readonly line: string;
  /** The header of the response. */
  readonly header: string | null;
}

export async function idsOf(
  headers: Record<string, string>,
  ids?: LogIdOptions,
): Promise<Ids> {
  let line = "";
  const router = createRouter({
    middleware: [logger({
      format: ({ requestId, traceId }) => `${requestId} ${traceId}`,
      output: (one) => line = one,
      ids,
    })],
  });
  router.get("/", (context) => {
    const log = context.get(Log);
    const { requestId, traceId } = log;
    const { traceparent } = log.traceHeaders();
    return Response.json({ requestId, traceId, traceparent });
  });
  const response = await router.fetch("https://example.com/", { headers });
  const header = response.headers.get("X-Request-Id");
  return { ...await response.json(), line, header };
}
