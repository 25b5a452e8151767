// Reads request bodies within limits.
import type { RequestContext } from "../mod.ts";
import { discard, readBytes } from "../read_bytes.ts";

/** The status of the response to a body that cannot be read. */
export type BodyErrorStatus = 400 | 408 | 413 | 415;

/** Limits of a body. */
export interface BodyLimits {
  /** The maximum number of bytes. */
  readonly maxBytes: number;
  /** The longest time that it may take to arrive, in milliseconds. */
  readonly timeout: number;
}

/**
 * Returns the limits that options set, and defaults for the others.
 *
 * @throws {RangeError} If a limit is negative or not a number: no body would
 * exceed it.
 */
export function limitsOf<Limits extends object>(
  defaults: Limits,
  options: Partial<Limits>,
): Limits {
  const limits = { ...defaults };
  for (const name in defaults) {
    const value = options[name] ?? defaults[name];
    if (!(value as number >= 0)) {
      throw new RangeError(
        `Cannot set ${name} to "${value}": it is not a size`,
      );
    }
    limits[name] = value;
  }
  return limits;
}

/** Reads a body. Returns its bytes, or the status of the error. */
export async function readBody(
  context: RequestContext,
  limits: BodyLimits,
): Promise<Uint8Array<ArrayBuffer> | BodyErrorStatus> {
  const { body, bodyUsed, headers } = context.request;
  if (bodyUsed) return 400;
  const length = Number(headers.get("Content-Length") ?? 0);
  const isEncoded = !isPlainUTF8(context.request);
  if (isEncoded || length > limits.maxBytes) {
    if (body !== null) discard(body.getReader(), context);
    return isEncoded ? 415 : 413;
  }
  if (body === null) return new Uint8Array();
  try {
    return await readBytes(body, limits, context);
  } catch {
    return 400;
  }
}

/** Returns `true` unless the body is compressed, or in another encoding. */
function isPlainUTF8({ headers }: Request): boolean {
  const coding = headers.get("Content-Encoding") ?? "identity";
  const type = headers.get("Content-Type") ?? "";
  const charset = /;\s*charset="?([^";]*)/i.exec(type)?.[1] ?? "utf-8";
  return coding.toLowerCase() === "identity" &&
    /^utf-?8$/i.test(charset.trim());
}
