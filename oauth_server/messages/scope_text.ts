import type { Resource } from "../settings.ts";
import type { ServerMessages } from "./messages.ts";

/** Returns a scope of a resource in words: in the language, or those of the resource. */
export function scopeText(
  { scopeTexts = {} }: Pick<ServerMessages, "scopeTexts">,
  { scopes }: Resource,
  scope: string,
): string {
  return Object.hasOwn(scopeTexts, scope)
    ? scopeTexts[scope]!
    : scopes.get(scope)!;
}
