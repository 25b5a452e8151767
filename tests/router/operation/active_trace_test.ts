import { createRouter } from "@gatehouse/web/fetch-router";
import { Log, logger } from "@gatehouse/web/logger-middleware";
import { telemetry } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import { createRecorder, traceId } from "../_open_telemetry.ts";

const origin = "https://example.com";

for (const isFirst of [true, false]) {
  const place = isFirst ? "before" : "after";

  Deno.test(`logger() writes the ids of the active span, with telemetry() ${place} it`, async () => {
    const { api, spans } = createRecorder();
    const lines: Record<string, unknown>[] = [];
    const log = logger({
      format: "json",
      output: (line) => void lines.push(JSON.parse(line)),
    });
    const first = telemetry({ api });
    const list = isFirst ? [first, log] : [log, first];
    const router = createRouter({ middleware: list });
    router.get("/", (context) => {
      const log = context.get(Log);
      log.info("Hello");
      const child = api.trace.getTracer("app")
        .startSpan("child", {}, api.context.active());
      const inside = api.trace.setSpan(api.context.active(), child);
      api.context.with(inside, () => log.info("In a child"));
      const headers = log.traceHeaders();
      return Response.json([headers, Object.keys(headers)]);
    });
    const response = await router.fetch(origin);
    const [{ traceparent }, names] = await response.json();
    // No state of other systems came in.
    assertEquals(names, ["traceparent"]);
    assertEquals(traceparent, `00-${traceId}-${spans[0]!.spanId}-01`);
    assertEquals(lines.map((line) => line["trace.id"]), [
      traceId,
      traceId,
      traceId,
    ]);
    assertEquals(lines.map((line) => line["span.id"]), [
      spans[0]!.spanId,
      spans[1]!.spanId,
      spans[0]!.spanId,
    ]);
  });
}
