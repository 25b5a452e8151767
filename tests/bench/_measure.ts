/** One way to do the work that a table compares. */
export interface Candidate {
  /** What the table calls it. */
  readonly name: string;
  /** Does the work once; gets a number that counts up. */
  readonly run: (turn: number) => unknown;
  /** Prepares what `run` will take, outside of the time that counts. */
  readonly prepare?: (turn: number) => void;
}

/** How often to measure. */
export interface Effort {
  /** Rounds, of which each candidate gets one turn. */
  readonly rounds: number;
  /** How often the work is done in a turn. */
  readonly turns: number;
  /**
   * How many are in flight at once, where the work is asynchronous.
   *
   * @default {1}
   */
  readonly inFlight?: number;
  /**
   * Whether to await what is no promise too, as a caller does that can't know.
   *
   * @default {false}
   */
  readonly awaitsAll?: boolean;
}

/** The most that one candidate may take, as a part of what another does. */
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
  /** What a value counts. */
  readonly unit: string;
  readonly rows: readonly { readonly name: string; readonly value: number }[];
  readonly bounds: readonly (Bound & { readonly ratio: number })[];
  /** What took part, such as `hono@4.13.19`; absent where nobody noted it. */
  readonly versions?: readonly string[];
}

/** What a loaded machine may add to a ratio before the gate fails. */
const TOLERANCE = 1.5;

/** Where a benchmark's tables go, a line of JSON each. */
const REPORT = "GATEHOUSE_BENCH_REPORT";

/**
 * Measures candidates in turn, and returns the time of each in nanoseconds: the
 * median of how many times as long it took as the first one in the same round,
 * times that one's median. What the machine does besides hits a round as a whole,
 * and the next one not at all. Another candidate begins each round: nobody always
 * clears what the same one left. Work that returns no promise is not awaited,
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
  { run, prepare }: Candidate,
  { turns, inFlight = 1, awaitsAll = false }: Effort,
): Promise<number> {
  for (let turn = 0; prepare && turn < turns; turn++) prepare(turn);
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

/** The middle one of some numbers. */
export function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/**
 * Prints medians, their ratios to the first candidate's, and bounds; and tells
 * whether every bound holds, give or take what a loaded machine adds.
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

/** Ends a benchmark: with an error where a bound was far from holding. */
export function finish(holds: boolean): void {
  if (holds) return;
  console.log(`\nA ratio is beyond ${TOLERANCE} times its bound`);
  process.exit(1);
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
