import { readBytes } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";

/** The most bytes that a form of a provider may have. */
const MAX_BYTES = 65_536;

/** Milliseconds that its sender has. */
const TIMEOUT = 10_000;

/**
 * Reads the form that a request carries, or takes it from the form-data
 * middleware where that has run; `null` where it is none.
 */
export async function readForm(
  context: RequestContext,
): Promise<URLSearchParams | null> {
  if (context.has(FormData)) {
    const pairs = [...context.get(FormData)]
      .filter((pair): pair is [string, string] => typeof pair[1] === "string");
    return new URLSearchParams(pairs);
  }
  const { body, headers } = context.request;
  const type = headers.get("Content-Type")?.split(";", 1)[0].trim();
  if (type?.toLowerCase() !== "application/x-www-form-urlencoded") return null;
  if (body === null) return new URLSearchParams();
  try {
    const bytes = await readBytes(body, {
      maxBytes: MAX_BYTES,
      timeout: TIMEOUT,
    });
    if (typeof bytes === "number") return null;
    return new URLSearchParams(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
