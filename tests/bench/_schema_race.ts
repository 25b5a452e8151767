import { type WorkloadName, WORKLOADS } from "./_schema_data.ts";
import { LIBRARIES } from "./_schema_libraries.ts";

/** One row of the table: what is measured, and ns per run by library. */
export interface Row {
  readonly name: string;
  readonly nanoseconds: ReadonlyMap<string, number>;
}

/** A ratio that must not exceed its bound. */
export interface Bound {
  readonly name: string;
  readonly ratio: number;
  readonly bound: number;
}

/** What fails the gate, on machines that do other things as well. */
const TOLERANCE = 1.5;

interface Cell {
  readonly library: string;
  readonly run: () => unknown;
  count: number;
  readonly samples: number[];
}

/** Keeps results in use, so that no engine drops the work. */
let sink = 0;

/**
 * Measures our schemas beside those of other libraries, in this process and
 * interleaved, and prints medians, ratios and bounds.
 *
 * @returns Whether all bounds hold, by and large.
 */
export function raceSchemas(
  { quick, mean }: { quick: boolean; mean: number },
): boolean {
  const effort = quick ? { rounds: 15, slice: 0.5 } : { rounds: 151, slice: 2 };
  const parses: Row[] = [];
  for (const name of Object.keys(WORKLOADS) as WorkloadName[]) {
    for (const kind of ["valid", "invalid"] as const) {
      parses.push(measure(`${name}, ${kind}`, parseCells(name, kind), effort));
    }
  }
  const builds = (["login", "order"] as const).map((name) =>
    measure(
      `${name}, built`,
      LIBRARIES.map(({ name: library, validators }) =>
        newCell(library, validators[name])
      ),
      effort,
    )
  );
  printTable([...parses, ...builds]);
  return judge([
    ...parses.map(againstFastest),
    againstValibot(parses, mean),
    ...Object.keys(WORKLOADS).map((name) => againstValid(name, parses)),
    ...builds.map(({ name, nanoseconds }) => ({
      name: `${name} / valibot`,
      ratio: nanoseconds.get("gatehouse")! / nanoseconds.get("valibot")!,
      bound: 1,
    })),
  ]);
}

function parseCells(name: WorkloadName, kind: "valid" | "invalid"): Cell[] {
  const value = WORKLOADS[name][kind];
  return LIBRARIES.map(({ name: library, validators }) => {
    const count = validators[name]();
    if ((count(value) === 0) !== (kind === "valid")) {
      throw new Error(`${library} judges ${name} ${kind} wrongly`);
    }
    return newCell(library, () => count(value));
  });
}

function newCell(library: string, run: () => unknown): Cell {
  return { library, run, count: 1, samples: [] };
}

/** Runs the cells in turn, so that whatever else happens hits all of them. */
function measure(
  name: string,
  cells: readonly Cell[],
  { rounds, slice }: { rounds: number; slice: number },
): Row {
  for (const cell of cells) {
    time(cell, 200);
    while (time(cell, cell.count) < slice) cell.count *= 2;
  }
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < cells.length; index++) {
      const cell = cells[(index + round) % cells.length]!;
      cell.samples.push(time(cell, cell.count) / cell.count * 1e6);
    }
  }
  const medians = cells.map(({ library, samples }) =>
    [library, medianOf(samples)] as const
  );
  return { name, nanoseconds: new Map(medians) };
}

function time({ run }: Cell, count: number): number {
  const start = performance.now();
  for (let index = 0; index < count; index++) if (run()) sink++;
  return performance.now() - start;
}

function medianOf(samples: number[]): number {
  return samples.sort((a, b) => a - b)[samples.length >> 1]!;
}

function printTable(rows: readonly Row[]): void {
  const names = LIBRARIES.map(({ name }) => name);
  console.log(["", ...names].map((name) => name.padEnd(20)).join(""));
  for (const { name, nanoseconds } of rows) {
    const own = nanoseconds.get("gatehouse")!;
    const cells = names.map((library) => {
      const value = nanoseconds.get(library)!;
      return `${value.toFixed(0)} ns (${(value / own).toFixed(2)})`;
    });
    console.log([name, ...cells].map((cell) => cell.padEnd(20)).join(""));
  }
}

function againstFastest({ name, nanoseconds }: Row): Bound {
  const [[, own], ...others] = [...nanoseconds] as [
    [string, number],
    ...[string, number][],
  ];
  const [library, fastest] = others.reduce((best, other) =>
    other[1] < best[1] ? other : best
  );
  return { name: `${name} / ${library}`, ratio: own / fastest, bound: 1 };
}

function againstValibot(rows: readonly Row[], mean: number): Bound {
  const logs = rows.map(({ nanoseconds }) =>
    Math.log(nanoseconds.get("gatehouse")! / nanoseconds.get("valibot")!)
  );
  const sum = logs.reduce((sum, log) => sum + log, 0);
  return {
    name: "all / valibot, geometric mean",
    ratio: Math.exp(sum / logs.length),
    bound: 1 / mean,
  };
}

function againstValid(workload: string, rows: readonly Row[]): Bound {
  const of = (kind: string) =>
    rows.find(({ name }) => name === `${workload}, ${kind}`)!.nanoseconds
      .get("gatehouse")!;
  return {
    name: `${workload}, invalid / valid`,
    ratio: of("invalid") / of("valid"),
    bound: 2.5,
  };
}

/** Prints ratios beside their bounds. */
export function judge(bounds: readonly Bound[]): boolean {
  let holds = true;
  for (const { name, ratio, bound } of bounds) {
    const mark = ratio <= bound ? "" : "  missed";
    console.log(
      `${name.padEnd(36)}${ratio.toFixed(2)}, bound ${bound.toFixed(2)}${mark}`,
    );
    holds &&= ratio <= bound * TOLERANCE;
  }
  return holds;
}
