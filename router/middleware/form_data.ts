/**
 * Reads the forms that clients send, within bounds.
 *
 * @module
 */
import type { ContextEntry, Middleware } from "../mod.ts";

/** Options for {@linkcode formData}. */
export interface FormDataOptions {
  /**
   * The largest body, in bytes.
   *
   * @default {2097152}
   */
  readonly maxBytes?: number;
  /**
   * The most parts, fields and files together.
   *
   * @default {100}
   */
  readonly maxParts?: number;
  /**
   * The most files.
   *
   * @default {10}
   */
  readonly maxFiles?: number;
  /**
   * The longest time that a body may take to arrive, in milliseconds.
   *
   * @default {30000}
   */
  readonly timeout?: number;
}

/** What {@linkcode formData} provides: the form, under the class `FormData`. */
export type FormDataEntry = ContextEntry<typeof FormData, FormData>;

/**
 * Creates a middleware that reads the form in a request's body, for
 * `context.get(FormData)`.
 *
 * Where the body is no form (another content type, or a GET) the form is empty
 * and the body is left alone. A form that is too large or has too many parts is
 * answered 413, one that is malformed 400, one in an encoding that is not read
 * 415, one that does not arrive in time 408.
 *
 * @example Reading a field
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { formData } from "@gatehouse/web/form-data-middleware";
 *
 * const router = createRouter({ middleware: [formData()] });
 * router.post("/greet", (context) => {
 *   const name = context.get(FormData).get("name");
 *   return new Response(`Hello ${name}`);
 * });
 *
 * const response = await router.fetch("https://example.com/greet", {
 *   method: "POST",
 *   body: new URLSearchParams({ name: "Ada" }),
 * });
 * assertEquals(await response.text(), "Hello Ada");
 * ```
 *
 * @param options The bounds.
 * @returns The middleware.
 */
export function formData(
  options: FormDataOptions = {},
): Middleware<readonly [FormDataEntry]> {
  const bounds = {
    maxBytes: 2 * 1024 * 1024,
    maxParts: 100,
    maxFiles: 10,
    timeout: 30_000,
    ...options,
  };
  return async (context, next) => {
    const result = await readForm(context.request, bounds);
    if (typeof result === "number") return refuse(result);
    context.set(FormData, result);
    return next();
  };
}

type Bounds = Required<FormDataOptions>;

const reasons: Record<number, string> = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
};

function refuse(status: number): Response {
  return new Response(reasons[status], { status });
}

/** Reads the form: the status of the refusal where that is not possible. */
async function readForm(
  request: Request,
  bounds: Bounds,
): Promise<FormData | number> {
  const type = request.headers.get("Content-Type") ?? "";
  const kind = type.split(";", 1)[0].trim().toLowerCase();
  const encoded = kind === "application/x-www-form-urlencoded";
  if (request.body === null || !(encoded || kind === "multipart/form-data")) {
    return new FormData();
  }
  if (!isReadable(request, type)) return 415;
  if (request.bodyUsed) return 400;
  const length = Number(request.headers.get("Content-Length") ?? 0);
  if (length > bounds.maxBytes) return 413;
  const bytes = await readBytes(request.body, bounds);
  if (typeof bytes === "number") return bytes;
  if (encoded) return parsePairs(bytes, bounds);
  return problemOfParts(bytes, type, bounds) ??
    await parseParts(bytes, type, bounds);
}

/** Whether the form is neither compressed nor in another character encoding. */
function isReadable({ headers }: Request, type: string): boolean {
  const coding = headers.get("Content-Encoding") ?? "identity";
  const charset = /;\s*charset="?([^";]*)/i.exec(type)?.[1] ?? "utf-8";
  return coding.toLowerCase() === "identity" &&
    /^utf-?8$/i.test(charset.trim());
}

async function readBytes(
  body: ReadableStream<Uint8Array>,
  { maxBytes, timeout }: Bounds,
): Promise<Uint8Array<ArrayBuffer> | number> {
  const reader = body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, timeout);
  // Chunks are copied at once: each would keep alive the buffer that it came in,
  // and a body of single bytes would take gigabytes.
  let bytes = new Uint8Array(Math.min(maxBytes, 4096));
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) return 408;
      if (done) return bytes.subarray(0, size);
      if (size + value.byteLength > maxBytes) {
        reader.cancel().catch(() => {});
        return 413;
      }
      bytes = withRoom(bytes, size + value.byteLength, maxBytes);
      bytes.set(value, size);
      size += value.byteLength;
    }
  } catch {
    return late ? 408 : 400;
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes with room for as many as are wanted, doubled where there is not. */
function withRoom(
  bytes: Uint8Array<ArrayBuffer>,
  wanted: number,
  most: number,
): Uint8Array<ArrayBuffer> {
  if (wanted <= bytes.byteLength) return bytes;
  const length = Math.min(most, Math.max(wanted, bytes.byteLength * 2));
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

/**
 * Parses pairs by the URL standard, which has no malformed ones. (The form
 * parser of one runtime throws on a stray "%".)
 */
function parsePairs(
  bytes: Uint8Array,
  { maxParts }: Bounds,
): FormData | number {
  let pairs = 1;
  for (const byte of bytes) if (byte === 0x26) pairs++;
  if (pairs > maxParts) return 413;
  const form = new FormData();
  const text = new TextDecoder().decode(bytes);
  for (const [name, value] of new URLSearchParams(text)) {
    form.append(name, value);
  }
  return form;
}

/**
 * Why a multipart body is not parsed, as a status: too many delimiters, or no
 * closing one near its end (RFC 2046, section 5.1.1), which not every platform's
 * parser misses. Counted first, because parsing tiny parts takes a second.
 */
function problemOfParts(
  bytes: Uint8Array,
  type: string,
  { maxParts }: Bounds,
): number | undefined {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(type) ?? [];
  const delimiter = `--${quoted ?? plain}`;
  if (delimiter === "--undefined") return 400;
  const text = new TextDecoder("latin1").decode(bytes);
  let parts = -1;
  for (let at = text.indexOf(delimiter); at >= 0; parts++) {
    if (parts >= maxParts) return 413;
    at = text.indexOf(delimiter, at + delimiter.length);
  }
  return text.slice(-1024).includes(`${delimiter}--`) ? undefined : 400;
}

/** Leaves the parsing to the platform, which throws on a malformed body. */
async function parseParts(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  { maxParts, maxFiles }: Bounds,
): Promise<FormData | number> {
  try {
    const headers = { "Content-Type": type };
    const form = await new Response(bytes, { headers }).formData();
    let parts = 0;
    let files = 0;
    for (const [, value] of form) {
      parts++;
      if (typeof value !== "string") files++;
    }
    return parts > maxParts || files > maxFiles ? 413 : form;
  } catch {
    return 400;
  }
}
