/** Settings of the long tests from the environment. */

/** `true` if `NIGHTLY` is set: the tests then run all their variants. */
export const isNightly = Boolean(Deno.env.get("NIGHTLY"));

/**
 * The seed of random tests: `TEST_SEED`, or the day's date such as 20261127, so
 * that each day has new inputs.
 */
export const seed: number = readSeed(Deno.env.get("TEST_SEED"));

function readSeed(text = new Date().toISOString().slice(0, 10)): number {
  const number = Number(text.replaceAll("-", ""));
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`Cannot read TEST_SEED "${text}": no whole number`);
}
