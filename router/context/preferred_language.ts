import { acceptedValues } from "./accepted_values.ts";

/** Strings in one language. */
export interface InLanguage {
  /** The language, such as `en`, without a region. */
  readonly language: string;
}

/**
 * Returns the strings in the language that a browser prefers, or the first ones.
 *
 * @param choices The strings, at least in one language.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4 | RFC 9110, Accept-Language}
 */
export function preferredLanguage<Strings extends InLanguage>(
  { headers }: Request,
  choices: readonly Strings[],
): Strings {
  const [best = choices[0]!] = acceptedValues(headers.get("Accept-Language"))
    .filter(([, quality]) => quality > 0)
    .sort(([, one], [, other]) => other - one)
    .flatMap(([tag]) =>
      choices.filter(({ language }) => language === tag.split("-")[0])
    );
  return best;
}
