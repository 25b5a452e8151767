import type { Middleware, NextFunction, RequestContext } from "../mod.ts";
import { ActiveTrace } from "./active_trace.ts";
import type {
  OpenTelemetry,
  TelemetryAttributes,
  TelemetryHistogram,
  TelemetrySpan,
} from "./opentelemetry.ts";
import {
  compact,
  describeSpan,
  HEADERS,
  nameOf,
  SCOPE,
  ServerSpanOptions,
  traceIdsOf,
} from "./_server_span.ts";
import { type SecurityReport, withReceiver } from "./security_event.ts";

/** Options for {@linkcode telemetry}. */
export interface TelemetryOptions {
  /** The module `@opentelemetry/api`. */
  readonly api: OpenTelemetry;
  /**
   * `true` to continue the trace of the caller, or a function that decides for
   * each request. It applies to spans that this middleware starts.
   *
   * Trust: anyone can send these headers. Continue a trace only behind your own
   * proxies that set, check or remove them.
   *
   * @default {false}
   */
  readonly trust?: boolean | ((context: RequestContext) => boolean);
}

/**
 * Creates a middleware that names the span of a request after its route, such as
 * `GET /users/:id`, and adds `http.route`. Put it first.
 *
 * If the runtime or an instrumentation has started a span, as Deno does, it uses
 * that span. Otherwise it starts one, and records `http.server.request.duration`.
 * The lines of `logger()` get the ids of the active span. A login adds the event
 * `session.start`, and a logout `session.end`.
 *
 * Spans that it starts have neither the query nor the message of an error, which
 * may contain secrets. They have the path, so put no secret into it.
 *
 * @example Without an SDK, requests work as before
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as api from "npm:@opentelemetry/api@1.9.0";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { telemetry } from "@gatehouse/web/middleware";
 *
 * const router = createRouter({ middleware: [telemetry({ api })] });
 * router.get("/users/:id", ({ params }) => new Response(params.id));
 *
 * const response = await router.fetch("https://example.com/users/7");
 * assertEquals(await response.text(), "7");
 * ```
 *
 * @param options The module of OpenTelemetry.
 * @returns The middleware.
 * @throws {TypeError} If `api` is not the module.
 * @see {@link https://opentelemetry.io/docs/specs/semconv/http/http-spans/ | Semantic conventions for HTTP spans}
 */
export function telemetry(
  { api, trust = false }: TelemetryOptions,
): Middleware<readonly []> {
  if (!api?.trace?.getActiveSpan) {
    throw new TypeError("Cannot create telemetry: api has no trace");
  }
  const recordDuration = createDurationRecorder(api);
  return (context, next) => {
    // A mounted router must not start a second span.
    if (context.get(ActiveTrace) !== null) return next();
    const { trace } = api;
    const { request } = context;
    const server = trace.getActiveSpan();
    const isOwn = server === undefined;
    let parent = api.context.active();
    if (isOwn && (typeof trust === "function" ? trust(context) : trust)) {
      parent = api.propagation.extract(parent, request.headers, HEADERS);
    }
    const span = server ?? trace.getTracer(SCOPE).startSpan(
      nameOf(request),
      new ServerSpanOptions(context),
      parent,
    );
    // There is nothing to record without an SDK.
    const ids = traceIdsOf(span);
    if (!ids) return next();
    context.set(ActiveTrace, () => traceIdsOf(trace.getActiveSpan()) ?? ids);
    return api.context.with(
      isOwn ? trace.setSpan(parent, span) : parent,
      () => completeSpan(api, context, span, isOwn && recordDuration, next),
    );
  };
}

/** Records the duration of a request in milliseconds. */
type RecordDuration = (
  duration: number,
  attributes: TelemetryAttributes,
) => void;

function createDurationRecorder(api: OpenTelemetry): RecordDuration {
  let histogram: TelemetryHistogram | undefined;
  return (duration, attributes) => {
    // The application may register its SDK after it creates the router.
    histogram ??= api.metrics.getMeter(SCOPE).createHistogram(...DURATION);
    histogram.record(duration / 1000, attributes);
  };
}

/**
 * Completes a span, and ends it unless the server has started it.
 *
 * @param recordDuration `false` for the span of a server.
 */
async function completeSpan(
  api: OpenTelemetry,
  context: RequestContext,
  span: TelemetrySpan,
  recordDuration: RecordDuration | false,
  next: NextFunction,
): Promise<Response> {
  const start = performance.now();
  const isOwn = recordDuration !== false;
  // The metric of @opentelemetry/instrumentation-http reads this value.
  const rpc = api.context.active().getValue(RPC_METADATA) as
    | { route?: unknown }
    | undefined;
  try {
    const response = await withReceiver(context, sessionEvents(span), next);
    const attributes = describeSpan(span, context, response, isOwn);
    if (rpc) rpc.route = attributes["http.route"];
    if (isOwn) recordDuration(performance.now() - start, attributes);
    return response;
  } finally {
    if (isOwn) span.end();
  }
}

/** The key of the route in the context of a server's span on Node. */
const RPC_METADATA = /* @__PURE__ */ Symbol.for(
  "OpenTelemetry SDK Context Key RPC_METADATA",
);

/** The metric of the conventions for HTTP, with its buckets in seconds. */
const DURATION = ["http.server.request.duration", {
  unit: "s",
  advice: {
    // deno-fmt-ignore -- One number per line would take a page.
    explicitBucketBoundaries: [
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ],
  },
}] as const;

/** Returns a function that adds the events of a session to a span. */
function sessionEvents(
  span: TelemetrySpan,
): (report: SecurityReport) => void {
  return ({ action, outcome, previousSessionId, sessionId, userId }) => {
    const name = action === "login"
      ? "session.start"
      : action === "logout" && "session.end";
    if (!name || outcome === "failure") return;
    const attributes = compact({
      "session.id": sessionId,
      "session.previous_id": previousSessionId,
      "user.id": userId !== undefined && String(userId),
    });
    span.addEvent(name, attributes);
  };
}
