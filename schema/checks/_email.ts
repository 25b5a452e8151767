// An address has atoms with single dots, an at sign, and at least two labels.
// The last label must not consist of digits only. No character can continue a
// repetition and also end it, so the expression never backtracks far. A hyphen
// in the class of a label, with a word boundary after it, is faster than a
// repeated group. The second label is written out because a lookahead for its
// dot would read the first label twice (4 ns). The ranges of an atom are the
// atext of RFC 5322; the flag adds capital letters.
const ADDRESS =
  /^[!#-'*+/-9=?^-~-]+(?:\.[!#-'*+/-9=?^-~-]+)*@[a-z\d][a-z\d-]*\b\.[a-z\d][a-z\d-]*(?:\b\.[a-z\d][a-z\d-]*)*\b(?<!\.\d+)$/i;

const TOO_LONG = /^[^@]{65}|@.*[^.]{64}/;

/**
 * Returns `true` for an email address as HTML defines it that is reachable from
 * the internet. Its domain contains a dot and ends in a label that is not all
 * digits, it has no stray dots, and it respects the lengths of RFC 5321.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address | HTML, valid e-mail address}
 */
export function isEmail(value: string): boolean {
  return value.length < 255 && ADDRESS.test(value) &&
    (value.length < 65 || !TOO_LONG.test(value));
}
