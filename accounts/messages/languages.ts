import { preferredLanguage } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Messages } from "./messages.ts";

const LANGUAGES: readonly Messages[] = [english, german];

/** Returns the messages of a language, or those in English. */
export function messagesIn(language: string | null): Messages {
  return LANGUAGES.find((one) => one.language === language) ?? english;
}

/** Returns the messages in the language that a browser prefers. */
export function messagesOf({ request }: RequestContext): Messages {
  return preferredLanguage(request, LANGUAGES);
}
