import * as api from "npm:@opentelemetry/api@1.9.0";
import {
  MeterProvider,
  MetricReader,
} from "npm:@opentelemetry/sdk-metrics@2.2.0";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "npm:@opentelemetry/sdk-trace-base@2.2.0";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { telemetry } from "@gatehouse/web/middleware";

/** Keeps the active span across `await`, on runtimes with async hooks. */
function createContextManager(): api.ContextManager | undefined {
  if (!("process" in globalThis)) return undefined;
  const { AsyncLocalStorage } = globalThis.process
    .getBuiltinModule("node:async_hooks");
  const storage = new AsyncLocalStorage<api.Context>();
  const manager: api.ContextManager = {
    active: () => storage.getStore() ?? api.ROOT_CONTEXT,
    with: (context, call, self, ...input) =>
      storage.run(context, () => call.apply(self as never, input)),
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** Reads the metrics only on request, without a timer. */
class Reader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Creates an application with the SDK of OpenTelemetry, whose route `/spans`
 * returns the spans, the metrics and the log so far.
 */
export function createApp(): Router {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors }),
  );
  const reader = new Reader();
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const manager = createContextManager();
  if (manager !== undefined) api.context.setGlobalContextManager(manager);

  const lines: unknown[] = [];
  const log = logger({
    format: "json",
    output: (line) => void lines.push(JSON.parse(line)),
  });
  const router = createRouter({ middleware: [telemetry({ api }), log] });
  router.get("/users/:id", async () => {
    await Promise.resolve();
    return new Response(api.trace.getActiveSpan()?.spanContext().spanId);
  });
  router.get("/spans", async () => {
    const spans = exporter.getFinishedSpans().map((span) => {
      const { attributes, kind, name } = span;
      return { name, kind, attributes, ...span.spanContext() };
    });
    const { resourceMetrics } = await reader.collect();
    const points = resourceMetrics.scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ dataPoints, descriptor }) =>
        dataPoints.map(({ attributes }) => [descriptor.name, attributes])
      );
    return Response.json({ spans, points, lines });
  });
  return router as Router;
}
