/** One way to do the work that a table compares. */
export interface Candidate {
  /** The name in the table. */
  readonly name: string;
  /** Does the work once; gets a number that counts up. */
  readonly run: (turn: number) => unknown;
  /** Prepares the input of `run`, also with a promise. This time does not count. */
  readonly prepare?: (turn: number) => unknown;
  /**
   * The number of calls in a turn, if this work is much slower than the others.
   *
   * @default {the number of the effort}
   */
  readonly turns?: number;
}

/** The number of measurements. */
export interface Effort {
  /** Rounds, of which each candidate gets one turn. */
  readonly rounds: number;
  /** The number of calls in a turn. */
  readonly turns: number;
  /**
   * The number of concurrent calls, if the work is asynchronous.
   *
   * @default {1}
   */
  readonly inFlight?: number;
  /**
   * `true` to await every result, as a caller does that may get a promise.
   *
   * @default {false}
   */
  readonly awaitsAll?: boolean;
}

/** The most time that one candidate may take, relative to another. */
export interface Bound {
  /** The candidate that is bound. */
  readonly of: string;
  /** The candidate next to which it is measured. */
  readonly to: string;
  /** The ratio that it must not exceed. */
  readonly most: number;
}

/** A table as `deno task bench` keeps it. */
export interface Table {
  readonly title: string;
  readonly runtime: string;
  /** The unit of the values. */
  readonly unit: string;
  readonly rows: readonly { readonly name: string; readonly value: number }[];
  readonly bounds: readonly (Bound & { readonly ratio: number })[];
  /**
   * The measured packages, such as `hono@4.13.19`, if the run recorded them.
   */
  readonly versions?: readonly string[];
}

/** The factor that a ratio may exceed its bound by, because of other load. */
export const TOLERANCE = 1.5;

/** The exit code of a benchmark with a ratio far beyond its bound. */
export const FAR_BEYOND = 3;

/**
 * The variable with the path of the report, which has one table per line as
 * JSON.
 */
const REPORT = "GATEHOUSE_BENCH_REPORT";

/**
 * Measures candidates in turn and returns the time of each in nanoseconds. A
 * time is the median of its ratios to the first candidate in the same round,
 * multiplied by the first candidate's median.
 *
 * Other load on the machine then slows a whole round, but not the next. Each
 * round starts with another candidate, so that garbage collection does not
 * always fall on the same one. Results that are not promises are not awaited
 * unless the effort says so.
 */
export async function measure(
  candidates: readonly Candidate[],
  effort: Effort,
): Promise<Map<string, number>> {
  const samples: number[][] = candidates.map(() => []);
  const warmUp = Math.ceil(effort.rounds / 4);
  for (let round = -warmUp; round < effort.rounds; round++) {
    for (let turn = 0; turn < candidates.length; turn++) {
      const index = (round + warmUp + turn) % candidates.length;
      const time = await timeOf(candidates[index]!, effort);
      if (round >= 0) samples[index]!.push(time);
    }
  }
  const [first = []] = samples;
  const times = samples.map((times) =>
    medianOf(first) * medianOf(times.map((time, i) => time / first[i]!))
  );
  return new Map(candidates.map(({ name }, index) => [name, times[index]!]));
}

/** Keeps results alive, so that no engine drops the work that made them. */
let sink: unknown;

async function timeOf(
  { run, prepare, turns: own }: Candidate,
  { turns: shared, inFlight = 1, awaitsAll = false }: Effort,
): Promise<number> {
  const turns = own ?? shared;
  for (let turn = 0; prepare && turn < turns; turn++) await prepare(turn);
  const start = performance.now();
  sink = run(0);
  const isAsync = awaitsAll || sink instanceof Promise;
  await sink;
  if (!isAsync) { for (let turn = 1; turn < turns; turn++) sink = run(turn); }
  else if (inFlight === 1) {
    for (let turn = 1; turn < turns; turn++) sink = await run(turn);
  } else {
    for (let turn = 1; turn < turns; turn += inFlight) {
      const count = Math.min(inFlight, turns - turn);
      await Promise.all(Array.from({ length: count }, (_, n) => run(turn + n)));
    }
  }
  return (performance.now() - start) * 1e6 / turns;
}

/** Returns the median of some numbers. */
export function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/**
 * Prints medians, their ratios to the first candidate's, and bounds. Returns
 * `true` if every bound holds within the tolerance.
 */
export function printTable(
  title: string,
  medians: ReadonlyMap<string, number>,
  bounds: readonly Bound[] = [],
  unit = "ns",
): boolean {
  const [base = 1] = medians.values();
  console.log(`\n${title}`);
  for (const [name, value] of medians) {
    const ratio = (value / base).toFixed(2).padStart(8);
    const digits = value < 100 ? 1 : 0;
    console.log(
      `  ${name.padEnd(28)}${
        value.toFixed(digits).padStart(12)
      } ${unit}${ratio}`,
    );
  }
  const measured = bounds.map((bound) => ({
    ...bound,
    ratio: medians.get(bound.of)! / medians.get(bound.to)!,
  }));
  for (const { of, to, most, ratio } of measured) {
    const verdict = ratio <= most ? "" : "  <- beyond";
    console.log(
      `  ${of} / ${to}: ${ratio.toFixed(3)}, bound ${most}${verdict}`,
    );
  }
  const rows = [...medians].map(([name, value]) => ({ name, value }));
  keep({ title, runtime: runtimeName(), unit, rows, bounds: measured });
  return measured.every(({ ratio, most }) => ratio <= most * TOLERANCE);
}

/** Ends a benchmark, with an error if a bound was clearly exceeded. */
export function finish(holds: boolean): void {
  if (holds) return;
  console.log(`\nA ratio is beyond ${TOLERANCE} times its bound`);
  process.exit(FAR_BEYOND);
}

function runtimeName(): string {
  return "Bun" in globalThis ? "Bun" : "Deno";
}

function keep(table: Table): void {
  const path = process.env[REPORT];
  if (!path) return;
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  appendFileSync(path, `${JSON.stringify(table)}\n`);
}
