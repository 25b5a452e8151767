/** The whole gate: checks, tests and examples, and a report at the end. */
import { type Outcome, runDeno, runSuite, write } from "./command.ts";
import { type SuiteName, SUITES } from "./suites.ts";

/**
 * The steps of the gate. Those in one row run at the same time: the type check
 * uses one core, and the long tests often wait for other programs.
 */
export const STEPS: readonly (readonly ("checks" | SuiteName)[])[] = [
  ["test", "checks"],
  ["test:docs"],
  ["test:long", "test:slow"],
  ["test:undisturbed"],
];

/** Options for {@linkcode runGate}. */
export interface GateOptions {
  /** Additional environment variables. */
  readonly env: Record<string, string>;
  /** `true` if a skipped test fails the gate. */
  readonly strict: boolean;
  /** Stops the step. */
  readonly signal: AbortSignal;
}

/** Milliseconds that a step may take, in case a file hangs while it loads. */
const TIME_LIMIT = 45 * 60_000;

/** The number of slow files in the report. */
const SLOWEST = 20;

/** Runs all steps, even after one failed, and returns `true` if all passed. */
export async function runGate(options: GateOptions): Promise<boolean> {
  const outcomes = new Map<string, Outcome>();
  for (const row of STEPS) {
    if (options.signal.aborted) break;
    await Promise.all(row.map(async (name, index) => {
      outcomes.set(name, await runStep(name, index > 0, options));
    }));
  }
  const { text, success } = report(outcomes, options.strict);
  console.log(text);
  return success;
}

/** Runs a step. The output of one that runs next to another comes at its end. */
async function runStep(
  name: "checks" | SuiteName,
  late: boolean,
  { env, signal }: GateOptions,
): Promise<Outcome> {
  let output = "";
  const print = late ? (text: string) => void (output += text) : write;
  if (!late) write(`\n== ${name}\n`);
  const limit = AbortSignal.timeout(TIME_LIMIT);
  const options = { env, print, signal: AbortSignal.any([signal, limit]) };
  const outcome = name === "checks"
    ? await runDeno(["task", "checks"], options)
    : await runSuite(await SUITES[name](), [], options);
  if (late) write(`\n== ${name}\n${output}`);
  return outcome;
}

/** Describes the outcomes of all steps. The last line counts the tests. */
export function report(
  outcomes: ReadonlyMap<string, Outcome>,
  strict: boolean,
): { text: string; success: boolean } {
  const all = [...outcomes.values()];
  const sum = (key: "passed" | "failed" | "ignored") =>
    all.reduce((total, outcome) => total + outcome[key], 0);
  const steps = [...outcomes].map(([name, { seconds, success }]) =>
    `${inSeconds(seconds)}  ${name}${success ? "" : ", failed"}`
  );
  const slowest = all.flatMap(({ files }) => [...files])
    .sort(([, a], [, b]) => b - a).slice(0, SLOWEST)
    .map(([file, seconds]) => `${inSeconds(seconds)}  ${file}`);
  const reasons = [...new Set(all.flatMap(({ skipped }) => skipped))];
  const ignored = sum("ignored");
  if (ignored > 0) reasons.push(`${ignored} tests of Deno were skipped`);
  // A closed network can't reach the server of W3C.
  const complete = reasons.every((line) => line.startsWith("not downloaded: "));
  const success = all.every((outcome) => outcome.success) &&
    sum("passed") > 0 && (complete || !strict);
  const lines = [
    ...["", "Steps:", ...steps],
    ...["", "Slowest files:", ...slowest],
    ...(reasons.length > 0 ? ["", "Skipped:", ...reasons] : []),
    ...(success ? [] : ["", "The gate failed"]),
    ...["", ...all.flatMap(({ counts }) => counts)],
    `${sum("passed")} passed, ${sum("failed")} failed`,
  ];
  return { text: lines.join("\n"), success };
}

function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(8)} s`;
}
