// Reads the forms that clients send, within bounds.

import {
  type BodyBounds,
  type BodyRefusal,
  mediaTypeOf,
  readBody,
} from "./_body.ts";

/** What a form must keep to. */
export interface FormBounds extends BodyBounds {
  /** The most parts, fields and files together. */
  readonly maxParts: number;
  /** The most files. */
  readonly maxFiles: number;
}

/** The bounds of a form where nobody sets others. */
export const FORM_BOUNDS: FormBounds = {
  maxBytes: 2 * 1024 * 1024,
  maxParts: 100,
  maxFiles: 10,
  timeout: 30_000,
};

/**
 * Whether the body of a request is a form, by its media type. That of GET and
 * HEAD, which one runtime hands on, is none.
 */
export function hasForm(request: Request): boolean {
  if (request.method === "GET" || request.method === "HEAD") return false;
  const type = mediaTypeOf(request);
  return type === PAIRS || type === "multipart/form-data";
}

const PAIRS = "application/x-www-form-urlencoded";

/** Reads the form of a request that has one, or says why not. */
export async function readForm(
  request: Request,
  bounds: FormBounds,
): Promise<FormData | BodyRefusal> {
  const bytes = await readBody(request, bounds);
  if (typeof bytes === "number") return bytes;
  if (mediaTypeOf(request) === PAIRS) return parsePairs(bytes, bounds);
  const boundary = boundaryOf(request.headers.get("Content-Type")!);
  if (boundary === undefined) return 400;
  return problemOfParts(bytes, boundary, bounds) ??
    await parseParts(bytes, boundary, bounds);
}

/**
 * Parses pairs by the URL standard, which has no malformed ones. (The form
 * parser of one runtime throws on a stray "%".)
 */
function parsePairs(
  bytes: Uint8Array,
  { maxParts }: FormBounds,
): FormData | BodyRefusal {
  let pairs = 1;
  for (const byte of bytes) if (byte === 0x26) pairs++;
  if (pairs > maxParts) return 413;
  const form = new FormData();
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // A "?" at the beginning is data here, and none of a query.
  for (const [name, value] of new URLSearchParams(`&${text}`)) {
    form.append(name, value);
  }
  return form;
}

/** The boundary of a multipart body, without what platforms read in two ways. */
function boundaryOf(type: string): string | undefined {
  return /;\s*boundary=("?)([^"\\;\s]{1,200})\1/i.exec(type)?.[2];
}

/**
 * Why a multipart body is not parsed, as a status: too many delimiters, or no
 * closing one near its end (RFC 2046, section 5.1.1), which not every platform's
 * parser misses. Counted first, because parsing tiny parts takes a second.
 */
function problemOfParts(
  bytes: Uint8Array,
  boundary: string,
  { maxParts }: FormBounds,
): BodyRefusal | undefined {
  const delimiter = `--${boundary}`;
  const text = new TextDecoder("latin1").decode(bytes);
  let parts = -1;
  for (let at = text.indexOf(delimiter); at >= 0; parts++) {
    if (parts >= maxParts) return 413;
    at = text.indexOf(delimiter, at + delimiter.length);
  }
  const end = `\n${text.slice(-1024)}`;
  return end.includes(`\n${delimiter}--`) ? undefined : 400;
}

/**
 * Leaves the parsing to the platform, which throws on a malformed body. It is
 * told the boundary that was counted: of what the client wrote it may read
 * another one.
 */
async function parseParts(
  bytes: Uint8Array<ArrayBuffer>,
  boundary: string,
  { maxParts, maxFiles }: FormBounds,
): Promise<FormData | BodyRefusal> {
  try {
    const type = `multipart/form-data; boundary="${boundary}"`;
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
