/**
 * Counts the files and functions that one operation enters, per folder. They
 * are what a reader has to follow:
 *
 *     deno run -A tests/bench/reach.ts
 *
 * Each operation runs once and three times in processes with coverage. A
 * function counts if three runs enter it more often than one.
 *
 * @module
 */
const ROOT = new URL("../../", import.meta.url);
const SCENARIOS = new URL("./_reach_scenarios.ts", import.meta.url).pathname;

/** The operations, with the folder whose files count. */
const OPERATIONS = {
  "session read": "session/",
  "session write": "session/",
  "router": "router/",
  "login": "auth/",
  "schema": "schema/",
  "log line": "logger/",
} as const;

interface Coverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly count: number;
    }[];
  }[];
}

if (import.meta.main) {
  console.log(
    "| operation | files | functions | files in all | functions in all |",
  );
  console.log("| --- | ---: | ---: | ---: | ---: |");
  for (const [operation, folder] of Object.entries(OPERATIONS)) {
    const entered = await enteredBy(operation);
    const own = entered.filter((name) => name.startsWith(folder));
    console.log(
      `| ${operation} | ${filesOf(own)} | ${own.length} | ${
        filesOf(entered)
      } | ${entered.length} |`,
    );
    if (Deno.args.includes("--names")) console.log(own.join("\n"));
  }
}

function filesOf(entered: readonly string[]): number {
  return new Set(entered.map((name) => name.split("#")[0])).size;
}

/** Returns the functions that an operation enters, as `file#function:offset`. */
async function enteredBy(operation: string): Promise<string[]> {
  const [once, thrice] = [
    await countsOf(operation, 1),
    await countsOf(operation, 3),
  ];
  return [...thrice].filter(([name, count]) => count > (once.get(name) ?? 0))
    .map(([name]) => name).sort();
}

async function countsOf(
  operation: string,
  times: number,
): Promise<Map<string, number>> {
  const folder = await Deno.makeTempDir();
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        `--coverage=${folder}`,
        SCENARIOS,
        operation,
        String(times),
      ],
      cwd: ROOT,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const counts = new Map<string, number>();
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".json")) continue;
      const coverage: Coverage = JSON.parse(
        await Deno.readTextFile(`${folder}/${name}`),
      );
      if (
        !coverage.url.startsWith(ROOT.href) || coverage.url.includes("/tests/")
      ) continue;
      const file = coverage.url.slice(ROOT.href.length);
      for (
        const { functionName, ranges: [{ startOffset, count }] } of coverage
          .functions
      ) {
        if (startOffset > 0) {
          counts.set(`${file}#${functionName}:${startOffset}`, count);
        }
      }
    }
    return counts;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
