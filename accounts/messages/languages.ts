import type { RequestContext } from "../../router/mod.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Messages } from "./messages.ts";

const LANGUAGES: readonly Messages[] = [english, german];

/** The longest header that is read. Browsers send about 50 characters. */
const MAX_HEADER = 500;

/** Returns the messages of a language, or those in English. */
export function messagesIn(language: string | null): Messages {
  return LANGUAGES.find((one) => one.language === language) ?? english;
}

/** Returns the messages in the language that a browser prefers. */
export function messagesOf({ request }: RequestContext): Messages {
  const header = request.headers.get("Accept-Language") ?? "";
  let best: Messages = english;
  let bestQuality = 0;
  for (const range of header.slice(0, MAX_HEADER).split(",")) {
    const [tag = "", quality = "q=1"] = range.trim().split(/\s*;\s*/);
    const [language] = tag.toLowerCase().split("-");
    const found = LANGUAGES.find((one) => one.language === language);
    const weight = Number(/^q=([\d.]{1,5})$/.exec(quality)?.[1] ?? 0);
    if (found !== undefined && weight > bestQuality) {
      [best, bestQuality] = [found, weight];
    }
  }
  return best;
}
