import { isToken } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";

/** Options for the ids of requests and traces. */
export interface LogIdOptions {
  /**
   * `true` to continue the request id, the `traceparent` and the `tracestate`
   * of incoming requests, or a function that decides for each request.
   *
   * Trust: anyone can send these headers. Continue them only behind proxies of
   * yours that set, check or remove them.
   *
   * @default {false}
   */
  readonly trust?: boolean | ((context: RequestContext) => boolean);

  /**
   * The header of the request id.
   *
   * @default {"X-Request-Id"}
   */
  readonly header?: string;

  /**
   * `true` to send the request id to the client, in the same header.
   *
   * @default {false}
   */
  readonly respond?: boolean;
}

/** The request ids that are accepted from others. */
const requestIdShape = /^[\w.:-]{1,128}$/;

/**
 * Version, trace id, parent id and flags. Later versions may add fields, of
 * which nothing is known (W3C Trace Context, sections 3.2 and 4.3). A comma
 * means that the header was sent twice.
 */
const traceparentShape =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-[^,]*)?$/;

/** A member of a `tracestate` (level 2, which allows all keys of level 1). */
const traceStateMember =
  /^[\da-z][\da-z_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/** The trace that a request belongs to. */
interface Trace {
  readonly traceId: string;
  readonly flags: string;
  /** The state of other tracing systems, or an empty string. */
  readonly tracestate: string;
}

/** The ids of one request. They are created when they are first read. */
export class RequestIds {
  readonly #incomingId: string = "";
  readonly #traceparent: string = "";
  readonly #tracestate: string = "";
  #requestId: string | undefined;
  #trace: Trace | undefined;
  #spanId: string | undefined;

  /** Copies the trusted headers while the request can be read. */
  constructor(context: RequestContext, { trust, header }: ResolvedIdOptions) {
    if (trust === false || (trust !== true && !trust(context))) return;
    const { headers } = context.request;
    this.#incomingId = headers.get(header) ?? "";
    this.#traceparent = headers.get("traceparent") ?? "";
    this.#tracestate = headers.get("tracestate") ?? "";
  }

  get requestId(): string {
    return this.#requestId ??= requestIdShape.test(this.#incomingId)
      ? this.#incomingId
      : crypto.randomUUID();
  }

  get traceId(): string {
    return this.#currentTrace.traceId;
  }

  get spanId(): string {
    return this.#spanId ??= randomHex(16);
  }

  /** Returns the headers of one outgoing request, with a new parent id. */
  traceHeaders(): Record<string, string> {
    const { traceId, flags, tracestate } = this.#currentTrace;
    const traceparent = `00-${traceId}-${randomHex(16)}-${flags}`;
    return tracestate === "" ? { traceparent } : { traceparent, tracestate };
  }

  get #currentTrace(): Trace {
    return this.#trace ??= continueTrace(this.#traceparent, this.#tracestate) ??
      { traceId: randomHex(32), flags: "01", tracestate: "" };
  }
}

/** Reads a trace from its headers. Returns `null` if they are invalid. */
function continueTrace(traceparent: string, tracestate: string): Trace | null {
  const [, version, traceId, flags = "", rest] =
    traceparentShape.exec(traceparent) ?? [];
  if (traceId === undefined || (version === "00" && rest !== undefined)) {
    return null;
  }
  return {
    traceId,
    // Every version defines the flag "sampled". The others must be zero.
    flags: (parseInt(flags, 16) & 1) === 1 ? "01" : "00",
    tracestate: readTraceState(tracestate),
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
  // Section 3.3.1.5: members of over 128 characters first, then from the end.
  for (let index = members.length - 1; index >= 0 && isTooLong(); index--) {
    if (members[index]!.length > 128) members.splice(index, 1);
  }
  while (isTooLong()) members.pop();
  return members.join();
}

/** The number of digits that are created at a time: each call is slow. */
const poolSize = 64 * 48;

let pool = "";
let used = 0;

/** Returns random digits, as many as a trace id (32) or a span id (16) has. */
function randomHex(length: 16 | 32): string {
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

/** The options with their defaults. */
export type ResolvedIdOptions = Required<LogIdOptions>;

/** @throws {TypeError} If `header` is not a header name. */
export function resolveIdOptions(
  { trust = false, header = "X-Request-Id", respond = false }: LogIdOptions,
): ResolvedIdOptions {
  if (!isToken(header)) {
    throw new TypeError(
      `Cannot create logger: "${header}" is not a header name`,
    );
  }
  return { trust, header, respond };
}
