import type { TraceIds } from "./active_trace.ts";

/** The attributes of a span or of a metric. */
export type TelemetryAttributes = Record<string, string | number>;

/** A span of OpenTelemetry. */
export interface TelemetrySpan {
  /** Returns the ids of the span. */
  spanContext(): TraceIds;
  /** Changes the name. */
  updateName(name: string): unknown;
  /** Adds attributes. */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /** Adds an event. */
  addEvent(name: string, attributes: TelemetryAttributes): unknown;
  /** Sets the status. */
  setStatus(status: { readonly code: number }): unknown;
  /** Ends the span. */
  end(): void;
}

/** The values of OpenTelemetry that functions pass to the functions they call. */
export interface TelemetryContext {
  /** Returns a value. */
  getValue(key: symbol): unknown;
  /** Returns a context with another value. */
  setValue(key: symbol, value: unknown): TelemetryContext;
  /** Returns a context without a value. */
  deleteValue(key: symbol): TelemetryContext;
}

/** Reads the headers of a request. */
export interface TelemetryGetter {
  /** Returns a header. */
  get(headers: Headers, name: string): string | undefined;
  /** Returns the names of all headers. */
  keys(headers: Headers): string[];
}

/** Creates spans. */
export interface TelemetryTracer {
  /** Starts a span. */
  startSpan(
    name: string,
    options: object,
    context: TelemetryContext,
  ): TelemetrySpan;
}

/** Creates metrics. */
export interface TelemetryMeter {
  /** Creates a metric of durations. */
  createHistogram(name: string, options: object): TelemetryHistogram;
}

/** A metric of durations. */
export interface TelemetryHistogram {
  /** Adds a value. */
  record(value: number, attributes: TelemetryAttributes): void;
}

/** The parts of `@opentelemetry/api` that `telemetry()` needs. */
export interface OpenTelemetry {
  /** Creates and finds spans. */
  readonly trace: {
    /** Returns the span of the code that is running. */
    getActiveSpan(): TelemetrySpan | undefined;
    /** Returns a context with a span. */
    setSpan(context: TelemetryContext, span: TelemetrySpan): TelemetryContext;
    /** Returns the tracer of a library. */
    getTracer(name: string): TelemetryTracer;
  };
  /** Passes contexts on. */
  readonly context: {
    /** Returns the context of the code that is running. */
    active(): TelemetryContext;
    /** Calls a function with a context. */
    with<Result>(context: TelemetryContext, call: () => Result): Result;
  };
  /** Reads the context of the caller from headers. */
  readonly propagation: {
    /** Returns a context with the caller's span. */
    extract(
      context: TelemetryContext,
      headers: Headers,
      getter: TelemetryGetter,
    ): TelemetryContext;
  };
  /** Creates metrics. */
  readonly metrics: {
    /** Returns the meter of a library. */
    getMeter(name: string): TelemetryMeter;
  };
}
