import type { RequestContext } from "../context/context.ts";
import { Platform } from "../context/platform.ts";

/**
 * Returns the promise of `Deno.serve` that settles when the response was sent,
 * or could not be sent. Other servers have none.
 */
export function completedOf(
  context: RequestContext,
): Promise<void> | undefined {
  const info = context.get(Platform)[0] as
    | { readonly completed?: Promise<void> }
    | null
    | undefined;
  return info?.completed instanceof Promise ? info.completed : undefined;
}
