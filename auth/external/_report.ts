import type { ProviderEngine } from "./_engine.ts";
import type { ExternalAuthError } from "./errors.ts";

/** Tells the application why a login failed; what it throws then is its own. */
export function report(
  { options }: ProviderEngine<unknown>,
  error: ExternalAuthError,
): void {
  options.onError?.(error);
}
