import { type Bound, type Effort, measure, printTable } from "./_measure.ts";
import { type WorkloadName, WORKLOADS } from "./_schema_data.ts";
import { LIBRARIES } from "./schema_libraries/all.ts";

/** Nanoseconds by library. */
export type Medians = ReadonlyMap<string, number>;

/**
 * The number of calls in a turn, by workload. A turn takes about 0.1 ms of
 * ours, so that most turns end before another process gets the processor.
 */
export const TURNS: Readonly<Record<WorkloadName, number>> = {
  login: 400,
  registration: 300,
  order: 80,
  list: 1,
  product: 60,
};

/** In every table faster than the others that generate no code. */
export const FASTEST: readonly Bound[] = LIBRARIES
  .filter(({ name, generatesCode }) => name !== "gatehouse" && !generatesCode)
  .map(({ name }) => ({ of: "gatehouse", to: name, most: 0.95 }));

/**
 * Measures our schemas next to those of other libraries, in this process and
 * interleaved, and prints medians, ratios and bounds.
 *
 * @returns `true` if all bounds hold within the tolerance.
 */
export async function raceSchemas(
  { quick, mean }: { quick: boolean; mean: number },
): Promise<boolean> {
  const rounds = quick ? 60 : 300;
  const parses: Medians[] = [];
  const verdicts: boolean[] = [];
  for (const name of Object.keys(WORKLOADS) as WorkloadName[]) {
    for (const kind of ["valid", "invalid"] as const) {
      const effort = { rounds, turns: TURNS[name] };
      const medians = await raceParses(name, kind, effort);
      parses.push(medians);
      verdicts.push(printTable(`${name}, ${kind}`, medians, FASTEST));
    }
    verdicts.push(await raceInvalid(name, { rounds, turns: TURNS[name] }));
  }
  for (const name of ["login", "order"] as const) {
    // Few turns would end before the engines have compiled all of it.
    const turns = TURNS[name] * (quick ? 3 : 0.5);
    const medians = await raceBuilds(name, { rounds, turns });
    const bound: Bound = { of: "gatehouse", to: "valibot", most: 1 };
    verdicts.push(printTable(`${name}, schema built`, medians, [bound]));
  }
  verdicts.push(printMeans(parses, "", mean));
  return verdicts.every((holds) => holds);
}

function raceParses(
  name: WorkloadName,
  kind: "valid" | "invalid",
  effort: Effort,
): Promise<Medians> {
  const value = WORKLOADS[name][kind];
  const candidates = LIBRARIES.map(({ name: library, validators }) => {
    const count = validators[name]();
    if ((count(value) === 0) !== (kind === "valid")) {
      throw new Error(`${library} judges ${name} ${kind} wrongly`);
    }
    return { name: library, run: () => count(value) };
  });
  return measure(candidates, effort);
}

function raceBuilds(name: WorkloadName, effort: Effort): Promise<Medians> {
  return measure(
    LIBRARIES.map(({ name: library, validators }) => ({
      name: library,
      run: validators[name],
    })),
    effort,
  );
}

/**
 * Prints the geometric mean of each library over all parses.
 *
 * @returns `true` if ours is so many times as fast as Valibot.
 */
export function printMeans(
  parses: readonly Medians[],
  place: string,
  mean: number,
): boolean {
  const means = [...parses[0]!.keys()].map((name) => {
    const logs = parses.map((medians) => Math.log(medians.get(name)!));
    const sum = logs.reduce((sum, log) => sum + log, 0);
    return [name, Math.exp(sum / logs.length)] as const;
  });
  const bound: Bound = { of: "gatehouse", to: "valibot", most: 1 / mean };
  const title = `all parses, geometric mean${place}`;
  return printTable(title, new Map(means), [bound]);
}

/** Measures invalid input next to valid input. */
async function raceInvalid(
  name: WorkloadName,
  effort: Effort,
): Promise<boolean> {
  const { valid, invalid } = WORKLOADS[name];
  const count = LIBRARIES[0]!.validators[name]();
  const medians = await measure([
    { name: "invalid", run: () => count(invalid) },
    { name: "valid", run: () => count(valid) },
  ], effort);
  const bound: Bound = { of: "invalid", to: "valid", most: 2.5 };
  return printTable(`${name}, invalid next to valid`, medians, [bound]);
}
