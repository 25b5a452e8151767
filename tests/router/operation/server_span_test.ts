import { createRouter } from "@gatehouse/web/fetch-router";
import { telemetry } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { createRecorder } from "../_open_telemetry.ts";

const origin = "https://example.com";

Deno.test("telemetry() uses the active span of the server, and ends no span of others", async () => {
  const { api, durations, spans } = createRecorder();
  const router = createRouter({ middleware: [telemetry({ api })] });
  router.get("/users/:id", () => {
    throw new TypeError("bug");
  });
  const active = api.context.active();
  const server = api.trace.getTracer("server").startSpan("GET", {}, active);
  const rpc: { route?: string } = {};
  const key = Symbol.for("OpenTelemetry SDK Context Key RPC_METADATA");
  const served = api.trace.setSpan(active, server).setValue(key, rpc);
  using _console = captureConsole();
  await api.context.with(served, () => router.fetch(`${origin}/users/7`));
  const [{ attributes, isEnded, name }] = spans as [typeof spans[0]];
  assertEquals([name, isEnded, spans.length], ["GET /users/:id", false, 1]);
  assertEquals(attributes, {
    "http.route": "/users/:id",
    "error.type": "TypeError",
  });
  assertEquals(rpc, { route: "/users/:id" });
  assertEquals(durations, []);
});
