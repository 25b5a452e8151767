import type { TraceIds } from "../router/internal.ts";

/** The request ids that are accepted from others. */
const requestIdShape = /^[\w.:-]{1,128}$/;

/**
 * Version, trace id, parent id and flags. Later versions may add unknown fields
 * (W3C Trace Context, sections 3.2 and 4.3). A comma means that the header was
 * sent twice.
 */
const traceparentShape =
  /^(?:00-(?=.{52}$)|(?!ff|00)[\da-f]{2}-)(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(?:-[^,]*)?$/;

/** A member of a `tracestate` (level 2, which allows all keys of level 1). */
const traceStateMember =
  /^[\da-z][\da-z_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/** The trace that a request belongs to. */
export interface Trace {
  readonly traceId: string;
  readonly flags: string;
  /** The state of other tracing systems, or an empty string. */
  readonly tracestate: string;
}

/** Returns the request id of a header, or `undefined` if it is invalid. */
export function readRequestId(id: string | null): string | undefined {
  return id !== null && requestIdShape.test(id) ? id : undefined;
}

/** Reads a trace from its headers. Returns `undefined` if they are invalid. */
export function readTrace(headers: Headers): Trace | undefined {
  const traceparent = headers.get("traceparent") ?? "";
  const [, traceId, flags = ""] = traceparentShape.exec(traceparent) ?? [];
  return traceId === undefined ? undefined : {
    traceId,
    // Every version defines the flag "sampled". The others must be zero.
    flags: (parseInt(flags, 16) & 1) === 1 ? "01" : "00",
    tracestate: readTraceState(headers.get("tracestate") ?? ""),
  };
}

/**
 * Returns a `tracestate` to pass on: empty if any member is invalid or if there
 * are more than 32, and shortened to 512 characters (section 3.3).
 */
function readTraceState(header: string): string {
  const members = header.split(",")
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  if (members.length > 32) return "";
  if (!members.every((member) => traceStateMember.test(member))) return "";
  const isTooLong = () => members.join().length > 512;
  // Members of over 128 characters are removed first, then those at the end
  // (section 3.3.1.5).
  for (let index = members.length - 1; index >= 0 && isTooLong(); index--) {
    if (members[index]!.length > 128) members.splice(index, 1);
  }
  while (isTooLong()) members.pop();
  return members.join();
}

/** Creates a trace that begins with this request. */
export function createTrace(): Trace {
  return { traceId: randomHex(32), flags: "01", tracestate: "" };
}

/** Returns the headers of one outgoing request, with a new parent id. */
export function traceHeadersOf(
  { traceId, flags, tracestate }: Trace,
): Record<string, string> {
  const traceparent = `00-${traceId}-${randomHex(16)}-${flags}`;
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

/** Returns the headers of an outgoing request of a span. */
export function headersOfSpan(
  { spanId, traceFlags, traceId, traceState }: TraceIds,
): Record<string, string> {
  const flags = (traceFlags & 1) === 1 ? "01" : "00";
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

/**
 * The number of digits that are created at a time. One call for each id takes
 * 2.4 µs on Deno.
 */
const poolSize = 64 * 48;

let pool = "";
let used = 0;

/** Returns random digits, as many as a trace id (32) or a span id (16) has. */
export function randomHex(length: 16 | 32): string {
  if (used + length > pool.length) {
    const bytes = crypto.getRandomValues(new Uint8Array(poolSize / 2));
    // An id of zeros is invalid (W3C Trace Context, section 3.2.2.3).
    for (let start = 0; start < bytes.length; start += 8) bytes[start] ||= 1;
    // Node 24 has no toHex.
    pool = bytes.toHex?.() ??
      Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    used = 0;
  }
  return pool.slice(used, used += length);
}
