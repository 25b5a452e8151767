import type { RequestContext } from "../router/mod.ts";

/** Where the ids of a request come from, and where they go. */
export interface LogIdOptions {
  /**
   * Whether the request id and the `traceparent` that a request carries are
   * taken over.
   *
   * Trust: anyone can send these headers. Take them over only from proxies of
   * your own which set or check them.
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
   * Whether responses carry the request id in the same header. What
   * `onError` answers never does.
   *
   * @default {false}
   */
  readonly respond?: boolean;
}

/** A field name (RFC 9110, section 5.6.2). */
const fieldName = /^[\w!#$%&'*+.^`|~-]+$/;

/** What a request id of someone else may look like. */
const requestIdShape = /^[\w.:-]{1,128}$/;

/**
 * Version, trace id, parent id and flags. Of later versions the same four
 * fields are read (W3C Trace Context, sections 3.2 and 4.3).
 */
const traceparentShape =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/;

/** The ids of one request, made when first asked for. */
export class RequestIds {
  readonly #incomingId: string | null = null;
  readonly #incomingTrace: string | null = null;
  #requestId: string | undefined;
  #traceId: string | undefined;
  #hex: string | undefined;
  #flags = "01";

  /** Copies what is trusted while the request can be read. */
  constructor(context: RequestContext, { trust, header }: ResolvedIdOptions) {
    if (trust === false || (trust !== true && !trust(context))) return;
    const { headers } = context.request;
    this.#incomingId = headers.get(header);
    this.#incomingTrace = headers.get("traceparent");
  }

  get requestId(): string {
    if (this.#requestId !== undefined) return this.#requestId;
    const incoming = this.#incomingId;
    return this.#requestId = incoming !== null && requestIdShape.test(incoming)
      ? incoming
      : crypto.randomUUID();
  }

  get traceId(): string {
    if (this.#traceId !== undefined) return this.#traceId;
    const [, version, traceId, flags, rest] =
      traceparentShape.exec(this.#incomingTrace ?? "") ?? [];
    if (traceId === undefined || (version === "00" && rest !== undefined)) {
      return this.#traceId = this.#random.slice(0, 32);
    }
    // Of the flags, only "sampled" is known in every version.
    this.#flags = (parseInt(flags, 16) & 1) === 1 ? "01" : "00";
    return this.#traceId = traceId;
  }

  get spanId(): string {
    return this.#random.slice(32);
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.#flags}`;
  }

  /** The digits of a trace id and of a span id. */
  get #random(): string {
    return this.#hex ??= randomDigits();
  }
}

/** How many digits are made at a time: to ask for them costs the most. */
const poolSize = 64 * 48;

let pool = "";
let used = 0;

/** The digits of a trace id and of a span id, 32 and 16. */
function randomDigits(): string {
  if (used === pool.length) {
    const bytes = crypto.getRandomValues(new Uint8Array(poolSize / 2));
    // Zeros alone would mean "none" (W3C Trace Context, section 3.2.2.3).
    for (let start = 0; start < bytes.length; start += 8) bytes[start] ||= 1;
    pool = bytes.toHex();
    used = 0;
  }
  return pool.slice(used, used += 48);
}

/** The options with their defaults. */
export type ResolvedIdOptions = Required<LogIdOptions>;

/** @throws {TypeError} If `header` is no header name. */
export function resolveIdOptions(
  { trust = false, header = "X-Request-Id", respond = false }: LogIdOptions,
): ResolvedIdOptions {
  if (!fieldName.test(header)) {
    throw new TypeError(
      `Cannot create logger: "${header}" is no header name`,
    );
  }
  return { trust, header, respond };
}
