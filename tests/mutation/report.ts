import type { Mutant } from "./mutants.ts";

/** A mutant and its end. */
export interface Outcome {
  readonly mutant: Mutant;
  readonly result: "killed" | "timed out" | "survived" | "not reached";
  /** The tests that ran: those of the mutant's folder, or the others too. */
  readonly by?: "own folder" | "another folder";
  /** The first test that failed. */
  readonly test?: string;
}

/** Returns one line about a mutant. */
export function lineOf({ mutant, result, test }: Outcome): string {
  const { becomes, file, line, was } = mutant;
  const by = test === undefined ? "" : ` by "${test}"`;
  return `${result}${by}: ${file}:${line} ${shorten(was)} → ${
    shorten(becomes)
  }`;
}

/** Returns the report as Markdown. */
export function createReport(
  seed: number,
  outcomes: readonly Outcome[],
): string {
  const folders = new Set<string>();
  for (const { mutant: { file } } of outcomes) {
    const [top = "", wing = ""] = file.split("/");
    folders.add(top);
    if (!wing.endsWith(".ts")) folders.add(`${top}/${wing}`);
  }
  const rows = [...folders].sort().map((folder) => {
    return rowOf(
      folder,
      outcomes.filter(({ mutant }) => mutant.file.startsWith(`${folder}/`)),
    );
  });
  const missed = outcomes.filter(({ result }) =>
    result === "survived" || result === "not reached"
  );
  return [
    `# ${outcomes.length} mutants, seed ${seed}`,
    "",
    "| folder | mutants | killed | by own folder | timed out | survived | not reached | rate |",
    "|---|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
    rowOf("all", outcomes),
    "",
    "Some of the survivors are equivalent to the code: no test can tell them.",
    "",
    ...missed.map((outcome) => `- ${lineOf(outcome)}`),
    "",
  ].join("\n");
}

function rowOf(folder: string, outcomes: readonly Outcome[]): string {
  const count = (wanted: Outcome["result"]) =>
    outcomes.filter(({ result }) => result === wanted).length;
  const own =
    outcomes.filter(({ by, result }) =>
      result === "killed" && by === "own folder"
    ).length;
  const ended = count("killed") + count("timed out");
  const rate = `${Math.round(100 * ended / outcomes.length)} %`;
  const cells = [
    folder,
    outcomes.length,
    count("killed"),
    own,
    count("timed out"),
    count("survived"),
    count("not reached"),
    rate,
  ];
  return `| ${cells.join(" | ")} |`;
}

function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  return `\`${line.length > 70 ? `${line.slice(0, 70)}…` : line}\``;
}
