import { mediaTypeOf, readBytes } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";

/** The maximum size of a form, in bytes. */
const MAX_BYTES = 65_536;

/** Milliseconds until reading a form times out. */
const TIMEOUT = 10_000;

/**
 * Reads the form of a request, or takes it from the form-data middleware if that
 * ran before.
 *
 * @returns The form, or `null` if it is missing, malformed or too large.
 */
export async function readForm(
  context: RequestContext,
): Promise<URLSearchParams | null> {
  if (context.has(FormData)) {
    const pairs = [...context.get(FormData)]
      .filter((pair): pair is [string, string] => typeof pair[1] === "string");
    return new URLSearchParams(pairs);
  }
  const { request, request: { body } } = context;
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded") return null;
  if (body === null) return new URLSearchParams();
  try {
    const limits = { maxBytes: MAX_BYTES, timeout: TIMEOUT };
    const bytes = await readBytes(body, limits, context);
    if (typeof bytes === "number") return null;
    return new URLSearchParams(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
