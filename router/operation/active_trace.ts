import { type ContextKey, createContextKey } from "../context/context_key.ts";

/** The ids of a span, as in the context of a span of OpenTelemetry. */
export interface TraceIds {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly traceId: string;
  /** The id of the span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The flags. The lowest bit is set if the span is sampled. */
  readonly traceFlags: number;
  /** The state of other tracing systems. */
  readonly traceState?: { serialize(): string } | undefined;
}

/** The context key of the function that returns the ids of the active span. */
export const ActiveTrace: ContextKey<(() => TraceIds | undefined) | null> =
  /* @__PURE__ */ createContextKey<(() => TraceIds | undefined) | null>(null, {
    name: "telemetry",
  });
