import { mediaTypeOf, readText } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";

/** The maximum size of a form in bytes, and the longest time to read it. */
const LIMITS = { maxBytes: 65_536, timeout: 10_000 };

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
  const type = mediaTypeOf(context.request);
  if (type !== "application/x-www-form-urlencoded") return null;
  const text = await readText(context, LIMITS);
  return typeof text === "number" ? null : new URLSearchParams(text);
}
