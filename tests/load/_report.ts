import { type Opened, STORES } from "./_stores.ts";

/** The size of a run. */
export interface Effort {
  /** `true` for a short run, which shows only that the script works. */
  readonly quick: boolean;
  /** The names of the stores; all if it is empty. */
  readonly stores: readonly string[];
}

/** The result of a script on one store. */
export interface Row {
  /** The cells of the table. */
  readonly cells: readonly (string | number)[];
  /** The bars that do not hold. */
  readonly broken: readonly string[];
}

/**
 * Runs a script on each store, and prints a table.
 *
 * @returns `true` if all bars hold on all stores.
 */
export async function onEachStore(
  head: readonly string[],
  { stores }: Effort,
  run: (opened: Opened, name: string) => Promise<Row | null>,
): Promise<boolean> {
  let holds = true;
  console.log(`| store | ${head.join(" | ")} |`);
  console.log(`| --- |${" ---: |".repeat(head.length)}`);
  for (const [name, open] of Object.entries(STORES)) {
    if (stores.length > 0 && !stores.includes(name)) continue;
    const opened = await open();
    if (opened === null) continue;
    try {
      const row = await run(opened, name);
      if (row === null) continue;
      console.log(`| ${name} | ${row.cells.join(" | ")} |`);
      for (const bar of row.broken) console.log(`  beyond: ${name}, ${bar}`);
      if (row.broken.length > 0) holds = false;
    } finally {
      await opened.close();
    }
  }
  return holds;
}

/** Returns a value of sorted numbers, such as 0.99 for the 99th percentile. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

/** Formats milliseconds. */
export function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(1) : time.toFixed(0)} ms`;
}

/** Waits for some milliseconds. */
export function sleep(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}
