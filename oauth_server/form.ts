import { mediaTypeOf, readText } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";

/** The maximum size of a form, and the longest time to read it. */
const LIMITS = { maxBytes: 16_384, timeout: 10_000 };

/**
 * Reads the form of a request.
 *
 * @returns The form, or the status of the error.
 * @throws {TypeError} If another middleware has read the body.
 */
export async function readForm(
  context: RequestContext,
): Promise<URLSearchParams | 400 | 408 | 413> {
  const { request } = context;
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded") return 400;
  if (request.bodyUsed) {
    throw new TypeError(
      "Cannot read the request: its body was read before, put the endpoints of the authorization server first",
    );
  }
  const text = await readText(context, LIMITS);
  return typeof text === "number" ? text : new URLSearchParams(text);
}

/**
 * Returns the parameters of a request, or `null` if one occurs twice (RFC 6749,
 * sections 3.1 and 3.2). Parameters without a value count as absent.
 */
export function uniqueParameters(
  params: URLSearchParams,
): ReadonlyMap<string, string> | null {
  const unique = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of params) {
    if (seen.has(name)) return null;
    seen.add(name);
    if (value !== "") unique.set(name, value);
  }
  return unique;
}
