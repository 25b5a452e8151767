import type { RequestContext } from "../context/context.ts";
import type { TraceIds } from "./active_trace.ts";
import type {
  TelemetryAttributes,
  TelemetryGetter,
  TelemetrySpan,
} from "./opentelemetry.ts";

/** The name of the tracer and of the meter. */
export const SCOPE = "@gatehouse/web";

/** The kind of spans that handle a request (OpenTelemetry, SpanKind). */
const SERVER = 1;

/** The status of spans that failed (OpenTelemetry, SpanStatusCode). */
const ERROR = 2;

/** The methods that conventions know. Clients could invent any number. */
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

/** The maximum number of characters in a value from the network. */
const MAX_LENGTH = 1024;

/** Returns the ids of a span if it belongs to a trace. */
export function traceIdsOf(
  span: TelemetrySpan | undefined,
): TraceIds | undefined {
  const ids = span?.spanContext();
  // All ids are zeros without an SDK.
  return ids && parseInt(ids.traceId, 16) ? ids : undefined;
}

/** Reads the trace of the caller from headers. */
export const HEADERS: TelemetryGetter = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/**
 * The options of the span of a request. It is a class, because V8 takes over 1
 * µs for an object literal with a getter.
 */
export class ServerSpanOptions {
  readonly kind = SERVER;
  readonly context: RequestContext;

  constructor(context: RequestContext) {
    this.context = context;
  }

  /**
   * The attributes. This is a getter, because nothing reads them without an
   * SDK, and parsing the URL takes over 1 µs.
   */
  get attributes(): TelemetryAttributes {
    const { request, url } = this.context;
    // The query may contain secrets, and the address is personal data.
    return compact({
      ...metricAttributes(request, url),
      "url.path": url.pathname,
      "server.address": url.hostname,
      "server.port": Number(url.port),
    });
  }
}

/**
 * Sets the name of a span to its route, and adds the attributes of the response.
 *
 * @param isOwn `false` if an instrumentation of the server created the span.
 * @returns The attributes of the metric.
 */
export function describeSpan(
  span: TelemetrySpan,
  { error, request, routePath, url }: RequestContext,
  { status }: Response,
  isOwn: boolean,
): TelemetryAttributes {
  const isError = status >= 500;
  if (routePath) span.updateName(`${nameOf(request)} ${routePath}`);
  // The message of an error may contain secrets.
  const { name = status } = Object(error);
  const attributes = compact({
    "http.route": routePath,
    "error.type": isError && String(name),
    "http.response.status_code": isOwn && status,
  });
  span.setAttributes(attributes);
  if (isOwn && isError) span.setStatus({ code: ERROR });
  return { ...metricAttributes(request, url), ...attributes };
}

/** Returns the attributes that spans and metrics share. */
function metricAttributes({ method }: Request, { protocol }: URL) {
  return {
    "http.request.method": METHODS.test(method) ? method : "_OTHER",
    "url.scheme": protocol.slice(0, -1),
  };
}

/** Returns the name of a span without a route. */
export function nameOf({ method }: Request): string {
  return METHODS.test(method) ? method : "HTTP";
}

/** Removes empty attributes, and shortens the others. */
export function compact(
  attributes: Record<string, string | number | false | null | undefined>,
): TelemetryAttributes {
  const compacted: TelemetryAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!value) continue;
    compacted[name] = typeof value === "string"
      ? value.slice(0, MAX_LENGTH)
      : value;
  }
  return compacted;
}
