/** The parts of `deno task mutate` that choose changes and follow the tests. */
import { assertEquals } from "@std/assert";
import {
  findMutants,
  instrument,
  isValid,
  mutate,
  placeOf,
} from "../mutation/mutants.ts";

const SOURCE = `
import { first } from "./first.ts";
type Level = 1 | 2;
export function grade(points: number, names: string[] = []): string {
  if (points < 0) throw new RangeError("Points below 0");
  names.push("graded");
  const isHigh = points >= 50 && names.length > 0;
  return isHigh ? "high" : "low";
}
export const twice = async (value: number) => await add(value, value.length);
`;

const EXPECTED = [
  "points < 0 → !(points < 0)",
  "points < 0 → false",
  "< → <=",
  "0 → (0 + 1)",
  'names.push("graded"); → ;',
  "points >= 50 && names.length > 0 → points >= 50",
  "points >= 50 && names.length > 0 → names.length > 0",
  ">= → >",
  "50 → (50 + 1)",
  "> → >=",
  "0 → (0 + 1)",
  "isHigh → !(isHigh)",
  "await add(value, value.length) → add(value, value.length)",
  "value, value.length → value.length, value",
];

Deno.test("findMutants() finds changes of conditions, statements, numbers and arguments, and none of types", () => {
  const mutants = findMutants("grade.ts", SOURCE);
  assertEquals(
    mutants.map(({ becomes, was }) => `${was} → ${becomes}`),
    EXPECTED,
  );
  assertEquals(mutants.map(({ line }) => line), [
    ...Array(4).fill(5),
    6,
    ...Array(6).fill(7),
    8,
    ...Array(2).fill(10),
  ]);
  for (const mutant of mutants) {
    assertEquals(isValid(SOURCE, mutant), true);
    const { length } = mutate(SOURCE, mutant);
    assertEquals(
      length - SOURCE.length,
      mutant.becomes.length - mutant.was.length,
    );
  }
});

Deno.test("instrument() reports the place around each mutant that runs", async () => {
  const source = `
export const log = [];
export function choose(first) {
  if (first) { log.push(1); } else { log.push(2); }
  return [1, 2].map((n) => n + 1);
}`;
  const reached: string[] = [];
  Object.assign(globalThis, {
    __reached: (place: string) => void reached.push(place),
  });
  try {
    const code = encodeURIComponent(instrument("a.ts", source));
    const module = await import(`data:text/javascript,${code}`);
    assertEquals(module.choose(true), [2, 3]);
  } finally {
    Reflect.deleteProperty(globalThis, "__reached");
  }
  const mutants = findMutants("a.ts", source);
  const missed = mutants.filter((mutant) =>
    !reached.includes(placeOf(source, mutant))
  );
  assertEquals(missed.map(({ was }) => was), ["log.push(2);", "2"]);
});
