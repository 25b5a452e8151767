// Atoms with single dots, an at sign, and labels, two at least, of which the last
// is not all digits. What follows each repetition can't be part of it, so that no
// text makes this slow; hyphens in a label's class, with a word's boundary behind
// it, and the look ahead cost less than groups that repeat. The ranges of an atom
// are RFC 5322's atext, its capitals by the flag.
const ADDRESS =
  /^[!#-'*+/-9=?^-~-]+(?:\.[!#-'*+/-9=?^-~-]+)*@(?=[^.]+\.)[a-z\d][a-z\d-]*(?:\b\.[a-z\d][a-z\d-]*)*\b(?<!\.\d+)$/i;

const TOO_LONG = /^[^@]{65}|@.*[^.]{64}/;

/**
 * Tells whether a text is an e-mail address as HTML defines it, and one that
 * mail can reach from anywhere: with a dot in the domain, no stray dots, a top
 * label that is not all digits, and within the lengths of RFC 5321.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address | HTML, valid e-mail address}
 */
export function isEmail(text: string): boolean {
  return text.length < 255 && ADDRESS.test(text) &&
    (text.length < 65 || !TOO_LONG.test(text));
}
