/**
 * The minimum of estimated bits. 32 random hexadecimal digits have about 117 and
 * 32 random decimal digits about 100.
 */
const MIN_BITS = 70;

/**
 * Returns `true` if a secret is easy to guess: a repetition, a sequence, or only
 * a few different characters. It accepts a sentence, because only a dictionary
 * could find its words.
 */
export function isWeakSecret(secret: string): boolean {
  const codes = Array.from(secret, (character) => character.codePointAt(0)!);
  const unit = codes.slice(0, periodOf(codes));
  const steps = unit.slice(1).map((code, index) => code - unit[index]!);
  return Math.min(bitsOf(unit), bitsOf(steps)) < MIN_BITS;
}

/** Returns the Shannon entropy of the numbers in bits. */
function bitsOf(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) {
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) {
    bits += count * Math.log2(numbers.length / count);
  }
  return bits;
}

/** Returns the length of the repeated part. The last repetition may be shorter. */
function periodOf(codes: readonly number[]): number {
  // The prefix function of Knuth, Morris and Pratt.
  const borders = [0];
  for (let at = 1, border = 0; at < codes.length; at++) {
    while (border > 0 && codes[at] !== codes[border]) {
      border = borders[border - 1]!;
    }
    if (codes[at] === codes[border]) border++;
    borders.push(border);
  }
  return codes.length - borders.at(-1)!;
}
