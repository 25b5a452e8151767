import { seededRandom } from "../runtimes/random.ts";

/** Returns a random integer from 0 to a limit, exclusive. */
export type RandomInteger = (limit: number) => number;

/** Creates the same integers in every run. */
export function seededIntegers(seed: number): RandomInteger {
  const random = seededRandom(seed);
  return (limit) => Math.floor(random() * limit);
}

/** Copies a value, and now and then changes, removes or adds a part. */
export function mutate(
  value: unknown,
  random: RandomInteger,
  { part, entry }: {
    /** Creates a value that replaces a part or is added to an array. */
    readonly part: () => unknown;
    /** Creates a property to add to an object. */
    readonly entry: () => [key: string, value: unknown];
  },
): unknown {
  if (random(12) === 0) return part();
  const change = (inner: unknown) => mutate(inner, random, { part, entry });
  if (Array.isArray(value)) {
    const items = value.map(change);
    return random(6) === 0 ? [...items, part()] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(() => random(10) > 0)
    .map(([key, inner]) => [key, change(inner)]);
  if (random(6) === 0) entries.push(entry());
  return Object.fromEntries(entries);
}
