/** One way to do the work that a table compares. */
export interface Candidate {
  /** What the table calls it. */
  readonly name: string;
  /** Does the work once; gets a number that counts up. */
  readonly run: (turn: number) => unknown;
}

/** How often to measure. */
export interface Effort {
  /** Rounds, of which each candidate gets one turn. */
  readonly rounds: number;
  /** How often the work is done in a turn. */
  readonly turns: number;
}

/**
 * Measures candidates in turn, so that what the machine does besides hits all of
 * them, and returns each one's median in nanoseconds.
 */
export async function measure(
  candidates: readonly Candidate[],
  { rounds, turns }: Effort,
): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>();
  const warmUp = Math.ceil(rounds / 4);
  for (let round = -warmUp; round < rounds; round++) {
    for (const { name, run } of candidates) {
      const start = performance.now();
      for (let turn = 0; turn < turns; turn++) await run(turn);
      const time = (performance.now() - start) * 1e6 / turns;
      if (round >= 0) samples.getOrInsert(name, []).push(time);
    }
  }
  return new Map(
    [...samples].map(([name, times]) => [name, medianOf(times)]),
  );
}

/** The middle one of some numbers. */
export function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/** Prints medians and their ratios to the first candidate's. */
export function printTable(
  title: string,
  medians: ReadonlyMap<string, number>,
): void {
  const [base = 1] = medians.values();
  console.log(`\n${title}`);
  for (const [name, time] of medians) {
    const ratio = (time / base).toFixed(2).padStart(8);
    console.log(
      `  ${name.padEnd(24)}${time.toFixed(0).padStart(10)} ns${ratio}`,
    );
  }
}
