// Reads the bodies that clients send, within bounds.
import { readBytes } from "../read_bytes.ts";

/** Why a body is not read, as a status. */
export type BodyRefusal = 400 | 408 | 413 | 415;

/** What a body must keep to. */
export interface BodyBounds {
  /** Bytes. */
  readonly maxBytes: number;
  /** Milliseconds that it may take to arrive. */
  readonly timeout: number;
}

/** What the statuses are called. */
export const REASONS: Readonly<Record<BodyRefusal, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
};

/**
 * The bounds of which options set some. One that is no number would let
 * everything pass.
 *
 * @throws {RangeError} If a bound is no number of at least zero.
 */
export function bound<Bounds extends object>(
  defaults: Bounds,
  options: Partial<Bounds>,
): Bounds {
  const bounds = { ...defaults };
  for (const name in defaults) {
    const value = options[name] ?? defaults[name];
    if (!(value as number >= 0)) {
      throw new RangeError(`Cannot set ${name} to "${value}": it is no size`);
    }
    bounds[name] = value;
  }
  return bounds;
}

/** The media type of a request's body, without its parameters. */
export function mediaTypeOf({ headers }: Request): string {
  const type = headers.get("Content-Type") ?? "";
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

/** Reads a body: its bytes, or the status of the refusal. */
export async function readBody(
  request: Request,
  bounds: BodyBounds,
): Promise<Uint8Array<ArrayBuffer> | BodyRefusal> {
  if (!isReadable(request)) return 415;
  if (request.bodyUsed) return 400;
  const length = Number(request.headers.get("Content-Length") ?? 0);
  if (length > bounds.maxBytes) return 413;
  if (request.body === null) return new Uint8Array();
  try {
    return await readBytes(request.body, bounds);
  } catch {
    return 400;
  }
}

/** Whether the body is neither compressed nor in another character encoding. */
function isReadable({ headers }: Request): boolean {
  const coding = headers.get("Content-Encoding") ?? "identity";
  const type = headers.get("Content-Type") ?? "";
  const charset = /;\s*charset="?([^";]*)/i.exec(type)?.[1] ?? "utf-8";
  return coding.toLowerCase() === "identity" &&
    /^utf-?8$/i.test(charset.trim());
}
