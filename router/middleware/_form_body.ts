// Reads forms within limits.

import type { RequestContext } from "../mod.ts";
import {
  type BodyErrorStatus,
  type BodyLimits,
  mediaTypeOf,
  readBody,
} from "./_body.ts";

/** Limits of a form. */
export interface FormLimits extends BodyLimits {
  /** The most parts, fields and files together. */
  readonly maxParts: number;
  /** The most files. */
  readonly maxFiles: number;
}

/** The default limits of a form. */
export const FORM_LIMITS: FormLimits = {
  maxBytes: 2 * 1024 * 1024,
  maxParts: 100,
  maxFiles: 10,
  timeout: 30_000,
};

/**
 * Returns `true` if the body of a request is a form, by its media type. Bodies of
 * GET and HEAD, which one runtime passes, do not count.
 */
export function hasForm(request: Request): boolean {
  if (request.method === "GET" || request.method === "HEAD") return false;
  const type = mediaTypeOf(request);
  return type === PAIRS || type === "multipart/form-data";
}

const PAIRS = "application/x-www-form-urlencoded";

/** Reads the form of a request. Returns the status of the error otherwise. */
export async function readForm(
  context: RequestContext,
  limits: FormLimits,
): Promise<FormData | BodyErrorStatus> {
  const { request } = context;
  const bytes = await readBody(context, limits);
  if (typeof bytes === "number") return bytes;
  if (mediaTypeOf(request) === PAIRS) return parsePairs(bytes, limits);
  const boundary = boundaryOf(request.headers.get("Content-Type")!);
  if (boundary === undefined) return 400;
  return checkDelimiters(bytes, boundary, limits) ??
    await parseParts(bytes, boundary, limits);
}

/**
 * Parses pairs as the URL standard does, in which no pair is malformed. The form
 * parser of one runtime throws on a stray "%".
 */
function parsePairs(
  bytes: Uint8Array,
  { maxParts }: FormLimits,
): FormData | BodyErrorStatus {
  let pairs = 1;
  for (const byte of bytes) if (byte === 0x26) pairs++;
  if (pairs > maxParts) return 413;
  const form = new FormData();
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // A "?" at the beginning is data here, not the start of a query.
  for (const [name, value] of new URLSearchParams(`&${text}`)) {
    form.append(name, value);
  }
  return form;
}

/** Returns the boundary of a multipart body if all platforms read it equally. */
function boundaryOf(type: string): string | undefined {
  return /;\s*boundary=("?)([^"\\;\s]{1,200})\1/i.exec(type)?.[2];
}

/**
 * Returns a status if a multipart body has too many delimiters, or no closing one
 * near its end (RFC 2046, section 5.1.1), which some platforms accept. Parsing
 * many tiny parts takes a second, so they are counted first.
 */
function checkDelimiters(
  bytes: Uint8Array,
  boundary: string,
  { maxParts }: FormLimits,
): BodyErrorStatus | undefined {
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
 * Parses a multipart body by the platform, which throws on a malformed one. It
 * gets the boundary that was counted: it may read another one from the client's
 * header.
 */
async function parseParts(
  bytes: Uint8Array<ArrayBuffer>,
  boundary: string,
  { maxParts, maxFiles }: FormLimits,
): Promise<FormData | BodyErrorStatus> {
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
