/** Runs Deno and reads what it tells about tests. */
import { stripVTControlCharacters } from "node:util";
import { copyLock } from "../offline/npm_lock.ts";
import type { Suite } from "./suites.ts";

/** The result of a command. */
export interface Outcome {
  readonly success: boolean;
  readonly seconds: number;
  /** The counts in Deno's summary. */
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  /** The lines that begin with "skipped: " or "not downloaded: ". */
  readonly skipped: readonly string[];
  /** Lines with the counts of other runtimes. */
  readonly counts: readonly string[];
  /** Seconds that the tests of each file took. */
  readonly files: ReadonlyMap<string, number>;
}

/** Options for {@linkcode runDeno}. */
export interface RunOptions {
  /** Additional environment variables. */
  readonly env: Record<string, string>;
  /** Receives the output. */
  readonly print: (text: string) => void;
  /** Stops the command. */
  readonly signal?: AbortSignal;
}

const ROOT = new URL("../../", import.meta.url);

/** Runs a suite. */
export async function runSuite(
  { args, clean, jobs = 1 }: Suite,
  options: readonly string[],
  runOptions: RunOptions,
): Promise<Outcome> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  const lock = await copyLock();
  const order = options.find((option) => option.startsWith("--shuffle")) ??
    `--shuffle=${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const all = [...testArguments(lock), `--junit-path=${report}`, order]
    .concat(options.filter((option) => option !== order), args);
  runOptions.print(`In the order of ${order}\n`);
  const env = { DENO_JOBS: String(jobs), ...runOptions.env };
  try {
    const outcome = await runDeno(all, { ...runOptions, env });
    return { ...outcome, files: readReport(await Deno.readTextFile(report)) };
  } finally {
    await Promise.all([Deno.remove(report), Deno.remove(lock), clean?.()]);
  }
}

/** Returns the arguments that all suites share. */
export function testArguments(lock: string): string[] {
  const preloads = ["limits.ts", "rsa_keys.ts"]
    .map((file) => `--preload=${new URL(file, import.meta.url).href}`);
  return ["test", "-A", `--lock=${lock}`, "--no-check", ...preloads];
}

/** Runs a command of Deno until it ends. */
export async function runDeno(
  args: readonly string[],
  { env, print, signal }: RunOptions,
): Promise<Outcome> {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env,
    signal,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const reading = [child.stdout, child.stderr].map(async (pipe) => {
    for await (const text of pipe.pipeThrough(new TextDecoderStream())) {
      output += text;
      print(text);
    }
  });
  await Promise.all(reading);
  const { success } = await child.status;
  if (signal?.aborted) print(`Stopped: deno ${args.join(" ")}\n`);
  const seconds = (performance.now() - start) / 1000;
  return { success, seconds, ...readOutput(output), files: new Map() };
}

/** Reads the counts of tests and the reasons of those that were skipped. */
export function readOutput(
  output: string,
): Pick<Outcome, "passed" | "failed" | "ignored" | "skipped" | "counts"> {
  const text = stripVTControlCharacters(output);
  const summaries = text.match(/^(?:ok|FAILED) \| \d+ passed.*$/gm) ?? [];
  const sum = (what: string) =>
    summaries.map((line) => Number(line.match(`(\\d+) ${what}`)?.[1] ?? 0))
      .reduce((total, count) => total + count, 0);
  return {
    passed: sum("passed"),
    failed: sum("failed"),
    ignored: sum("ignored"),
    skipped: [...new Set(text.match(/^(?:skipped|not downloaded): .*$/gm))],
    counts: text.match(
      /^(?:deno: \d+ behavior tests|(?:bun|node \d+|workers): \d+ passed, \d+ failed)$/gm,
    ) ?? [],
  };
}

/** Sums the seconds of the tests of each file in a report of `--junit-path`. */
export function readReport(xml: string): Map<string, number> {
  const files = new Map<string, number>();
  const tests = new Set<string>();
  const cases = xml.matchAll(
    /<testcase name="([^"]*)" classname="([^"]*)" time="([\d.]+)"/g,
  );
  for (const [, name = "", file = "", time] of cases) {
    tests.add(`${file} ${name}`);
    // The time of a test includes that of its steps.
    const [test = ""] = name.split(" &gt; ");
    if (name !== test && tests.has(`${file} ${test}`)) continue;
    files.set(file, (files.get(file) ?? 0) + Number(time));
  }
  return files;
}

/** Writes to the standard output. */
export function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}
