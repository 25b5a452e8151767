// Reads forms within limits.

import type { RequestContext } from "../mod.ts";
import { mediaTypeOf } from "../content/media_type.ts";
import { type BodyErrorStatus, type BodyLimits, readBody } from "./_body.ts";
import { parseMultipart, type PartLimits } from "./_multipart.ts";

/** Limits of a form. */
export interface FormLimits extends BodyLimits, PartLimits {}

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
  return parseMultipart(bytes, boundary, limits);
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

/** Returns the boundary of a multipart body if all parsers read it equally. */
function boundaryOf(type: string): string | undefined {
  // If there are two boundaries, some parsers take the first and others the
  // last.
  if (type.split(/;\s*boundary=/i).length !== 2) return undefined;
  return /;\s*boundary=("?)([^"\\;\s]{1,200})\1\s*(?:;|$)/i.exec(type)?.[2];
}
