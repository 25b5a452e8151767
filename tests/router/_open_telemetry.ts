import type {
  OpenTelemetry,
  TelemetryAttributes,
  TelemetryContext,
  TelemetrySpan,
} from "@gatehouse/web/middleware";

/** A span that was started, as an exporter would get it. */
export interface RecordedSpan {
  name: string;
  readonly attributes: TelemetryAttributes;
  readonly events: [name: string, attributes: TelemetryAttributes][];
  readonly parentId: string | undefined;
  readonly spanId: string;
  status: number;
  isEnded: boolean;
}

const KEY = Symbol("span");

class Context implements TelemetryContext {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new Context(new Map([...this.#values, [key, value]]));
  }

  deleteValue(key: symbol): Context {
    return this.setValue(key, undefined);
  }
}

export const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/**
 * Creates an implementation of OpenTelemetry that records spans. Its active
 * context ends with the synchronous part of a call, as without a context manager
 * of the runtime.
 */
export function createRecorder() {
  const spans: RecordedSpan[] = [];
  const durations: TelemetryAttributes[] = [];
  const histograms: [name: string, options: unknown][] = [];
  let active: TelemetryContext = new Context();

  function startSpan(
    name: string,
    options: { attributes?: TelemetryAttributes },
    context: TelemetryContext,
  ): TelemetrySpan {
    const parent = context.getValue(KEY) as TelemetrySpan | undefined;
    const recorded: RecordedSpan = {
      name,
      attributes: { ...options.attributes },
      events: [],
      parentId: parent?.spanContext().spanId,
      spanId: String(spans.length + 1).padStart(16, "0"),
      status: 0,
      isEnded: false,
    };
    spans.push(recorded);
    return spanOf(recorded);
  }

  const api: OpenTelemetry = {
    trace: {
      getActiveSpan: () => active.getValue(KEY) as TelemetrySpan | undefined,
      setSpan: (context, span) => context.setValue(KEY, span),
      getTracer: () => ({ startSpan }),
    },
    context: {
      active: () => active,
      with(context, call) {
        const outer = active;
        active = context;
        try {
          return call();
        } finally {
          active = outer;
        }
      },
    },
    propagation: {
      extract(context, headers, getter) {
        const [, id, spanId] = (getter.get(headers, "traceparent") ?? "")
          .split("-");
        if (id === undefined) return context;
        const ids = { traceId: id, spanId: spanId!, traceFlags: 1 };
        return context.setValue(KEY, { spanContext: () => ids });
      },
    },
    metrics: {
      getMeter: () => ({
        createHistogram(name, options) {
          histograms.push([name, options]);
          return {
            record(value, attributes) {
              if (name === "http.server.request.duration" && value >= 0) {
                durations.push(attributes);
              }
            },
          };
        },
      }),
    },
  };
  return { api, spans, durations, histograms };
}

function spanOf(recorded: RecordedSpan): TelemetrySpan {
  const { spanId } = recorded;
  return {
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    updateName: (name) => void (recorded.name = name),
    setAttributes: (attributes) =>
      void Object.assign(recorded.attributes, attributes),
    addEvent: (name, attributes) =>
      void recorded.events.push([name, attributes]),
    setStatus: ({ code }) => void (recorded.status = code),
    end: () => void (recorded.isEnded = true),
  };
}
