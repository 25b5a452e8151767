/** `telemetry()` with the SDK on all runtimes, and with that of Deno itself. */
import { assert, assertEquals, assertExists } from "@std/assert";
import { serveProgram } from "../deno/_programs.ts";
import { runtimesOf } from "../deno/_sockets.ts";
import { until } from "../_wait.ts";
import { serveLocally } from "../deno/_serve.ts";

const APPLICATION = import.meta.resolve("../deno/_telemetry_app.ts");

for (const [name, start] of Object.entries(runtimesOf(APPLICATION))) {
  Deno.test({
    name: `telemetry() and the logger export the same trace on ${name}`,
    // The SDK has its own timers.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using server = await start();
      const get = (path: string) =>
        fetch(`http://127.0.0.1:${server.port}${path}`);
      const active = await (await get("/users/7?token=s3cret")).text();
      const { lines, points, spans } = await (await get("/spans")).json();
      const [span] = spans;
      assertEquals(span.name, "GET /users/:id");
      assertEquals(span.kind, 1);
      assertEquals(span.attributes["http.route"], "/users/:id");
      assertEquals(span.attributes["http.response.status_code"], 200);
      assertEquals(span.attributes["url.path"], "/users/7");
      assert(!JSON.stringify(spans).includes("s3cret"));
      assertEquals(lines[0]["trace.id"], span.traceId);
      assertEquals(lines[0]["span.id"], span.spanId);
      // Workers have no async hooks without node compatibility.
      assertEquals(active, name === "workerd" ? "" : span.spanId);
      assertEquals(lines[0]["http.route"], "/users/:id");
      const [metric, attributes] = points[0];
      assertEquals(metric, "http.server.request.duration");
      assertEquals(attributes["http.route"], "/users/:id");
    },
  });
}

const program = `
import * as api from "npm:@opentelemetry/api@1.9.0";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { telemetry } from "@gatehouse/web/middleware";

const lines = [];
const log = logger({ format: "json", output: (line) => lines.push(line) });
const router = createRouter({ middleware: [telemetry({ api }), log] });
router.get("/users/:id", () => new Response("Ada"));
router.get("/lines", () => new Response(lines[0]));
Deno.serve({ port: Number(Deno.env.get("PORT")) }, router.fetch);
`;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

Deno.test("telemetry() names the spans of Deno's own OpenTelemetry, and the logger their ids", async () => {
  const received = new Map<string, string[]>();
  const collector = serveLocally(async (request) => {
    const { pathname } = new URL(request.url);
    const bodies = received.get(pathname) ?? [];
    received.set(pathname, [...bodies, await request.text()]);
    return Response.json({});
  });
  let line;
  {
    await using server = await serveProgram(program, {
      env: {
        OTEL_DENO: "true",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
        OTEL_BSP_SCHEDULE_DELAY: "50",
        OTEL_METRIC_EXPORT_INTERVAL: "50",
      },
    });
    await (await fetch(`${server.origin}/users/7`)).text();
    line = await (await fetch(`${server.origin}/lines`)).json();
    await until(() =>
      received.get("/v1/traces")?.join().includes("/users/:id") === true &&
      received.get("/v1/metrics")?.join().includes("/users/:id") === true
    );
  }
  await collector.shutdown();

  const span = received.get("/v1/traces")!
    .flatMap((body) => JSON.parse(body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .find(({ name }) => name === "GET /users/:id");
  assertExists(span);
  assertEquals(routeOf(span.attributes), "/users/:id");
  assertEquals(line["trace.id"], span.traceId);
  assertEquals(line["span.id"], span.spanId);
  const routes = received.get("/v1/metrics")!
    .flatMap((body) => JSON.parse(body).resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .filter(({ name }) => name === "http.server.request.duration")
    .flatMap(({ histogram }) => histogram.dataPoints)
    .map(({ attributes }) => routeOf(attributes));
  assert(routes.includes("/users/:id"));
});

function routeOf(attributes: readonly Attribute[]): string | undefined {
  return attributes.find(({ key }) => key === "http.route")?.value.stringValue;
}
